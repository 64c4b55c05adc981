import { cpSync, existsSync, globSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { type Browser, chromium, type Locator, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readOwner } from '../../scripts/release/owner.ts'
import { openDirectory } from '../cli/start-process.ts'
import { checkout } from '../deploy/build-image.ts'
import { inWorld } from '../pages/in-world.ts'
import { buildSite, type FolderServer, serveFolder } from './built-site.ts'

/** The field of the search. The page answers to keys once its scripts have taken over: no event says when. */
async function openSearch(page: Page): Promise<Locator> {
  const field = page.locator('.VPLocalSearchBox input')
  const press = async () => {
    await page.keyboard.press('Control+k')
    return field.isVisible()
  }
  await expect.poll(press, { timeout: 20_000, interval: 250 }).toBe(true)
  return field
}

/** Debian's package `chromium`; where it is not installed these tests are skipped, and say so. */
const executablePath = '/usr/bin/chromium'
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** The pages of the checkout, by the addresses that the site gives them. */
const addresses = globSync(['*.md', 'docs/**/*.md'], { cwd: checkout })
  .map((path) => `/${path.replace(/README\.md$/, '').replace(/\.md$/, '.html')}`)
  .sort()
const rulePages = addresses.filter((address) => address.startsWith('/docs/rules/'))
const mainPages = [
  '/',
  '/docs/',
  '/docs/tutorial.html',
  '/docs/how-to/install.html',
  '/docs/reference/rules.html',
  '/docs/reference/configuration.html',
  '/docs/explanation/secrets.html',
  '/docs/rules/endpoint/timeout-high.html',
]

describe.skipIf(!existsSync(executablePath))('the site in Chromium', () => {
  let browser: Browser
  let site: FolderServer
  const directory = openDirectory()
  beforeAll(async () => {
    const outDir = directory.file('site')
    await buildSite(checkout, outDir)
    site = await serveFolder(outDir)
    browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] })
  }, 600_000)
  afterAll(async () => {
    await browser?.close()
    site?.close()
    directory[Symbol.dispose]()
  })

  it('has every page, at 400 pixels without overflow, and each link and picture of theirs', async () => {
    const page = await browser.newPage({ viewport: { width: 400, height: 900 } })
    const faults = watch(page, site.url)
    const anchors = new Map<string, ReadonlySet<string>>()
    const links = new Map<string, string>()
    for (const path of addresses) {
      expect([path, (await page.goto(site.url + path))?.status()]).toEqual([path, 200])
      const seen = await page.evaluate<Seen>(`({
        title: document.title,
        heading: document.querySelector('h1')?.textContent ?? '',
        wide: document.documentElement.scrollWidth - document.documentElement.clientWidth,
        ids: [...document.querySelectorAll('[id]')].map(({ id }) => id),
        hrefs: [...document.querySelectorAll('a[href]')].map(({ href }) => href),
        pictures: [...document.querySelectorAll('img')].map(({ src, alt }) => ({ src, alt })),
      })`)
      if (seen.heading === '' || !seen.title.endsWith('hookdrift')) faults.push(`${path}: no heading or title`)
      if (seen.wide > 0) faults.push(`${path}: ${seen.wide} pixels too wide`)
      for (const { src, alt } of seen.pictures) {
        if (alt === '') faults.push(`${path}: ${src} has no text`)
        links.set(src, path)
      }
      for (const href of seen.hrefs) links.set(href, path)
      if (path === '/docs/reference/rules.html')
        expect(rulePages.filter((rule) => !seen.hrefs.includes(site.url + rule))).toEqual([])
      anchors.set(path, new Set(seen.ids))
    }
    const ours = [...links].filter(([href]) => new URL(href).origin === site.url)
    expect(ours.length).toBeGreaterThan(addresses.length)
    const answers = new Map<string, Promise<number>>()
    for (const [href, from] of ours) {
      const { origin, pathname, hash } = new URL(href)
      const answer = answers.get(pathname) ?? fetch(origin + pathname).then(({ status }) => status)
      answers.set(pathname, answer)
      if ((await answer) !== 200) faults.push(`${from}: ${href} does not answer`)
      else if (hash !== '' && anchors.get(pathname)?.has(decodeURIComponent(hash.slice(1))) !== true)
        faults.push(`${from}: ${href} has no such heading`)
    }
    expect(faults).toEqual([])
    await page.close()
  })

  it.each([1280, 400])('shows text and navigation without scripts, at %i pixels', async (width) => {
    const context = await browser.newContext({ viewport: { width, height: 900 }, javaScriptEnabled: false })
    const page = await context.newPage()
    const faults = watch(page, site.url)
    for (const path of mainPages) {
      await page.goto(site.url + path)
      expect(await page.locator('main h1').first().isVisible()).toBe(true)
      expect((await page.locator('main').innerText()).length).toBeGreaterThan(300)
      const shown = await inWorld<string[]>(
        page,
        `[...document.querySelectorAll('.VPSidebar a[href]')].filter((link) => link.checkVisibility())
          .map((link) => new URL(link.href).pathname)`,
      )
      const missing = addresses.filter((address) => !shown.includes(address) && !rulePages.includes(address))
      expect(missing).toEqual(['/', '/docs/'])
      const wide = await inWorld<number>(page, 'document.documentElement.scrollWidth - innerWidth')
      if (wide > 0) faults.push(`${path}: ${wide} pixels too wide`)
    }
    expect(faults).toEqual([])
    await context.close()
  })

  it.each(['light', 'dark'] as const)('has no serious fault of accessibility, %s', async (colorScheme) => {
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, colorScheme })
    const page = await context.newPage()
    const faults = watch(page, site.url)
    for (const path of mainPages) {
      await page.goto(site.url + path)
      for (const fault of await seriousFaults(page)) faults.push(`${path}: ${fault}`)
    }
    const isDark = await page.evaluate(`getComputedStyle(document.body).backgroundColor.match(/\\d+/)[0] < 64`)
    expect(isDark).toBe(colorScheme === 'dark')
    expect(faults).toEqual([])
    await context.close()
  })

  it('turns dark and back by its switch', async () => {
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 }, colorScheme: 'light' })
    await page.goto(site.url)
    const isDark = () => page.evaluate<boolean>(`document.documentElement.classList.contains('dark')`)
    const before = await isDark()
    await page.locator('.VPNavBarAppearance button').click()
    expect([before, await isDark()]).toEqual([false, true])
    await page.reload()
    expect(await isDark()).toBe(true)
    await page.close()
  })

  it('finds a rule by a word, and leads to its page by the keyboard', async () => {
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 } })
    const faults = watch(page, site.url)
    await page.goto(`${site.url}/docs/tutorial.html`)
    const field = await openSearch(page)
    await field.fill('replayable')
    const result = page.locator('.VPLocalSearchBox .result').first()
    await result.waitFor()
    // The generator makes its dialog a button, with a field and a list in it.
    const known = ['label-content-name-mismatch', 'nested-interactive']
    expect((await seriousFaults(page)).map((fault) => fault.replace(/,.*/s, ''))).toEqual(known)
    expect(await result.innerText()).toContain('source/verifier-replayable')
    await field.press('Enter')
    await page.waitForURL('**/docs/rules/source/verifier-replayable.html*')
    // The address changes before the text does.
    await page.locator('main h1', { hasText: 'source/verifier-replayable' }).waitFor()
    expect(faults).toEqual([])
    await page.close()
  })

  it('finds each question to the history by its words', async () => {
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 } })
    await page.goto(`${site.url}/docs/tutorial.html`)
    const field = await openSearch(page)
    const text = readFileSync(join(checkout, 'docs/how-to/ask-the-history.md'), 'utf8')
    const questions = [...text.matchAll(/^#{2,3} (.+\?)$/gm)].map(([, question = '']) => question)
    expect(questions.length).toBeGreaterThanOrEqual(10)
    const result = page.locator('.VPLocalSearchBox .result').first()
    for (const question of questions) {
      await field.fill('')
      await result.waitFor({ state: 'detached' })
      await field.fill(question)
      expect(await result.innerText()).toContain('Ask the history')
      expect(await result.innerText()).toContain(question)
    }
    await page.close()
  })

  it.each(['light', 'dark'] as const)('begins with a picture of an audit, %s', async (colorScheme) => {
    const page = await browser.newPage({ viewport: { width: 400, height: 900 }, colorScheme })
    await page.goto(site.url)
    const shown = page.locator('main img:visible')
    expect(await shown.count()).toBe(1)
    expect(await shown.getAttribute('class')).toBe(`in-${colorScheme}`)
    const { y = 900 } = (await shown.boundingBox()) ?? {}
    expect(y).toBeLessThan(600)
    expect(await page.locator('main').innerText()).not.toMatch(/<\w/)
    await page.close()
  })

  it.each([true, false])('says that a page does not exist, and where to go, script %s', async (javaScriptEnabled) => {
    const context = await browser.newContext({ javaScriptEnabled })
    const page = await context.newPage()
    const answer = await page.goto(`${site.url}/docs/nothing/here.html`)
    expect(answer?.status()).toBe(404)
    expect(await page.locator('h1').innerText()).toMatch(/page not found/i)
    const home = page.locator(`a[href="/"]:visible`).last()
    await home.click()
    await page.waitForURL(`${site.url}/`)
    await context.close()
  })
})

