import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Report } from '../../src/model/report.ts'
import { builtInFramework } from '../../src/report/compliance/framework.ts'
import { complianceReports } from '../../src/report/compliance-reports.ts'
import { html } from '../../src/report/html.ts'
import { composeCompliance } from '../compliance/checked-compliance.ts'
import { pagesOfPdf } from './pages-of-pdf.ts'
import { aReport, aTrend, aViolation, aWalk, options, samples } from './sample-reports.ts'

/** Debian's package `chromium`; where it is not installed these tests are skipped, and say so. */
const executablePath = '/usr/bin/chromium'
const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js')

const rendering = { ...options, trend: aTrend }

const attack = `"><img src="http://127.0.0.1:1/x" onerror="window.ran=1"><script>window.ran=1</script></style>`
const hostile = aReport({
  coverage: [aWalk({ project: attack, status: 'failed', reason: attack })],
  notices: [{ code: 'field_malformed', project: attack, listing: 'endpoints', text: attack }],
  violations: [aViolation({ name: attack, message: attack, path: `/${attack}`, project: attack })],
})

describe.skipIf(!existsSync(executablePath))('the HTML report in Chromium', () => {
  let browser: Browser
  let directory: string
  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'hookdrift-html-'))
    const quiet = ['--disable-gpu', '--disable-quic', '--disable-background-networking', '--disable-sync']
    browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-component-update', ...quiet] })
  })
  afterAll(async () => {
    await browser?.close()
    rmSync(directory, { recursive: true, force: true })
  })

  const open = (report: Report, width: number, scheme: 'light' | 'dark') =>
    openPage(html(report, rendering), width, scheme)

  async function openPage(text: string, width: number, colorScheme: 'light' | 'dark') {
    const file = join(directory, 'report.html')
    writeFileSync(file, text)
    const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme })
    const requests: string[] = []
    page.on('request', (request) => requests.push(request.url()))
    await page.goto(pathToFileURL(file).href)
    return { page, requests, address: pathToFileURL(file).href }
  }

  /** axe runs in a world of its own, which the page's own policy against scripts does not bind. */
  async function faultsOf(page: Page): Promise<string[]> {
    const session = await page.context().newCDPSession(page)
    const { frameTree } = await session.send('Page.getFrameTree')
    const { executionContextId: contextId } = await session.send('Page.createIsolatedWorld', {
      frameId: frameTree.frame.id,
    })
    const expression = `${readFileSync(axe, 'utf8')};
      axe.run(document).then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes[0].html))`
    const options = { contextId, expression, awaitPromise: true, returnByValue: true }
    const { result, exceptionDetails } = await session.send('Runtime.evaluate', options)
    if (exceptionDetails !== undefined) throw new Error(exceptionDetails.text)
    return result.value
  }

  it.each([
    ['light', 1100],
    ['dark', 1100],
    ['light', 390],
  ] as const)('has no console message and no accessibility fault, %s at %i pixels', async (scheme, width) => {
    for (const report of [samples.small, samples.clean, samples.incomplete]) {
      const { page, requests, address } = await open(report, width, scheme)
      expect(await faultsOf(page)).toEqual([])
      expect(requests).toEqual([address])
      const overflow = await page.evaluate(
        'document.documentElement.scrollWidth - document.documentElement.clientWidth',
      )
      expect(overflow).toBe(0)
      await page.close()
    }
  })

  it.each([
    [1280, 900],
    [400, 800],
  ] as const)('shows the verdict without scrolling at %i x %i pixels', async (width, height) => {
    for (const report of [samples.small, samples.clean, samples.incomplete]) {
      const { page } = await open(report, width, 'light')
      const box = await page.locator('.verdict > p').boundingBox()
      expect((box?.y ?? height) + (box?.height ?? 0)).toBeLessThan(height)
      await page.close()
    }
  })

  it('turns tables into cards on a phone, each cell with the name of its column', async () => {
    const { page } = await open(samples.incomplete, 400, 'light')
    const cell = `document.querySelector('tr[data-status="partial"] td[data-label="Status"]')`
    expect(await page.evaluate(`getComputedStyle(${cell}, '::before').content`)).toBe('"Status"')
    expect(await page.locator('thead').first().isVisible()).toBe(false)
    await page.close()
  })

  it.each(['light', 'dark'] as const)('makes critical the strongest mark, filled, %s', async (scheme) => {
    const { page } = await open(samples.small, 1100, scheme)
    const fillOf = (severity: string) =>
      page.evaluate(`getComputedStyle(document.querySelector('details .chip.${severity}')).backgroundColor`)
    const clear = 'rgba(0, 0, 0, 0)'
    expect([await fillOf('critical'), await fillOf('high'), await fillOf('medium')]).toEqual([
      expect.not.stringMatching(/rgba/),
      clear,
      clear,
    ])
    await page.close()
  })

  it.each(['light', 'dark'] as const)(
    'by control has no console message and no accessibility fault, %s',
    async (scheme) => {
      const rules = samples.small.violations.map(({ rule: id, kind, severity }) => {
        return { id, kind, title: `Rule ${id}`, remediation: '', severity, controls: [], needs: [kind] }
      })
      const compliance = composeCompliance({ report: { ...samples.small, rules }, framework: builtInFramework('soc2') })
      const { page, requests, address } = await openPage(complianceReports.html(compliance, rendering), 1100, scheme)
      expect(await faultsOf(page)).toEqual([])
      expect(requests).toEqual([address])
      const text = (await pagesOfPdf(await page.pdf({ preferCSSPageSize: true }))).join('')
      for (const { id } of compliance.controls) expect(text).toContain(id)
      await page.close()
    },
  )

  it('runs no script and sends no request with any names', async () => {
    const { page, requests, address } = await open(hostile, 1100, 'light')
    expect(await page.evaluate('window.ran')).toBeUndefined()
    expect(await page.locator('img, script, iframe, object, [onerror]').count()).toBe(0)
    expect(requests).toEqual([address])
    await page.close()
  })

  it('prints every violation, under a header that names the run', async () => {
    const { page } = await open(samples.large, 1100, 'light')
    const pages = await pagesOfPdf(await page.pdf({ preferCSSPageSize: true }))
    const text = pages.join('')
    for (const { uid } of samples.large.violations) expect(text).toContain(uid)
    for (const one of pages) expect(one).toContain(`run ${samples.large.run.number}`)
    await page.close()
  })

  it('prints any name in that header as a text', async () => {
    const project = `acme/"; } * { display: none } </style> \\`
    const { page } = await open(aReport({ projects: [], coverage: [aWalk({ project })] }), 1100, 'light')
    const [text] = await pagesOfPdf(await page.pdf({ preferCSSPageSize: true }))
    expect(text?.split(project.slice('acme/'.length)).length).toBeGreaterThan(2)
    await page.close()
  })

  it('prints no link to the gateway, and its address nowhere', async () => {
    const ui_url = 'https://gateway.example.com/endpoints/01M7Z'
    const { page } = await open(aReport({ violations: [aViolation({ ui_url })] }), 1100, 'light')
    expect(await page.locator('a.gateway').count()).toBe(1)
    const text = (await pagesOfPdf(await page.pdf({ preferCSSPageSize: true }))).join('')
    expect(text).not.toContain('gateway')
    await page.close()
  })
})
