import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type Database from 'better-sqlite3'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type HttpListener, listen } from '../../src/app/serving/listen.ts'
import { createSite } from '../../src/pages/site.ts'
import { openChanged } from '../history/changed-history.ts'
import { temporaryDatabasePaths } from '../history/database-fixture.ts'
import { openDemoSite } from './demo-site.ts'
import { inWorld } from './in-world.ts'

/** Debian's package `chromium`; where it is not installed these tests are skipped, and say so. */
const executablePath = '/usr/bin/chromium'
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Widths in pixels, and whether scripts run: with these, each width and each answer is tried once. */
const views: readonly (readonly [number, boolean])[] = [
  [1280, true],
  [400, false],
]
const otherViews: typeof views = [
  [400, true],
  [1280, false],
]

/** What the pages link to and is not a page. */
const noPages = /^\/(?:api|feed\.atom)(?:[/?]|$)/
const mostPages = 60

/** axe takes seconds on a long page of a busy machine. */
const timeout = 300_000

/** Markup, then a new line, then text from right to left, then a word that no line has room for: 1,000 characters. */
const attack =
  `"><img src="http://127.0.0.1:1/x" onerror="window.ran=1"><script>window.ran=1</script>\n\u202e\u2067א`.padEnd(
    1000,
    'W',
  )

const newFile = temporaryDatabasePaths()

