import { readFileSync } from 'node:fs'
import { afterEach, describe, expect, it } from 'vitest'
import { approvalsOf } from '../../src/audit/approve-run.ts'
import { findLastRun } from '../../src/history/sql/runs.ts'
import { isJsonObject, type JsonObject } from '../../src/model/json.ts'
import type { Report } from '../../src/model/report.ts'
import { command } from '../cli/run-in-process.ts'
import { project } from '../service/fake-service.ts'
import { type RecordedExchange, readExchanges } from '../service/replay-server.ts'
import { policyOf } from './audit-harness.ts'
import { walkOf } from './fleet-fixture.ts'
import { anEndpoint, anOlderProject, aRow, aSubscription, openLiteral, type Shown } from './literal-service.ts'

const recorded = readExchanges(readFileSync(new URL('../service/recordings/filters.jsonl', import.meta.url), 'utf8'))

let opened: Awaited<ReturnType<typeof openLiteral>> | undefined
afterEach(() => opened?.[Symbol.asyncDispose]())

async function open(shown: Shown) {
  const service = await openLiteral(shown)
  opened = service
  return {
    ...service,
    audit: (turn: Parameters<typeof service.audit>[0] = {}) =>
      service.audit({ listings: { filters: 'auto' }, ...turn }),
  }
}

function dataOf({ response }: RecordedExchange) {
  return JSON.parse(response.body).data
}

/** What the recorded service showed at one time: its subscriptions, their rows, and their endpoints. */
function recordedAt(time: string): Shown {
  const list = recorded.find(({ name }) => name === `${time}: subscriptions`)
  const subscriptions = list === undefined ? [] : dataOf(list).content.map(inProject)
  const rows = recorded.filter(({ name }) => name.startsWith(`${time}: filters of `))
  const filters = Object.fromEntries(
    rows.map((exchange) => [exchange.request.path.split('/').at(-2) ?? '', dataOf(exchange)]),
  )
  const endpoints = subscriptions.map((subscription: JsonObject) => {
    const { endpoint_metadata: stub } = subscription
    return isJsonObject(stub) ? anEndpoint(String(stub.uid), { name: stub.name ?? '' }) : {}
  })
  return { subscriptions, filters, endpoints }
}

function inProject(item: JsonObject): JsonObject {
  return { ...item, project_id: project }
}

function driftOf({ drift }: Report) {
  return drift.flatMap(({ name, fields }) => fields.map(({ path, before, after }) => [name, path, before, after]))
}

/** The rows that the history knows of each subscription, by its uid; without any, they were never read. */
function known({ query }: Awaited<ReturnType<typeof openLiteral>>): Record<string, unknown> {
  const rows = query<{ uid: string; filters: string | null }>(
    "SELECT uid, body -> '$.filters' AS filters FROM current_resource WHERE kind = 'subscription'",
  )
  return Object.fromEntries(rows.map(({ uid, filters }) => [uid, filters === null ? undefined : JSON.parse(filters)]))
}

const plain = { body: {}, headers: {} }

describe('the recorded rows', () => {
  it('change without a trace in the list, and each change is drift of its field alone', async () => {
    const service = await open(recordedAt('as created'))
    const first = await service.audit()
    expect(walkOf(first, 'filters')).toMatchObject({ status: 'complete', items: 4, of: 4, requests: 4 })
    expect(first.drift).toEqual([])
    const steps = [
      ['a row more', [['paid', '/filters/refund.created', null, plain]]],
      ['the subscription says another filter', [['paid', '/filters/refund.created', plain, null]]],
      [
        'a row changed',
        [
          ['paid', '/filters/invoice.paid/body/amount', { $gt: 10 }, null],
          ['paid', '/filters/invoice.paid/headers/x-region', null, 'eu'],
        ],
      ],
      ['an event type less', []],
      ['no row left', [['all', '/filters/*', plain, null]]],
    ] as const
    for (const [time, changes] of steps) {
      service.show(recordedAt(time))
      const report = await service.audit()
      expect([time, driftOf(report)]).toEqual([time, changes])
      expect(walkOf(report, 'filters')).toMatchObject({ status: 'complete', items: 4, of: 4, requests: 4 })
    }
    const all = recordedAt('no row left').subscriptions?.find((one) => isJsonObject(one) && one.name === 'all')
    expect(known(service)[isJsonObject(all) ? String(all.uid) : '']).toEqual({})
  })
})

