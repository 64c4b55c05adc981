import { existsSync } from 'node:fs'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type HttpListener, listen } from '../../src/app/serving/listen.ts'
import { pagesOfPdf } from '../report/pages-of-pdf.ts'
import { openDemoSite } from './demo-site.ts'

/** Debian's package `chromium`; where it is not installed these tests are skipped, and say so. */
const executablePath = '/usr/bin/chromium'

describe.skipIf(!existsSync(executablePath))('the layout of the pages', () => {
  let site: Awaited<ReturnType<typeof openDemoSite>>
  let browser: Browser
  let serving: HttpListener
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
    measure: (page: Page) => Promise<Result>,
  ) {
    const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme })
    await page.goto(serving.url + path)
    const seen = await measure(page)
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
      page.evaluate<string[]>(`[...document.querySelectorAll('.cards td:not(.n)')].flatMap((td) => {
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

  /** 12.8 px is for chips only. */
  const scale = ['12.8px', '14px', '16px', '20px', '25px', '31px']

  it.each([
    ['/', 1280],
    ['/', 400],
    ['/violations', 1280],
    ['/runs/2', 1280],
    ['/rules/endpoint/url-not-https', 1280],
    ['/compliance/soc2', 1280],
    ['/worker', 400],
  ])('have no type size but those of the scale: %s at %i pixels', async (path, width) => {
    const others = await visit(path, { width }, (page) =>
      page.evaluate<string[]>(`[...document.querySelectorAll('body *')].flatMap((element) => {
        const size = getComputedStyle(element).fontSize
        const isOnScale = ${JSON.stringify(scale)}.includes(size) && (size !== '12.8px' || element.matches('.chip'))
        return isOnScale ? [] : [size + ' ' + element.outerHTML.slice(0, 80)]
      })`),
    )
    expect(others).toEqual([])
  })

  it.each(['light', 'dark'] as const)('have placeholders and fields that can be seen, %s', async (colorScheme) => {
    const fields = await visit('/violations', { colorScheme }, (page) =>
      page.evaluate<{ text: string; border: string; inside: string; outside: string }[]>(
        `[...document.querySelectorAll('input[placeholder], select')].map((field) => {
          const style = getComputedStyle(field)
          const ground = (element) => {
            const colour = getComputedStyle(element).backgroundColor
            return colour === 'rgba(0, 0, 0, 0)' ? ground(element.parentElement) : colour
          }
          return {
            text: getComputedStyle(field, '::placeholder').color,
            border: style.borderTopColor,
            inside: ground(field),
            outside: ground(field.parentElement),
          }
        })`,
      ),
    )
    expect(fields.length).toBeGreaterThan(5)
    for (const { text, border, inside, outside } of fields) {
      expect(contrastOf(text, inside)).toBeGreaterThanOrEqual(4.5)
      expect(contrastOf(border, outside)).toBeGreaterThanOrEqual(3)
      expect(contrastOf(border, inside)).toBeGreaterThanOrEqual(3)
    }
  })

  it.each([
    ['/', /^Overview, as of run 2, [-\d]+ [:\d]+ UTC/],
    ['/violations?run=1', /^Violations, as of run 1, /],
    ['/runs/2', /^Run 2, /],
    ['/compliance/soc2?from=7d', /^SOC 2, trust services criteria, [-\d]+ [:\d]+ UTC to [-\d]+ [:\d]+ UTC, run 2/],
  ])('say on every printed page what they are, and print nothing to click: %s', async (path, title) => {
    const pages = await visit(path, {}, async (page) => pagesOfPdf(await page.pdf({ preferCSSPageSize: true })))
    expect(pages.filter((text) => !title.test(text))).toEqual([])
    for (const text of [
      'ago)',
      'As of run 2, ',
      'Filter these rows',
      'Report the period',
      'The same on the command line',
      'the last run',
      'Menu',
    ]) {
      expect([text, pages.filter((page) => page.includes(text))]).toEqual([text, []])
    }
    // More than the head and the number of the page.
    expect(pages.at(-1)?.length).toBeGreaterThan(200)
  })
})

/** By WCAG 2, of two colours such as `rgb(84, 91, 102)`. */
function contrastOf(one: string, other: string) {
  const [light = 0, dark = 0] = [luminanceOf(one), luminanceOf(other)].sort((a, b) => b - a)
  return (light + 0.05) / (dark + 0.05)
}

function luminanceOf(colour: string) {
  const [red = 0, green = 0, blue = 0] = (colour.match(/\d+/g) ?? []).map((part) => {
    const share = Number(part) / 255
    return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