describe.skipIf(!existsSync(executablePath))('a site of odd pages', () => {
  const odd = openDirectory()
  const owner = readOwner(checkout)
  let browser: Browser
  beforeAll(async () => {
    for (const folder of ['docs/how-to', 'config', 'release', 'scripts/release'])
      mkdirSync(join(odd.path, folder), { recursive: true })
    cpSync(join(checkout, 'site'), join(odd.path, 'site'), { recursive: true })
    for (const name of ['package.json', 'tsconfig.json', 'scripts/release/owner.ts'])
      cpSync(join(checkout, name), join(odd.path, name))
    symlinkSync(join(checkout, 'node_modules'), join(odd.path, 'node_modules'))
    odd.write('README.md', '# Home\n\n[The documentation](docs/README.md), [a rule](docs/how-to/odd.md#-ab--and)\n')
    odd.write(
      'docs/README.md',
      '# Documentation\n\n## How-to guides: do\n\n| | |\n|---|---|\n| Odd | [odd](how-to/odd.md) |\n',
    )
    odd.write('docs/data.json', '{}')
    odd.write('config/a.json', '{}')
    odd.write('docs/how-to/odd.md', oddPage)
    browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] })
  })
  afterAll(async () => {
    await browser?.close()
    odd[Symbol.dispose]()
  })

  it.each([
    { repository: '', base: '/' },
    { repository: 'https://github.com/acme/hookdrift', base: '/hookdrift/' },
  ])('shows braces, tags and colons as text, below $base', async ({ repository, base }) => {
    odd.write('release/owner.json', JSON.stringify({ ...owner, repository }))
    const outDir = odd.file(`site-${repository.length}`)
    await buildSite(odd.path, outDir, ['--base', base])
    const server = await serveFolder(outDir, base)
    const page = await browser.newPage()
    const faults = watch(page, server.url)
    await page.goto(`${server.url}${base}`)
    await page.locator('main a', { hasText: 'a rule' }).click()
    await page.waitForURL(`${server.url}${base}docs/how-to/odd.html#-ab--and`)
    for (const reload of [false, true]) {
      if (reload) await page.reload()
      await page.locator('.vp-doc h1', { hasText: '<tag>' }).waitFor()
      const text = (await page.locator('.vp-doc').textContent()) ?? ''
      expect(shownTexts.filter((shown) => !text.includes(shown))).toEqual([])
      expect(text).not.toContain('a comment')
      expect(await page.evaluate('window.ran')).toBe(undefined)
      expect(await page.locator('.vp-doc :is(img, script, tag, b, .given, .custom-block)').count()).toBe(0)
    }
    const hrefs = await page
      .locator('.vp-doc p a')
      .evaluateAll((links) => links.map((link) => link.getAttribute('href')))
    const outside = repository === '' ? [] : [`${repository}/blob/HEAD/config/a.json`, `${repository}/tree/HEAD/config`]
    expect(hrefs).toEqual([`${base}docs/data.json`, ...outside])
    const text = await page.locator('.vp-doc').innerText()
    expect(text.includes('a file (config/a.json in the repository), config (in the repository)')).toBe(
      repository === '',
    )
    expect((await page.request.get(`${server.url}${base}docs/data.json`)).status()).toBe(200)
    expect(faults).toEqual([])
    await page.close()
    server.close()
  })

  it('is not built while a link leads nowhere', async () => {
    odd.write('docs/how-to/odd.md', '# Odd\n\n[a page](missing.md)\n')
    await expect(buildSite(odd.path, odd.file('broken'))).rejects.toThrow(
      'docs/how-to/odd.md: the link missing.md leads nowhere',
    )
  })
})