/** A row of `fleetOf` as the history keeps it. */
const whole = { ...plain, query: {}, path: {}, enabled_at: '2026-11-01T00:00:00Z' }

/** Subscriptions to one endpoint, newest first, each with a row for every event. */
function fleetOf(uids: readonly string[], change: (uid: string) => JsonObject = () => ({})): Shown {
  return {
    endpoints: [anEndpoint('e')],
    subscriptions: uids.map((uid) => aSubscription(uid, 'e', change(uid))),
    filters: Object.fromEntries(uids.map((uid) => [uid, [aRow(uid, '*')]])),
  }
}

/** Whose rows were asked for since the last call, in order. */
function askedOf({ asked }: Awaited<ReturnType<typeof openLiteral>>): string[] {
  return asked.splice(0).flatMap((url) => /subscriptions\/([^/]+)\/filters/.exec(url)?.[1] ?? [])
}

describe('a run that may not read all rows', () => {
  const five = ['s5', 's4', 's3', 's2', 's1']

  it('reads those of subscriptions in their turn, and says how old the oldest are', async () => {
    const service = await open(fleetOf(five))
    const turns: [string[], unknown, unknown][] = []
    for (let run = 1; run <= 4; run++) {
      const report = await service.audit({ filtersPerRun: 2 })
      expect(report.drift).toEqual([])
      const walk = walkOf(report, 'filters')
      expect(walk).toMatchObject({ status: 'complete', items: 2, of: 5 })
      turns.push([
        askedOf(service).sort(),
        walk?.oldest_at,
        Object.values(known(service)).filter((one) => one !== undefined).length,
      ])
    }
    const [first, second, third, fourth] = [1, 2, 3, 4].map((minute) => `2026-11-21T03:0${minute}:00.000Z`)
    expect(turns).toEqual([
      [['s4', 's5'], first, 2],
      [['s2', 's3'], first, 4],
      [['s1', 's5'], first, 5],
      [['s3', 's4'], second, 5],
    ])
    expect([third, fourth]).not.toContain(undefined)
    const { directory: cwd, file } = service.harness
    expect((await command(['coverage', '--history', file], { cwd })).stdout).toMatch(/ filters .* 2 of 5$/m)
  })

  it('reads those of new and of changed subscriptions first', async () => {
    const service = await open(fleetOf(five))
    for (let run = 1; run <= 3; run++) await service.audit({ filtersPerRun: 2 })
    askedOf(service)
    service.show(fleetOf(['s6', ...five], (uid) => (uid === 's1' ? { name: 'renamed' } : {})))
    await service.audit({ filtersPerRun: 2 })
    expect(askedOf(service).sort()).toEqual(['s1', 's6'])
  })

  it('reads those in question for a half, so that the turn of the others comes', async () => {
    const off = (uid: string) => ({ ...aRow(uid, '*'), enabled_at: null })
    const service = await open({
      ...fleetOf(five),
      filters: Object.fromEntries(five.map((uid) => [uid, [off(uid)]])),
    })
    const policy = policyOf('extends: []\nrules: { subscription/filter-off: {} }')
    const asked: string[][] = []
    for (let run = 1; run <= 5; run++) {
      await service.audit({ policy, filtersPerRun: 2 })
      asked.push(askedOf(service).sort())
    }
    expect(asked).toEqual([
      ['s4', 's5'],
      ['s3', 's5'],
      ['s2', 's4'],
      ['s1', 's5'],
      ['s3', 's4'],
    ])
  })

  it('says nothing of the waivers of subscriptions whose turn has not come', async () => {
    const policy = policyOf(`
extends: []
rules: { subscription/filter-off: {}, waiver/unused: {} }
waivers:
  - { rule: subscription/filter-off, match: { uid: s1 }, owner: ann, reason: a test, expires: 2026-12-31 }
`)
    const service = await open({
      ...fleetOf(['s2', 's1']),
      filters: { s2: [aRow('s2', '*')], s1: [{ ...aRow('s1', '*'), enabled_at: null }] },
    })
    const found = async () =>
      (await service.audit({ policy, filtersPerRun: 1 })).violations.map(({ state, rule }) => `${state} ${rule}`)
    expect(await found()).toEqual([])
    expect(await found()).toEqual(['waived subscription/filter-off'])
  })

  it('says nothing of those of changed subscriptions until it could read them', async () => {
    const service = await open(fleetOf(five))
    for (let run = 1; run <= 3; run++) await service.audit({ filtersPerRun: 2 })
    askedOf(service)
    service.show(fleetOf(five, (uid) => (uid < 's4' ? { name: `renamed ${uid}` } : {})))
    const report = await service.audit({ filtersPerRun: 2 })
    expect(askedOf(service).sort()).toEqual(['s2', 's3'])
    expect(driftOf(report).map(([, path]) => path)).toEqual(['/name', '/name', '/name'])
    expect(report.notices.filter(({ code }) => code === 'fields_unseen').map(({ text }) => text)).toEqual([
      expect.stringMatching(/^1 of 5 subscriptions shows no filters .*\(s1\)$/),
    ])
    const next = await service.audit({ filtersPerRun: 2 })
    expect(askedOf(service).sort()).toEqual(['s1', 's4'])
    expect(next.drift).toEqual([])
    expect(next.notices.filter(({ code }) => code === 'fields_unseen')).toEqual([])
  })

  it('takes none for changed because it is known under another installation key', async () => {
    const config = { auth_header: 'x-not-a-real-secret', source_config: { token: 'not-a-real-token-0123456789' } }
    const service = await open(fleetOf(five, () => config))
    for (let run = 1; run <= 3; run++) await service.audit({ filtersPerRun: 2 })
    askedOf(service)
    const report = await service.audit({ filtersPerRun: 2, installationKey: 2 })
    expect(askedOf(service).sort()).toEqual(['s3', 's4'])
    expect(report.notices.map(({ code }) => code)).not.toContain('fields_unseen')
  })

  it('knows no more of those that it could not read because another installation key seals', async () => {
    const uids = ['s3', 's2', 's1']
    const service = await open(fleetOf(uids))
    await service.audit()
    service.show(fleetOf(uids, () => ({ name: 'renamed' })))
    const unread = { filtersPerRun: 1, installationKey: 2 }
    const reports = [
      await service.audit({ filtersPerRun: 1 }),
      await service.audit(unread),
      await service.audit(unread),
    ]
    const noted = reports.map(({ notices }) => notices.find(({ code }) => code === 'fields_unseen')?.text.slice(0, 20))
    expect(noted).toEqual(['2 of 3 subscriptions', '1 of 3 subscriptions', undefined])
  })

  it('takes no row for changed that a version of another installation key had with a seal in a text', async () => {
    const body = { callback: 'https://hooks.example.com/in?token=not-a-real-token-1' }
    const filters = Object.fromEntries(['s2', 's1'].map((uid) => [uid, [{ ...aRow(uid, '*'), body }]]))
    const service = await open({ ...fleetOf(['s2', 's1']), filters })
    for (let run = 1; run <= 2; run++) await service.audit({ filtersPerRun: 1 })
    service.show({ ...fleetOf(['s2', 's1'], () => ({ name: 'renamed' })), filters })
    await service.audit({ filtersPerRun: 1, installationKey: 2 })
    expect(driftOf(await service.audit({ filtersPerRun: 1, installationKey: 2 }))).toEqual([])
  })

  it('reads as many as it may where the list has become short', async () => {
    const named = () => ({ name: 'x' })
    const service = await open(fleetOf(five, named))
    for (let run = 1; run <= 3; run++) await service.audit({ filtersPerRun: 2 })
    askedOf(service)
    service.show({ subscriptions: fleetOf(['s2', 's1'], named).subscriptions ?? [] })
    await service.audit({ filtersPerRun: 2, filters: { subscriptions: { name: 'x' } } })
    expect(askedOf(service).sort()).toEqual(['s1', 's2'])
  })

  it('reads all of them where they are required', async () => {
    const service = await open(fleetOf(five))
    const report = await service.audit({ filtersPerRun: 2, listings: { filters: 'required' } })
    expect(walkOf(report, 'filters')).toMatchObject({ status: 'complete', items: 5, of: 5, requests: 5 })
  })

  it('reads none, and says nothing of them, where they are off', async () => {
    const service = await open(fleetOf(five))
    const report = await service.audit({ listings: { filters: 'off' } })
    expect(report.coverage.map(({ listing }) => listing)).toEqual(['project', 'endpoints', 'sources', 'subscriptions'])
    expect(askedOf(service)).toEqual([])
  })
})

