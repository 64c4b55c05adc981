import { describe, expect, it } from 'vitest'
import { changeData, changeEndpoint, createEndpoint, deleteEndpoint, replaceSecret } from '../../src/demo/edits.ts'
import type { EndpointRow } from '../../src/demo/rows.ts'
import type { History } from '../../src/history/history.ts'
import { openSqliteHistory } from '../../src/history/sqlite/sqlite-history.ts'
import { at, openSite, type Site, type SiteOptions, violationLines } from './a-site.ts'
import { policyOf } from './stand.ts'

const judged = policyOf(`
extends: []
rules:
  drift/rate-limit-lost: {}
  drift/secret-changed: {}
  drift/unexpected: {}
  drift/url-host-changed: {}
`)
const flaps = policyOf('extends: []\nrules: { drift/flapping: {} }')

async function site(options: SiteOptions = {}) {
  const here = await openSite({ fleet: { endpointsPerProject: 4 }, ...options })
  changeData(here.fleet, here.uidOf('payments'), (data) => ({ ...data, subscriptions: [] }))
  return here
}

function place(here: Site, index = 0) {
  return { project: here.uidOf('payments'), uid: at(here.dataOf('payments').endpoints, index).uid }
}

function setRow(here: Site, change: Partial<EndpointRow>, index = 0): void {
  changeEndpoint(here.fleet, place(here, index), (row) => ({ ...row, ...change }))
}

async function withHistory<Result>(here: Site, work: (history: History) => Promise<Result>): Promise<Result> {
  const history = openSqliteHistory(here.stand.file, here.stand.owner)
  try {
    return await work(history)
  } finally {
    await history.close()
  }
}

/** A person approves the last run. */
function approve(here: Site): Promise<void> {
  return withHistory(here, async (history) => {
    const run = (await history.runs()).at(-1)?.number ?? 0
    const [look] = await history.latestScans(run)
    if (look === undefined) throw new Error('nothing was looked at')
    const { project } = look
    const signed = { by: 'ops', at: '2026-11-21T04:00:00.000Z', note: '' }
    await history.approve([{ project, scopes: await history.completeScansAt(project, run), ...signed, state: { run } }])
  })
}

const audit = (here: Site) => here.audit({ policy: judged })
const lines = async (here: Site, policy = judged) =>
  violationLines(await here.audit({ policy })).map((line) => line.replace(/ \w+$/, ''))

describe('drift rules without an approved baseline', () => {
  it('compare with the last complete look, so that a change stands for one run', async () => {
    await using here = await site()
    await audit(here)
    setRow(here, { url: 'https://elsewhere.example.com/in' })
    expect(await lines(here)).toEqual(['opened drift/url-host-changed'])
    expect(await lines(here)).toEqual(['resolved drift/url-host-changed'])
    expect(await lines(here)).toEqual([])
  })

  it('are unknown where the next look broke off', async () => {
    await using here = await site({ stand: { pageSize: 2, limits: { retries: 0 } } })
    await audit(here)
    setRow(here, { url: 'https://elsewhere.example.com/in' }, 3)
    await audit(here)
    here.service.failNext({ path: /\/endpoints/, page: 2, how: 'reset' })
    expect(await lines(here)).toEqual(['unknown drift/url-host-changed'])
    expect(await lines(here)).toEqual(['resolved drift/url-host-changed'])
  })
})

