import { existsSync } from 'node:fs'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Listening, listen } from '../../src/serving/listen.ts'
import { openDemoSite } from './demo-site.ts'

/** Debian's package `chromium`; where it is not installed these tests are skipped, and say so. */
const executablePath = '/usr/bin/chromium'

describe.skipIf(!existsSync(executablePath))('the look of the pages', () => {
  let site: Awaited<ReturnType<typeof openDemoSite>>
  let browser: Browser
  let serving: Listening
  beforeAll(async () => {
    site = await openDemoSite()
    serving = await listen({ host: '127.0.0.1', port: 0 }, (request) => site.site.fetch(request), '')
    browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] })
  })
  afterAll(async () => {
    await browser?.close()
    await serving?.close()
    await site?.[Symbol.asyncDispose]()
  })

  async function visit<Result>(
    path: string,
    { width = 1280, colorScheme = 'light' }: { width?: number; colorScheme?: 'light' | 'dark' },
    look: (page: Page) => Promise<Result>,
  ): Promise<Result> {
    const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme })
    await page.goto(serving.url + path)
    const seen = await look(page)
    await page.close()
    return seen
  }

  /** The height of an element, in lines of fields: 32 px and what is around them. */
  const linesOf = (page: Page, selector: string) =>
    page.evaluate<number>(`Math.round(document.querySelector('${selector}').getBoundingClientRect().height / 40)`)

  it.each([
    [1280, 1],
    [1024, 1],
    [1000, 2],
    [640, 2],
    [400, 1],
  ])('have a head of one line, or of two where one has no room: at %i pixels %i', async (width, lines) => {
    expect(await visit('/runs', { width }, (page) => linesOf(page, '.site'))).toBe(lines)
  })

  it('have a menu behind a fold on a phone, which needs no script', async () => {
    await visit('/runs', { width: 400 }, async (page) => {
      const link = page.locator('.menu a', { hasText: 'Baselines' })
      expect(await link.isVisible()).toBe(false)
      await page.locator('.menu summary').click()
      await link.click()
      expect(new URL(page.url()).pathname).toBe('/baselines')
    })
  })

  it.each(['/', '/runs'])('put what a card says next to its label, on a phone: %s', async (path) => {
    const faults = await visit(path, { width: 400 }, (page) =>
      page.evaluate<string[]>(`[...document.querySelectorAll('.cards td')].flatMap((td) => {
        const range = document.createRange()
        range.selectNodeContents(td)
        const box = range.getBoundingClientRect()
        const left = td.getBoundingClientRect().left + 100
        return td.textContent === '' || Math.abs(box.left - left) < 1 ? [] : [td.dataset.label + ' ' + box.left]
      })`),
    )
    expect(faults).toEqual([])
  })

  it('say as of which run they are, and lead from a past one to the same page as of the last', async () => {
    await visit('/violations?severity=high&run=1', {}, async (page) => {
      const banner = page.locator('.past-run')
      expect(await banner.textContent()).toMatch(/^As of run 1, .* UTC\. The last run is 2\./)
      await banner.locator('a').click()
      expect(new URL(page.url()).search).toBe('?severity=high')
      expect(await page.locator('.run-line').textContent()).toMatch(/^As of run 2, /)
      expect(await banner.count()).toBe(0)
    })
  })

  it('keep their filters when another run is asked for', async () => {
    await visit('/violations?severity=high', {}, async (page) => {
      await page.locator('.as-of input[name=run]').fill('1')
      await page.locator('.as-of button').click()
      expect(new URL(page.url()).search).toBe('?severity=high&run=1')
    })
  })
})