const { enabled_at: _, query: __, path: ___, ...earlierRow } = aRow('s1', '*')
const before: Shown = { project: anOlderProject, filters: { s1: [earlierRow] } }

describe('rows of which a release is the first to show whether they are on', () => {
  it.each([
    ['changed lately', 'drift/flapping: {}, '],
    ['did not change', ''],
  ])('are no drift of a subscription that %s', async (_, more) => {
    const policy = policyOf(`extends: []\nrules: { ${more}drift/filter-removed: {}, subscription/filter-off: {} }`)
    const service = await open({ ...fleetOf(['s1']), ...before })
    await service.audit({ policy })
    if (more !== '') service.show({ subscriptions: fleetOf(['s1'], () => ({ name: 'renamed' })).subscriptions ?? [] })
    await service.audit()
    service.show({ filters: { s1: [{ ...aRow('s1', '*'), enabled_at: null }] } })
    const report = await service.audit()
    expect(report.drift).toEqual([])
    expect(report.violations.map(({ rule, state }) => `${state} ${rule}`)).toEqual(['opened subscription/filter-off'])
  })
})

it('are no difference from an approved state either, of a subscription that changed back', async () => {
  const policy = policyOf('extends: []\nrules: { drift/flapping: {}, drift/filter-removed: {} }')
  const service = await open({ ...fleetOf(['s1']), ...before })
  await service.audit({ policy })
  await service.harness.withHistory(async (history) => {
    const run = await findLastRun(history)
    if (run === undefined) throw new Error('a run was committed')
    await history.approve(await approvalsOf(history, run, () => true, { by: 'eve', at: run.finished_at, note: '' }))
  })
  service.show({ subscriptions: fleetOf(['s1'], () => ({ name: 'renamed' })).subscriptions ?? [] })
  await service.audit()
  service.show({ ...fleetOf(['s1']), filters: { s1: [{ ...aRow('s1', '*'), enabled_at: null }] } })
  expect((await service.audit()).violations).toEqual([])
})

