import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { type Browser, chromium } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type HttpListener, listen } from '../../src/app/serving/listen.ts'
import { openAccess } from '../../src/pages/access/open-access.ts'
import { openPages } from '../../src/pages/open-pages.ts'
import { tokens, wholeToken } from './access-harness.ts'
import { openDemoSite } from './demo-site.ts'

/** Debian's package `chromium`; where it is not installed these tests are skipped, and say so. */
const executablePath = '/usr/bin/chromium'
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
/** A folder for pictures, for people who change the form. */
const pictures = process.env.LOGIN_PICTURES

describe.skipIf(!existsSync(executablePath))('the login in Chromium', () => {
  let demo: Awaited<ReturnType<typeof openDemoSite>>
  let browser: Browser
  let serving: HttpListener
  beforeAll(async () => {
    demo = await openDemoSite()
    const access = openAccess({
      settings: { tokens, trustedProxy: undefined },
      now: () => Date.now(),
      watch: { entered: () => {}, slowed: () => {} },
    })
    const onFault = (error: unknown) => {
      throw error
    }
    const pages = openPages({ access, siteOf: () => demo.site, isHostOfPort: () => true, onFault })
    serving = await listen({ host: '127.0.0.1', port: 0 }, pages, '')
    browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] })
  })
  afterAll(async () => {
    await browser?.close()
    await serving?.close()
    await demo?.[Symbol.asyncDispose]()
  })

  it.each([true, false])(
    'leads to the page that was asked for, and ends by its button, script %s',
    async (isScripted) => {
      const context = await browser.newContext({ javaScriptEnabled: isScripted })
      const page = await context.newPage()
      await page.goto(`${serving.url}/violations?severity=high`)
      await page.getByLabel('Token').fill('not-a-real-token-that-is-wrong')
      await page.getByRole('button', { name: 'Log in' }).click()
      expect(await page.getByRole('alert').textContent()).toBe('This token is not known.')
      await page.getByLabel('Token').fill(wholeToken)
      await page.keyboard.press('Enter')
      await page.waitForURL('**/violations?severity=high')
      const [cookie] = await context.cookies()
      expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Strict', path: '/', secure: false })
      expect(cookie?.value).not.toContain(wholeToken)
      await page.goto(`${serving.url}/rules`)
      await page.getByRole('button', { name: 'Log out' }).click()
      await page.waitForURL('**/login')
      expect(await context.cookies()).toEqual([])
      await page.goto(`${serving.url}/rules`)
      expect(new URL(page.url()).pathname).toBe('/login')
      await context.close()
    },
  )

  it.each([
    ['light', 1280],
    ['dark', 400],
  ] as const)('has no fault, %s at %i pixels', async (colorScheme, width) => {
    const page = await browser.newPage({ viewport: { width, height: 700 }, colorScheme })
    await page.goto(`${serving.url}/login?to=/violations`)
    await picture(`form-${colorScheme}`)
    await page.getByLabel('Token').fill('wrong')
    await page.keyboard.press('Enter')
    await page.getByRole('alert').waitFor()
    await picture(`fault-${colorScheme}`)
    await page.evaluate(axe)
    const found = await page.evaluate<{ violations: { id: string }[] }>('axe.run()')
    expect(found.violations.map(({ id }) => id)).toEqual([])
    const wide = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
    expect(await page.evaluate<number>(wide)).toBe(0)
    await page.close()

    async function picture(name: string) {
      if (pictures !== undefined) await page.screenshot({ path: `${pictures}/${name}.png` })
    }
  })
})