describe('drift rules with an approved baseline', () => {
  it('stand until what differs is put back or the baseline moves', async () => {
    await using here = await site()
    const { url } = at(here.dataOf('payments').endpoints, 0)
    await audit(here)
    await approve(here)
    setRow(here, { url: 'https://elsewhere.example.com/in' })
    expect(await lines(here)).toEqual(['opened drift/unexpected', 'opened drift/url-host-changed'])
    expect(await lines(here)).toEqual(['continuing drift/unexpected', 'continuing drift/url-host-changed'])
    setRow(here, { url })
    expect(await lines(here)).toEqual(['resolved drift/unexpected', 'resolved drift/url-host-changed'])
    setRow(here, { url: 'https://elsewhere.example.com/in' })
    await audit(here)
    await approve(here)
    expect(await lines(here)).toEqual(['resolved drift/unexpected', 'resolved drift/url-host-changed'])
  })

  it('find what came and what went, for as long as it is so', async () => {
    await using here = await site()
    await audit(here)
    await approve(here)
    const gone = at(here.dataOf('payments').endpoints, 0)
    deleteEndpoint(here.fleet, place(here))
    const came = createEndpoint(here.fleet, here.uidOf('payments'), { name: 'new', url: 'https://new.example.com' })
    const report = await audit(here)
    expect(report.violations.map(({ uid, message }) => [uid, message]).sort()).toEqual(
      [
        [came, 'is not in the approved baseline'],
        [gone.uid, 'is in the approved baseline, and gone'],
      ].sort(),
    )
    expect(report.violations.find(({ uid }) => uid === gone.uid)?.name).toBe(gone.name)
    expect(await lines(here)).toEqual(['continuing drift/unexpected', 'continuing drift/unexpected'])
    changeData(here.fleet, here.uidOf('payments'), (data) => ({ ...data, endpoints: [...data.endpoints, gone] }))
    expect(await lines(here)).toEqual(['continuing drift/unexpected', 'resolved drift/unexpected'])
  })

  it('call nothing gone that a broken walk did not show', async () => {
    await using here = await site({ stand: { pageSize: 2, limits: { retries: 0 } } })
    await audit(here)
    await approve(here)
    deleteEndpoint(here.fleet, place(here, 3))
    here.service.failNext({ path: /\/endpoints/, page: 2, how: 'reset' })
    expect(await lines(here)).toEqual([])
    expect(await lines(here)).toEqual(['opened drift/unexpected'])
    here.service.failNext({ path: /\/endpoints/, page: 2, how: 'reset' })
    expect(await lines(here)).toEqual(['unknown drift/unexpected'])
    expect(await lines(here)).toEqual(['continuing drift/unexpected'])
  })

  it('leave alone what the filters hide', async () => {
    await using here = await site()
    await audit(here)
    await approve(here)
    const { name } = at(here.dataOf('payments').endpoints, 0)
    const narrowed = await here.audit({ policy: judged, filters: { endpoints: { name } } })
    expect(narrowed.violations).toEqual([])
  })

  it('compare no seals of another installation key', async () => {
    await using here = await site()
    await audit(here)
    await approve(here)
    expect(violationLines(await here.audit({ policy: judged, installationKey: 2 }))).toEqual([])
    replaceSecret(here.fleet, place(here))
    const found = violationLines(await here.audit({ policy: judged, installationKey: 2 }))
    // The secrets have other uids: which came and which went can be seen without comparing any.
    expect(new Set(found.map((line) => line.replace(/ \w+$/, '')))).toEqual(
      new Set(['opened drift/secret-changed', 'opened drift/unexpected']),
    )
  })

  it('can be waived, also about what is gone', async () => {
    await using here = await site()
    await audit(here)
    await approve(here)
    setRow(here, { rate_limit: 1 }, 1)
    deleteEndpoint(here.fleet, place(here))
    const waived = policyOf(`
extends: []
rules: { drift/unexpected: {} }
waivers: [{ rule: drift/unexpected, match: { kind: endpoint }, owner: us, reason: until the move, expires: 2026-12-31 }]`)
    expect(await lines(here, waived)).toEqual(['waived drift/unexpected', 'waived drift/unexpected'])
    expect(await lines(here, waived)).toEqual(['waived drift/unexpected', 'waived drift/unexpected'])
  })

  it('compare with the last complete look again when the approval is revoked', async () => {
    await using here = await site()
    await audit(here)
    await approve(here)
    setRow(here, { rate_limit: 0, rate_limit_duration: 0 })
    await audit(here)
    await withHistory(here, (history) => history.revoke([1], { by: 'ops', at: '2026-11-21T05:00:00.000Z' }))
    expect(new Set(await lines(here))).toEqual(new Set(['resolved drift/rate-limit-lost', 'resolved drift/unexpected']))
    expect(await lines(here)).toEqual([])
  })
})

describe('a field that flaps', () => {
  it('is found from the third change on, and no more a day after the first', async () => {
    await using here = await site()
    await audit(here)
    const found: string[][] = []
    for (const status of ['paused', 'active', 'paused', 'paused']) {
      setRow(here, { status })
      found.push(await lines(here, flaps))
    }
    expect(found).toEqual([[], [], ['opened drift/flapping'], ['continuing drift/flapping']])
    here.stand.advance(24 * 3_600_000)
    expect(await lines(here, flaps)).toEqual(['resolved drift/flapping'])
  })

  it('does not flap because one change of it is told by every look until a walk is complete', async () => {
    await using here = await site({ stand: { pageSize: 2 } })
    await audit(here)
    setRow(here, { status: 'paused' })
    here.service.failNext({ how: 'status', status: 403, path: /\/endpoints/, page: 2, times: 4 })
    const told: number[] = []
    for (let runs = 0; runs < 4; runs++) {
      // Something else changes every time, so that what is known of it does, too.
      setRow(here, { http_timeout: 20 + runs })
      const report = await here.audit({ policy: flaps })
      told.push(report.drift.flatMap(({ fields }) => fields).filter(({ path }) => path === '/status').length)
      const flapping = violationLines(report).filter((line) => line.includes('/status'))
      expect(flapping).toEqual([])
    }
    expect(told).toEqual([1, 1, 1, 1])
    expect(await lines(here, flaps)).toEqual(['continuing drift/flapping'])
  })
})