it('are no drift where an answer first says of a row that it is off in a way that could not be read', async () => {
  const policy = policyOf('extends: []\nrules: { drift/filter-removed: {}, subscription/filter-off: {} }')
  const rowThatIs = (enabled_at: number | null) => ({ filters: { s1: [{ ...aRow('s1', '*'), enabled_at }] } })
  const service = await open({ ...fleetOf(['s1']), ...rowThatIs(7) })
  expect((await service.audit({ policy })).violations).toEqual([])
  service.show(rowThatIs(null))
  const report = await service.audit()
  expect(report.violations.map(({ rule, state }) => `${state} ${rule}`)).toEqual(['opened subscription/filter-off'])
})

describe('rows that are off after an earlier run read them', () => {
  const policy = policyOf('extends: []\nrules: { subscription/filter-off: {}, subscription/wildcard: {} }')
  const states = ({ violations }: Report) => violations.map(({ rule, uid, state }) => `${state} ${rule} ${uid}`).sort()

  it('are unknown, and those of subscriptions that came since then are declared', async () => {
    const switchedOff = { ...aRow('s1', 'a'), enabled_at: null }
    const fleet = fleetOf(['s2', 's1'])
    const service = await open({ ...fleet, filters: { s1: [switchedOff], s2: [aRow('s2', '*')] } })
    expect(states(await service.audit({ policy }))).toEqual([
      'opened subscription/filter-off s1',
      'opened subscription/wildcard s2',
    ])
    askedOf(service)
    const everything = {
      filter_config: {
        event_types: ['*'],
        filter: { body: {}, headers: {}, query: {}, path: {}, is_flattened: false },
      },
    }
    service.show({ subscriptions: [aSubscription('s3', 'e', everything), ...(fleet.subscriptions ?? [])] })
    const report = await service.audit({ listings: { filters: 'off' } })
    expect(askedOf(service)).toEqual([])
    expect(walkOf(report, 'filters')).toBe(undefined)
    expect(report.drift.map(({ change, uid }) => [change, uid])).toEqual([['added', 's3']])
    expect(states(report)).toEqual([
      'opened subscription/wildcard s3',
      'unknown subscription/filter-off s1',
      'unknown subscription/wildcard s2',
    ])
    service.show({ filters: { s1: [switchedOff], s2: [aRow('s2', '*')], s3: [aRow('s3', 'a')] } })
    const again = await service.audit()
    expect(states(again)).toEqual([
      'continuing subscription/filter-off s1',
      'continuing subscription/wildcard s2',
      'resolved subscription/wildcard s3',
    ])
  })
})