describe.skipIf(!existsSync(executablePath))('the pages in Chromium', () => {
  let site: Awaited<ReturnType<typeof openDemoSite>>
  let browser: Browser
  let serving: HttpListener
  let hostile: HttpListener
  beforeAll(async () => {
    site = await openDemoSite()
    serving = await listen({ host: '127.0.0.1', port: 0 }, (request) => site.site.fetch(request), '')
    const changed = openChanged(site.file, newFile(), nameHostile)
    const attacked = createSite({
      api: site.api,
      history: async () => changed,
      now: () => Date.now(),
      version: '1.2.3',
      isHostOfPort: () => true,
      onFault: (error) => {
        throw error
      },
    })
    hostile = await listen({ host: '127.0.0.1', port: 0 }, (request) => attacked.fetch(request), '')
    browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] })
  })
  afterAll(async () => {
    await browser?.close()
    await serving?.close()
    await hostile?.close()
    await site?.[Symbol.asyncDispose]()
  })

  it.each([...views, ...(process.env.HOOKDRIFT_VIEWS === 'all' ? otherViews : [])])(
    'have no fault, light and dark, at %i pixels, script %s, and all that they offer is reached by keyboard',
    async (width, isScripted) => {
      const context = await browser.newContext({ viewport: { width, height: 900 } })
      // axe needs the browser's timers, which are off where scripts are.
      const empty = { contentType: 'text/javascript' }
      if (!isScripted) await context.route(/\/(?:script|copy)\.js$/, (route) => route.fulfill(empty))
      const page = await context.newPage()
      const faults = watch(page, serving.url)
      const walked = await crawl(page, serving.url, async (path) => {
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme })
          // The schemes differ in their colours only.
          const found = await faultsOf(page, colorScheme === 'dark' ? ['color-contrast'] : undefined)
          for (const fault of found) faults.push(`${path}, ${colorScheme}: ${fault}`)
        }
        for (const missed of await missedByKeyboard(page)) faults.push(`${path}: no key leads to ${missed}`)
        const wide = await inWorld<number>(
          page,
          'document.documentElement.scrollWidth - document.documentElement.clientWidth',
        )
        if (wide > 0) faults.push(`${path}: ${wide} pixels too wide`)
      })
      expect(faults).toEqual([])
      for (const path of ['/', '/rules', '/compliance/soc2', '/waivers', '/notifications', '/worker', '/compare']) {
        expect(walked).toContain(path)
      }
      for (const kind of ['violations', 'resources', 'owners', 'projects', 'runs', 'rules']) {
        expect(walked.some((path) => path.startsWith(`/${kind}/`))).toBe(true)
      }
      await context.close()
    },
    timeout,
  )

  it.each([true, false])(
    'run nothing of hostile names and send nothing elsewhere, script %s',
    async (javaScriptEnabled) => {
      const context = await browser.newContext({ viewport: { width: 400, height: 900 }, javaScriptEnabled })
      const page = await context.newPage()
      const faults = watch(page, hostile.url)
      const walked = await crawl(page, hostile.url, async (path) => {
        if (
          await inWorld(page, `document.querySelector('img, iframe, object, [onerror], script:not([src])') !== null`)
        ) {
          faults.push(`${path}: markup of a name`)
        }
        const wide = await inWorld<number>(
          page,
          'document.documentElement.scrollWidth - document.documentElement.clientWidth',
        )
        if (wide > 0) faults.push(`${path}: ${wide} pixels too wide`)
        if (javaScriptEnabled && (await page.evaluate('window.ran')) !== undefined) faults.push(`${path}: a name ran`)
      })
      expect(faults).toEqual([])
      expect(walked.filter((path) => /^\/(?:owners|violations)\//.test(path)).length).toBeGreaterThan(1)
      await context.close()
    },
  )

  it.each([
    [400, false],
    [1280, true],
  ])('%d pixels wide, the filters of a list are shown at once: %s', async (width, isShown) => {
    const page = await browser.newPage({ viewport: { width, height: 800 } })
    await page.goto(`${serving.url}/violations?severity=high&rule=endpoint/*`)
    const [summary, button] = [page.locator('summary', { hasText: 'Filter (2 set)' }), page.locator('.filters button')]
    expect([await summary.isVisible(), await button.isVisible()]).toEqual([!isShown, isShown])
    if (!isShown) await summary.click()
    await page.locator('.filters select[name=severity]').selectOption('critical')
    await button.click()
    await page.waitForURL('**/violations?*severity=critical*')
    expect(new URL(page.url()).searchParams.get('rule')).toBe('endpoint/*')
    await page.close()
  })

  it('filter as you type, move by j and k, open by Enter, and say how long ago a time was', async () => {
    const page = await browser.newPage()
    await page.goto(`${serving.url}/rules`)
    await page.keyboard.press('/')
    await page.keyboard.type('endpoint/url-not')
    expect(await page.locator('main tbody tr:visible').count()).toBe(1)
    expect(await page.locator('[role=status].soft').textContent()).toMatch(/^1 of \d+ rows/)
    await page.keyboard.press('Escape')
    expect(await page.locator('main tbody tr:visible').count()).toBe(1)
    await page.keyboard.press('Escape')
    expect(await page.locator('main tbody tr:visible').count()).toBe(50)
    await page.keyboard.press('/')
    await page.keyboard.type('endpoint/url-not-h')
    await page.keyboard.press('Escape')
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/rules/endpoint/url-not-https')
    expect(await page.locator('.run-line').textContent()).toMatch(/UTC \((?:now|\d+ min ago)\)/)
    await page.close()
  })

  it.each([true, false])('copy commands, with a clipboard of the browser: %s', async (hasClipboard) => {
    const context = await browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] })
    const page = await context.newPage()
    const faults = watch(page, serving.url)
    await page.goto(`${serving.url}/rules/endpoint/url-not-https`)
    if (!hasClipboard) await page.evaluate("Object.defineProperty(navigator, 'clipboard', { value: undefined })")
    const command = page.locator('footer .command')
    const button = page.getByRole('button', { name: `Copy ${await command.textContent()}`, exact: true })
    await button.focus()
    await page.keyboard.press('Enter')
    const said = page.locator('footer [aria-live=polite]')
    await said.filter({ hasText: 'Copied' }).waitFor()
    expect(await inWorld(page, 'navigator.clipboard.readText()')).toBe(await command.textContent())
    await page.keyboard.press('Tab')
    expect(await said.textContent()).toBe('')
    expect(await page.locator('.command').count()).toBe(await page.locator('.command + .copy').count())
    expect(faults).toEqual([])
    await context.close()
  })

  it('search all violations from the overview: / leads to the filter, Enter to all pages of the list', async () => {
    const page = await browser.newPage()
    await page.goto(serving.url)
    await page.keyboard.press('/')
    await page.waitForURL('**/violations#filter')
    await page.keyboard.type('authentication')
    expect(await page.locator('main [role=status].soft').textContent()).toContain('Enter searches all pages.')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/violations?*text=authentication*')
    expect(await page.locator('main tbody tr').count()).toBeGreaterThan(0)
    await page.close()
  })
})

