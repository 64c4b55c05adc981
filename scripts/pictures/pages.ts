import { mkdirSync, writeFileSync } from 'node:fs'
import type { Browser, Page } from 'playwright-core'
import { openExistingHistory } from '../../src/app/open-history.ts'
import { listen } from '../../src/app/serving/listen.ts'
import { createApi } from '../../src/cli/api/create-api.ts'
import { readLocation } from '../../src/history/location.ts'
import { noPlan } from '../../src/pages/page.ts'
import { createSite } from '../../src/pages/site.ts'
import { playMonths } from './months.ts'

const nightly = {
  name: 'nightly',
  cron: '30 3 * * *',
  timezone: 'Europe/Berlin',
  projects: [],
  jitterMs: 0,
  runTimeoutMs: 3_600_000,
}

const configured = {
  expected: { named: [], isDiscovered: () => true },
  channels: [],
  schedules: [{ ...nightly, name: 'hourly', cron: '0 * * * *', projects: ['acme/payments'] }, nightly],
}

interface Shot {
  readonly name: string
  /** Of a page. Where it has parameters, the first link that fits on `linkedOn` is followed. */
  readonly path: string
  readonly linkedOn?: string
}

/** Those that the documentation shows. */
const shots: readonly Shot[] = [
  { name: 'overview', path: '/' },
  { name: 'violations', path: '/violations' },
  { name: 'resource', path: '/resources/:uid', linkedOn: '/' },
  { name: 'project', path: '/projects/:service/:project', linkedOn: '/' },
  { name: 'run', path: '/runs/:number', linkedOn: '/runs' },
  { name: 'framework', path: '/compliance/:framework', linkedOn: '/compliance' },
  { name: 'worker', path: '/worker' },
]

/** Takes the pictures of served pages of three months into a folder. */
export async function takePages(browser: Browser, folder: URL): Promise<void> {
  await using months = await playMonths()
  const { file: history } = months.fixture.harness
  const opened = await openExistingHistory(readLocation(history, process.cwd()), {})
  const site = createSite({
    api: createApi({ config: 'hookdrift.yaml', history }, { ...process, cwd: () => process.cwd() }, '0.1.0'),
    history: async () => opened,
    plan: { ...noPlan, configured: async () => configured },
    now: () => Date.now(),
    version: '0.1.0',
    isHostOfPort: () => true,
    onFault: (error) => {
      throw error
    },
  })
  const serving = await listen({ host: '127.0.0.1', port: 0 }, (request) => site.fetch(request), '')
  mkdirSync(folder, { recursive: true })
  try {
    for (const shot of shots) {
      const url = await findAddress(browser, serving.url, shot)
      const page = await browser.newPage({ viewport: { width: 1120, height: 800 } })
      await open(page, url)
      writeFileSync(new URL(`${shot.name}.png`, folder), await page.screenshot({ scale: 'css' }))
      await page.close()
    }
  } finally {
    await serving.close()
    await opened.close()
  }
}

async function findAddress(browser: Browser, origin: string, { path, linkedOn }: Shot): Promise<string> {
  if (linkedOn === undefined) return origin + path
  const page = await browser.newPage()
  await open(page, origin + linkedOn)
  const hrefs = await page.evaluate<string[]>(`[...document.querySelectorAll('main a[href]')].map((link) => link.href)`)
  await page.close()
  const parts = path.split('/').length
  const beginning = origin + path.replace(/:.*/, '')
  const found = hrefs.find((href) => href.startsWith(beginning) && new URL(href).pathname.split('/').length === parts)
  if (found === undefined) throw new Error(`${linkedOn} has no link to ${path}`)
  return found
}

async function open(page: Page, url: string): Promise<void> {
  const answer = await page.goto(url)
  if (answer?.ok() !== true) throw new Error(`${url} answers ${answer?.status()}`)
}