const shownTexts = [
  '{{ a.b }} and <tag>',
  "{{ constructor.constructor('window.ran=1')() }}",
  '<script>window.ran=1</script>',
  '<img src="x" onerror="window.ran=1">',
  '<div onclick="window.ran=1">',
  '{{ in code }}',
  '{.given}',
  '{{ cell }}',
  '::: tip',
  ':smile:',
  '[[toc]]',
  '<<< ./config/a.json',
]
const oddPage = `# {{ a.b }} and <tag>

{{ constructor.constructor('window.ran=1')() }} <script>window.ran=1</script> <img src="x" onerror="window.ran=1">

<div onclick="window.ran=1">

\`{{ in code }}\` \`code\`{.given} :smile:

| a |
|---|
| {{ cell }} |

::: tip
[[toc]]
:::

<<< ./config/a.json

<!-- a comment {{ a.b }} -->

[data](../data.json), [a file](../../config/a.json), [config](../../config/)
`

interface Seen {
  readonly title: string
  readonly heading: string
  readonly wide: number
  readonly ids: readonly string[]
  readonly hrefs: readonly string[]
  readonly pictures: readonly { readonly src: string; readonly alt: string }[]
}

/** Collects console messages, errors, failed answers and requests to other places. */
function watch(page: Page, origin: string): string[] {
  const faults: string[] = []
  page.on('console', (message) => faults.push(`${page.url()}: ${message.text()}`))
  page.on('pageerror', (error) => faults.push(`${page.url()}: ${error.message}`))
  page.on('request', (request) => {
    if (!/^(?:data|blob):/.test(request.url()) && !request.url().startsWith(`${origin}/`))
      faults.push(`a request to ${request.url()}`)
  })
  page.on('response', (response) => {
    if (response.status() >= 400) faults.push(`${page.url()}: ${response.status()} for ${response.url()}`)
  })
  return faults
}

/** What axe calls serious or critical. */
function seriousFaults(page: Page): Promise<readonly string[]> {
  return inWorld(
    page,
    `${axe};axe.run(document)
      .then(({ violations }) => violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')
        .map(({ id, nodes }) => id + ', ' + nodes.length + ' times: ' + nodes[0].html))`,
  )
}