describe('rows that could not be read', () => {
  const three = ['s3', 's2', 's1']
  const faults: readonly (readonly [string, number | string, string])[] = [
    ['a 500', 500, 'http'],
    ['a 403', 403, 'forbidden'],
    ['a 401', 401, 'refused_key'],
    ['a 429', 429, 'rate_limited'],
    ['a row without a type', '[{"subscription_id":"UID"}]', 'malformed'],
    [
      'two rows of one type',
      '[{"subscription_id":"UID","event_type":"a"},{"subscription_id":"UID","event_type":"a"}]',
      'malformed',
    ],
    ['rows of no subscription', '[{"event_type":"a"}]', 'malformed'],
    ['a type without end', `[{"subscription_id":"UID","event_type":"${'x'.repeat(1_001)}"}]`, 'malformed'],
    ['half a character', '[{"subscription_id":"UID","event_type":"\\ud83d"}]', 'malformed'],
    [
      'too many rows',
      JSON.stringify(Array.from({ length: 1_001 }, (_, at) => ({ subscription_id: 'UID', event_type: `t${at}` }))),
      'malformed',
    ],
    ['no list', 'null', 'malformed'],
    ['an object', '{}', 'malformed'],
    ['a list of texts', '["a"]', 'malformed'],
  ]

  // Behind the first subscription, rows were read already: any fault leaves the walk partial.
  for (const [uid, some] of [
    ['s3', faults],
    ['s1', faults.slice(0, 2)],
  ] as const) {
    it.each(some)(`of ${uid}: %s removes nothing, and coverage says so`, async (_, answer, cause) => {
      const service = await open(fleetOf(three))
      await service.audit()
      const fleet = fleetOf(three)
      const rows = typeof answer === 'string' ? answer.replaceAll('UID', uid) : answer
      service.show({ filters: { ...fleet.filters, [uid]: rows } })
      const report = await service.audit()
      expect(report.drift).toEqual([])
      expect(known(service)[uid]).toEqual({ '*': whole })
      const walk = walkOf(report, 'filters')
      const isFinal = cause === 'forbidden' || cause === 'refused_key'
      expect(walk).toMatchObject({ status: isFinal && uid === 's3' ? 'failed' : 'partial', cause, of: 3 })
      expect(walk?.items).toBeLessThan(3)
      expect(report.verdict.exit_code).toBe(3)
      expect(report.notices.filter(({ code }) => code === 'fields_unseen')).toHaveLength(1)
      service.show(fleet)
      const after = await service.audit()
      expect(after.drift).toEqual([])
      expect(walkOf(after, 'filters')).toMatchObject({ status: 'complete', items: 3 })
    })
  }

  it('leave a subscription unknown that the service denies to have, where it has others', async () => {
    const service = await open(fleetOf(three))
    await service.audit()
    service.show({ filters: { ...fleetOf(three).filters, s3: 404 } })
    const report = await service.audit()
    expect(walkOf(report, 'filters')).toMatchObject({ status: 'partial', cause: 'not_found', items: 2, of: 3 })
    expect(report.drift).toEqual([])
  })

  it('of another subscription spoil the project, as a foreign item of a page does', async () => {
    const service = await open(fleetOf(three))
    await service.audit()
    service.show({ filters: { ...fleetOf(three).filters, s2: [aRow('s1', '*')] } })
    const report = await service.audit()
    expect(report.coverage.map(({ status, cause }) => [status, cause])).toEqual(
      Array.from({ length: 5 }, () => ['failed', 'foreign']),
    )
    // What this run read is not kept, so the rows that are known are those of the run before.
    expect(walkOf(report, 'filters')).toMatchObject({ items: 0, oldest_at: '2026-11-21T03:01:00.000Z' })
    expect(known(service).s2).toEqual({ '*': whole })
  })

  it('are asked for no longer once several could not be read', async () => {
    const uids = Array.from({ length: 40 }, (_, at) => `s${at}`)
    const service = await open(fleetOf(uids))
    await service.audit()
    askedOf(service)
    service.show({ filters: Object.fromEntries(uids.map((uid) => [uid, 'null'])) })
    const report = await service.audit()
    expect(new Set(askedOf(service)).size).toBeLessThan(15)
    expect(walkOf(report, 'filters')).toMatchObject({ status: 'failed', cause: 'malformed', items: 0, of: 40 })
    expect(report.coverage.find(({ listing }) => listing === 'subscriptions')?.status).toBe('complete')
  })
})

