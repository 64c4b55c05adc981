import { mkdirSync, writeFileSync } from 'node:fs'
import type { Browser } from 'playwright-core'
import { openExistingHistory } from '../../src/app/open-history.ts'
import { createApi } from '../../src/cli/api/create-api.ts'
import { readLocation } from '../../src/history/location.ts'
import { createSite } from '../../src/pages/site.ts'
import { listen } from '../../src/serving/listen.ts'

type Shot = readonly [name: string, path: string, width?: number, scheme?: 'dark']

const shots: readonly Shot[] = [
  ['overview', '/'],
  ['overview-phone', '/', 400],
  ['violations', '/violations'],
  ['resource', '/resources/billing-011-v2'],
  ['resource-dark', '/resources/billing-011-v2', 1280, 'dark'],
  ['project', '/projects/demo/payments'],
  ['run', '/runs/2'],
  ['compare', '/compare'],
  ['rules', '/rules'],
  ['rule', '/rules/endpoint/url-not-https'],
  ['rule-dark', '/rules/endpoint/url-not-https', 1280, 'dark'],
  ['compliance', '/compliance/soc2'],
  ['waivers', '/waivers'],
  ['notifications', '/notifications'],
  ['worker', '/worker'],
  ['worker-phone', '/worker', 400],
]

/** Takes the pictures of the served pages of a history into a folder. */
export async function takePages(browser: Browser, history: string, folder: URL): Promise<void> {
  const opened = await openExistingHistory(readLocation(history, process.cwd()), {})
  const site = createSite({
    api: createApi({ config: 'hookdrift.yaml', history }, { ...process, cwd: () => process.cwd() }, '0.1.0'),
    history: async () => opened,
    ...{ now: () => Date.now(), version: '0.1.0', isMeant: () => true },
    onFault: (error) => {
      throw error
    },
  })
  const serving = await listen({ host: '127.0.0.1', port: 0 }, (request) => site.fetch(request), '')
  mkdirSync(folder, { recursive: true })
  try {
    for (const [name, path, width = 1280, colorScheme = 'light'] of shots) {
      const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme })
      await page.goto(serving.url + path)
      writeFileSync(new URL(`${name}.png`, folder), await page.screenshot())
      await page.close()
    }
  } finally {
    await serving.close()
    await opened.close()
  }
}
