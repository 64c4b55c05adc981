import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'
import { afterAll, assert, beforeAll, describe, expect, it } from 'vitest'
import { type HttpListener, listen } from '../../src/app/serving/listen.ts'
import { updateEndpoint } from '../../src/demo/edits.ts'
import { dayMs } from '../../src/model/time.ts'
import { policyOf } from '../audit/audit-harness.ts'
import { openHistoryFixture } from '../questions/history-fixture.ts'
import { openSiteOver } from './story-site.ts'

/** Debian's package `chromium`; where it is not installed these tests are skipped, and say so. */
const executablePath = '/usr/bin/chromium'
const policy = policyOf('{"extends":["recommended"]}')

/** A fleet with faults of many kinds, of which an endpoint lost its authentication five days and three runs ago. */
async function openLastWeek() {
  const past = await openHistoryFixture({ fleet: { clean: false, projects: 3, endpointsPerProject: 12, seed: 'week' } })
  const { fleet, harness, audit } = past.fixture
  await audit({ policy })
  harness.advance(3 * dayMs)
  const projects = fleet.projects().map(({ uid }) => ({ uid, endpoints: fleet.open(uid).endpoints }))
  const found = projects.flatMap(({ uid: project, endpoints }) =>
    endpoints.flatMap((row) => (row.authentication === null ? [] : [{ project, row }])),
  )[0]
  assert(found, 'the fleet has no endpoint with authentication')
  const { project, row } = found
  updateEndpoint(fleet, { project, uid: row.uid }, { name: row.name, url: row.url, owner_id: row.owner_id })
  for (const days of [0, 2, 3]) {
    harness.advance(days * dayMs)
    await audit({ policy })
  }
  return { ...(await openSiteOver(past)), lost: row }
}

describe.skipIf(!existsSync(executablePath))('someone on call', { timeout: 60_000 }, () => {
  let site: Awaited<ReturnType<typeof openLastWeek>>
  let serving: HttpListener
  let browser: Browser
  beforeAll(async () => {
    site = await openLastWeek()
    serving = await listen({ host: '127.0.0.1', port: 0 }, (request) => site.site.fetch(request), '')
    browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] })
  })
  afterAll(async () => {
    await browser?.close()
    await serving?.close()
    await site?.[Symbol.asyncDispose]()
  })

  it('sees in two clicks which endpoint lost its authentication last week, whose it is and what restores it', async () => {
    const page = await browser.newPage()
    await page.goto(serving.url)
    await page.getByRole('link', { name: 'still open' }).click()
    await page.getByRole('link', { name: 'drift/authentication-lost' }).first().click()
    const { name, owner_id: owner, authentication } = site.lost
    const text = await page.locator('main').innerText()
    expect(text).toContain(`endpoint ${name} `)
    expect(text).toContain(`owner ${owner}`)
    expect(text).toContain('curl --silent --show-error --fail-with-body --request PUT')
    expect(text).toContain(`"type": "${authentication?.type}"`)
  })
})