describe('a service without rows', () => {
  it('is asked once, and nothing is unknown', async () => {
    const { filters: _, ...fleet } = fleetOf(['s3', 's2', 's1'])
    const service = await open(fleet)
    const report = await service.audit()
    expect(walkOf(report, 'filters')).toMatchObject({
      status: 'skipped',
      cause: 'not_offered',
      items: 0,
      of: 3,
      requests: 1,
    })
    expect(report.verdict.exit_code).toBe(0)
    expect(report.notices).toEqual([])
    expect(known(service)).toEqual({ s1: undefined, s2: undefined, s3: undefined })
  })

  it('fails where they are required', async () => {
    const { filters: _, ...fleet } = fleetOf(['s2', 's1'])
    const service = await open(fleet)
    const report = await service.audit({ listings: { filters: 'required' } })
    expect(walkOf(report, 'filters')).toMatchObject({ status: 'failed', cause: 'not_offered' })
    expect(report.verdict.exit_code).toBe(3)
  })

  it.each([[['s1']], [['s2', 's1']]])('that answers 404 with an envelope is taken for one: %j', async (uids) => {
    const service = await open({ ...fleetOf(uids), filters: {} })
    const report = await service.audit()
    expect(walkOf(report, 'filters')).toMatchObject({ status: 'skipped', requests: uids.length })
    expect(report.verdict.exit_code).toBe(0)
  })

  it('that had some keeps what is known, and rules say nothing of it', async () => {
    const service = await open(fleetOf(['s2', 's1']))
    await service.audit()
    service.withdraw('filters')
    const report = await service.audit()
    expect(walkOf(report, 'filters')).toMatchObject({ status: 'skipped', items: 0, of: 2 })
    expect(report.verdict.exit_code).toBe(0)
    expect(report.drift).toEqual([])
    expect(known(service)).toEqual({ s1: { '*': whole }, s2: { '*': whole } })
    expect(report.notices.filter(({ code }) => code === 'fields_unseen')).toHaveLength(1)
  })

  it('that begins to show them makes no drift of it', async () => {
    const { filters: _, ...fleet } = fleetOf(['s2', 's1'])
    const service = await open(fleet)
    await service.audit()
    service.show(fleetOf(['s2', 's1']))
    const report = await service.audit()
    expect(report.drift).toEqual([])
    expect(known(service)).toEqual({ s1: { '*': whole }, s2: { '*': whole } })
  })
})