/** Each name that people or services give becomes an attack. */
function nameHostile(db: Database.Database): void {
  const waiver = JSON.stringify({ owner: attack, reason: attack, expires: '2027-01-01T00:00:00Z', ticket: attack })
  const time = '2026-01-01T00:00:00Z'
  db.prepare('UPDATE violation SET name = @attack, message = @attack, path = @attack').run({ attack })
  db.prepare('UPDATE version SET name = @attack, owner_id = CASE WHEN owner_id IS NOT NULL THEN @attack END').run({
    attack,
  })
  db.prepare('UPDATE change SET name = @attack').run({ attack })
  db.prepare(
    "UPDATE violation SET state = 'waived', waiver = ? WHERE id = (SELECT max(id) FROM violation WHERE to_run IS NULL)",
  ).run(waiver)
  db.prepare('INSERT INTO channel (name, written, gone_at, gone_target) VALUES (?, 2, ?, ?)').run(attack, time, attack)
  for (const [number, state] of ['pending', 'dead'].entries()) {
    db.prepare(
      `INSERT INTO notification (id, channel, number, run, created_at, body, state, attempts, next_try_at, error)
       VALUES (@state, @attack, @number, 1, @time, '{}', @state, 1, @time, @attack)`,
    ).run({ state, attack, number: number + 1, time })
  }
  db.prepare(
    `INSERT INTO acceptance (project_id, project, fingerprint, rule, kind, uid, path, reason, value_digest, accepted_at,
       accepted_by, accepted_as) SELECT min(id), @attack, @attack, 'acme/x', 'endpoint', @attack, @attack, @attack,
       @attack, @time, @attack, @attack FROM project`,
  ).run({ attack, time })
}

/** Collects console messages, failed answers and requests to other places. */
function watch(page: Page, origin: string): string[] {
  const faults: string[] = []
  page.on('console', (message) => faults.push(`${page.url()}: ${message.text()}`))
  page.on('pageerror', (error) => faults.push(`${page.url()}: ${error.message}`))
  page.on('request', (request) => {
    if (!request.url().startsWith(`${origin}/`)) faults.push(`a request to ${request.url()}`)
  })
  return faults
}

/** Links, fields and folds that are shown and that Tab does not lead to. */
async function missedByKeyboard(page: Page): Promise<readonly string[]> {
  // Of radio buttons with one name, Tab leads to one.
  const shown = `[...document.querySelectorAll('a[href], button, input:not([type=radio], [type=hidden]), select, summary')]
    .filter((one) => one.checkVisibility() && !one.disabled)`
  const wanted = await page.evaluate<number>(`{
    window.missed = new Set(${shown})
    document.activeElement.blur()
    document.addEventListener('focusin', ({ target }) => window.missed.delete(target))
    window.missed.size
  }`)
  // A press that is awaited takes a frame of the screen.
  await Promise.all(Array.from({ length: wanted + 10 }, () => page.keyboard.press('Tab')))
  return page.evaluate('[...window.missed].map((one) => one.outerHTML.slice(0, 200))')
}

/** A page with other filters is another kind; as of another run, it is not. */
function kindOf(path: string): string {
  const { pathname, searchParams } = new URL(path, 'http://pages')
  const [, first = '', ...more] = pathname.split('/')
  const asked = [...searchParams.keys()].filter((name) => name !== 'run' && name !== 'state')
  return [first, more.length, ...asked.toSorted()].join(' ')
}

/** Visits every kind of page that is linked from the first one; returns their paths. */
async function crawl(page: Page, origin: string, visit: (path: string) => Promise<void>): Promise<readonly string[]> {
  const left = ['/']
  const seen = new Set(left)
  const walked: string[] = []
  const kinds = new Set<string>()
  for (let path = left.shift(); path !== undefined && walked.length < mostPages; path = left.shift()) {
    const kind = kindOf(path)
    if (kinds.has(kind)) continue
    kinds.add(kind)
    const answer = await page.goto(origin + path)
    expect([path, answer?.status()]).toEqual([path, 200])
    walked.push(path)
    await visit(path)
    const hrefs = await inWorld<string[]>(page, `[...document.querySelectorAll('a[href]')].map((link) => link.href)`)
    for (const href of hrefs) {
      const url = new URL(href)
      const next = url.pathname + url.search
      if (url.origin !== origin || noPages.test(next) || seen.has(next)) continue
      seen.add(next)
      left.push(next)
    }
  }
  return walked
}

/** `rules`: of axe; undefined for all. */
function faultsOf(page: Page, rules?: readonly string[]): Promise<string[]> {
  const options = rules === undefined ? {} : { runOnly: rules }
  return inWorld(
    page,
    `${axe};axe.run(document, ${JSON.stringify(options)})
      .then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes[0].html))`,
  )
}
