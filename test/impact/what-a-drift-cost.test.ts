import { describe, expect, it } from 'vitest'
import {
  changeEndpoint,
  deleteEndpoint,
  deleteSubscription,
  setEndpointStatus,
  updateEndpoint,
  updateSource,
  updateSubscription,
} from '../../src/demo/edits.ts'
import { createFilter, deleteFilter, updateFilter } from '../../src/demo/filter-request.ts'
import { filterRowsOf } from '../../src/demo/rows.ts'
import type { Way } from '../demo/traffic-world.ts'
import { type ImpactWorld, openImpactWorld } from './impact-world.ts'

const billing = ({ outgoing: project, endpoints }: ImpactWorld) => ({ project, uid: endpoints.billing ?? '' })
const subscription = ({ outgoing: project, subscriptions }: ImpactWorld) => ({
  project,
  uid: subscriptions.billing ?? '',
})
const source = ({ incoming: project, source: { uid } }: ImpactWorld) => ({ project, uid })
const rowOf = (world: ImpactWorld) => {
  const row = world.service.fleet.open(world.outgoing).endpoints.find(({ uid }) => uid === world.endpoints.billing)
  if (row === undefined) throw new Error('no endpoint')
  return row
}

interface Change {
  /** Returns what takes it back. */
  readonly change: (world: ImpactWorld) => () => void
  readonly target?: (world: ImpactWorld) => string
  readonly way?: (world: ImpactWorld) => Way
  readonly world?: Parameters<typeof openImpactWorld>[1]
}

const status = (text: string) => (world: ImpactWorld) => {
  setEndpointStatus(world.service.fleet, billing(world), text)
  return () => setEndpointStatus(world.service.fleet, billing(world), 'active')
}
const edited = (edit: (world: ImpactWorld) => void) => (world: ImpactWorld) => {
  const before = rowOf(world)
  edit(world)
  return () => changeEndpoint(world.service.fleet, billing(world), () => before)
}
const filters = (edit: (world: ImpactWorld) => void) => (world: ImpactWorld) => {
  const { fleet } = world.service
  const rows = () =>
    fleet
      .open(world.outgoing)
      .subscriptions.flatMap((row) => (row.uid === world.subscriptions.billing ? filterRowsOf(row) : []))
  const before = rows()
  edit(world)
  return () => {
    for (const { uid } of rows()) deleteFilter(fleet, subscription(world), uid)
    for (const { event_type, body, headers } of before)
      createFilter(fleet, subscription(world), { event_type, body, headers })
  }
}
const toBilling = ({ endpoints: { billing = '' } }: ImpactWorld): Way => ({ to: 'endpoint', endpoint: billing })
const toAll = (): Way => ({ to: 'all' })
const bySource = ({ source: { mask } }: ImpactWorld): Way => ({ to: 'source', mask })

const withoutKey: Change['change'] = edited((world) => {
  const { name, url } = rowOf(world)
  updateEndpoint(world.service.fleet, billing(world), { name, url })
})
const moved: Change['change'] = edited((world) =>
  changeEndpoint(world.service.fleet, billing(world), (row) => ({
    ...row,
    url: row.url.replace('/billing', '/moved'),
  })),
)
const narrowed: Change['change'] = filters((world) => {
  const { fleet } = world.service
  for (const row of fleet.open(world.outgoing).subscriptions)
    if (row.uid === world.subscriptions.billing)
      for (const { uid } of filterRowsOf(row)) deleteFilter(fleet, subscription(world), uid)
  createFilter(fleet, subscription(world), { event_type: 'order.voided' })
})
const conditional: Change['change'] = filters((world) => {
  const { fleet } = world.service
  for (const row of fleet.open(world.outgoing).subscriptions)
    if (row.uid === world.subscriptions.billing)
      for (const { uid } of filterRowsOf(row))
        updateFilter(fleet, subscription(world), uid, { body: { n: { $gt: 100 } } })
})
const retyped: Change['change'] = (world) => {
  const filter = { is_flattened: true, headers: {}, body: {} }
  const subscribe = (type: string) =>
    updateSubscription(world.service.fleet, subscription(world), { filter_config: { event_types: [type], filter } })
  subscribe('order.voided')
  return () => subscribe('order.paid')
}
const switchedOff: Change['change'] = (world) => {
  updateSource(world.service.fleet, source(world), { is_disabled: true })
  return () => updateSource(world.service.fleet, source(world), { is_disabled: false })
}
const verifierChanged: Change['change'] = (world) => {
  const verifier = { type: 'api_key', api_key: { header_name: 'X-Sender', header_value: 'not-a-real-key-2' } }
  updateSource(world.service.fleet, source(world), { verifier: { hmac: null, basic_auth: null, ...verifier } })
  return () => {}
}
const unsubscribed: Change['change'] = (world) => {
  deleteSubscription(world.service.fleet, subscription(world))
  return () => {}
}
const deleted: Change['change'] = (world) => {
  deleteEndpoint(world.service.fleet, billing(world))
  return () => {}
}

/** Three events during a drift, one before, and one after. */
async function live(world: ImpactWorld, { change, way = toBilling }: Change, isPutBack: boolean) {
  const sent: Way = way(world)
  await world.audit()
  await world.send(sent, { n: 1 })
  world.pass(30)
  const putBack = change(world)
  // What a broadcast knows of subscriptions is some seconds old.
  world.pass(30)
  for (const n of [2, 3, 4]) await world.send(sent, { n })
  world.pass(300)
  await world.audit()
  if (!isPutBack) return
  putBack()
  world.pass(30)
  await world.send(sent, { n: 5 })
  world.pass(30)
  await world.audit()
}

const none = { Scheduled: 0, Processing: 0, Discarded: 0, Failure: 0, Success: 0, Retry: 0 }
const unknown = { Scheduled: null, Processing: null, Discarded: null, Failure: null, Success: null, Retry: null }

/** Each drift, once it is put back. Afterwards the printed requests are sent, and everything has arrived once. */
const putBack: readonly (readonly [drift: string, change: Change, deliveries: object, undelivered: number | null])[] = [
  ['an endpoint is paused', { change: status('paused') }, { Discarded: 3, Success: 2 }, 0],
  ['an endpoint is inactive', { change: status('inactive') }, { Discarded: 3, Success: 2 }, 0],
  ['a URL is moved', { change: moved }, { Failure: 3, Success: 2 }, 0],
  ['authentication is lost', { change: withoutKey }, { Failure: 3, Success: 2 }, 0],
  [
    'the row of the type is deleted',
    { change: narrowed, target: ({ subscriptions }) => subscriptions.billing ?? '' },
    { Success: 2 },
    3,
  ],
  [
    'a filter gets a condition',
    { change: conditional, target: ({ subscriptions }) => subscriptions.billing ?? '' },
    { Success: 2 },
    3,
  ],
  [
    'a source is switched off',
    { change: switchedOff, target: ({ source: { uid } }) => uid, way: bySource },
    { Success: 5 },
    0,
  ],
]

const taken = (world: ImpactWorld) => world.received.flatMap(({ n }) => (n === 0 ? [] : n)).sort((a, b) => a - b)

describe('what a drift cost, once it is put back', () => {
  it.each(putBack)('%s', async (_, drift, deliveries, undelivered) => {
    await using world = await openImpactWorld()
    await live(world, drift, true)
    const { rows, exitCode } = await world.impact((drift.target ?? ((one) => billing(one).uid))(world))
    expect(rows).toHaveLength(1)
    expect(rows[0]).toMatchObject({ deliveries: { ...none, ...deliveries }, undelivered })
    expect(exitCode).toBe(0)
    expect(world.asked.filter((line) => !line.startsWith('GET '))).toEqual([])
    await world.sendAll(rows)
    expect(taken(world)).toEqual([1, 2, 3, 4, 5])
    // What arrived is not asked for again.
    const again = await world.impact((drift.target ?? ((one) => billing(one).uid))(world))
    expect(again.rows.map(({ retry, replay }) => ({ retry, replay }))).toEqual([{ retry: null, replay: null }])
  })
})

/** Each drift while it lasts. `first`, `retry`, `replay`: how many of them are printed. */
const lasting: readonly (readonly [drift: string, change: Change, expected: object, said: RegExp])[] = [
  [
    'an endpoint is paused',
    { change: status('paused') },
    { deliveries: { ...none, Discarded: 3, Success: 1 }, undelivered: 0, retry: { count: 3 }, replay: null, first: [] },
    /a retry delivers all the same/,
  ],
  [
    'an endpoint is inactive',
    { change: status('inactive') },
    { retry: { count: 3 }, replay: null },
    /activate it first/,
  ],
  ['a URL is moved', { change: moved }, { retry: null, replay: null }, /\/url is not put back.*hookdrift restore/],
  ['authentication is lost', { change: withoutKey }, { retry: null, replay: null }, /not put back.*hookdrift restore/],
  [
    'what a receiver refuses is still tried',
    { change: moved, world: { config: { strategy: { type: 'linear', duration: 1000, retry_count: 5 } } } },
    { deliveries: { ...none, Retry: 3, Success: 1 }, retry: null, replay: null },
    /3 deliveries are still tried/,
  ],
  [
    'the row of the type is deleted',
    { change: narrowed, target: ({ subscriptions }) => subscriptions.billing ?? '' },
    { undelivered: 3, retry: null, replay: null },
    /3 events for which no subscription leads to it now.*hookdrift restore/,
  ],
  [
    'a broadcast that the subscription would have matched',
    { change: retyped, target: ({ subscriptions }) => subscriptions.billing ?? '', way: toAll },
    { undelivered: null, retry: null, replay: null },
    /broadcasts/,
  ],
  [
    'a subscription is deleted, and the sender names the endpoint: nothing is lost',
    { change: unsubscribed, target: ({ subscriptions }) => subscriptions.billing ?? '' },
    { deliveries: { ...none, Success: 4 }, undelivered: 0, retry: null, replay: null },
    /^$/,
  ],
  [
    'an endpoint is deleted',
    { change: deleted },
    { deliveries: { ...none, Success: 1 }, undelivered: null, retry: null, replay: null },
    /left no trace/,
  ],
  [
    'a source is switched off: nothing is lost',
    { change: switchedOff, target: ({ source: { uid } }) => uid, way: bySource },
    { deliveries: { ...none, Success: 4 }, undelivered: 0 },
    /^$/,
  ],
  [
    'the verifier of a source changes',
    { change: verifierChanged, target: ({ source: { uid } }) => uid, way: bySource },
    { undelivered: null, retry: null, replay: null },
    /left no trace/,
  ],
]

describe('what a drift costs while it lasts', () => {
  it.each(lasting)('%s', async (_, drift, expected, said) => {
    await using world = await openImpactWorld(['billing', 'crm'], drift.world)
    await live(world, drift, false)
    const { rows, exitCode, text } = await world.impact((drift.target ?? ((one) => billing(one).uid))(world))
    expect(rows[0]).toMatchObject(expected)
    expect(rows[0].reasons.join(' ')).toMatch(said)
    expect(exitCode).toBe(rows[0].undelivered === null ? 3 : 0)
    expect(text).toContain('between run 1 (')
  })
})

it('prints the request that activates an endpoint before the others, and all of them deliver what was lost', async () => {
  await using world = await openImpactWorld(['billing', 'crm'], { release: 'later' })
  await live(world, { change: status('inactive') }, false)
  const { rows } = await world.impact(billing(world).uid)
  expect(rows[0].first).toMatchObject([{ method: 'POST', url: expect.stringMatching(/\/activate$/) }])
  await world.sendAll(rows)
  expect(taken(world)).toEqual([1, 2, 3, 4])
})

it('asks about all endpoints of a cause, which share one retry, and about all of a project', async () => {
  await using world = await openImpactWorld(['billing', 'crm', 'stock'])
  const places = ['billing', 'crm', 'stock'].map((name) => world.endpoints[name] ?? '')
  const turn = (to: string) => {
    for (const uid of places) setEndpointStatus(world.service.fleet, { project: world.outgoing, uid }, to)
  }
  await world.audit()
  turn('inactive')
  for (const n of [1, 2]) await world.send({ to: 'all' }, { n })
  world.pass(60)
  const report = await world.audit()
  turn('active')
  world.pass(60)
  await world.audit()
  const whole = await world.impact(world.outgoing, { from: '1h' })
  expect(whole.rows.map(({ deliveries: { Discarded } }) => Discarded)).toEqual([2, 2, 2])
  const { rows, exitCode, text } = await world.impact(report.causes[0]?.id ?? '')
  expect(rows.map(({ retry }) => retry?.count ?? null)).toEqual([6, null, null])
  expect(rows[1].reasons).toEqual([expect.stringMatching(/^Retried by the request of endpoint "\w+"/)])
  expect([exitCode, text]).toEqual([0, expect.stringContaining('3 endpoints: 6 deliveries failed')])
  await world.sendAll(rows)
  expect(taken(world)).toEqual([1, 1, 1, 2, 2, 2])
})

it('counts nothing where the key is one of another project', async () => {
  await using world = await openImpactWorld()
  await live(world, { change: status('paused') }, true)
  Object.assign(world.terminal.env, { ACME_KEY: world.service.fleet.project(world.incoming)?.key })
  const { rows, exitCode } = await world.impact(billing(world).uid)
  expect(rows).toMatchObject([{ deliveries: unknown, undelivered: null, retry: null, replay: null }])
  expect(rows[0].reasons.join(' ')).toMatch(/belongs to another project/)
  expect(exitCode).toBe(3)
})

it('does not take what the gateway deleted for nothing', async () => {
  await using world = await openImpactWorld()
  await live(world, { change: status('paused') }, true)
  world.service.behaviour.retainedFromMs = world.now() - 1000
  world.pass(1)
  const { rows, exitCode } = await world.impact(billing(world).uid)
  expect(rows).toMatchObject([{ deliveries: unknown, undelivered: null }])
  expect(rows[0].reasons.join(' ')).toMatch(/may have deleted/)
  expect(exitCode).toBe(3)
})

it('counts nothing where there is more than it may read', async () => {
  await using world = await openImpactWorld()
  await live(world, { change: status('paused') }, true)
  world.configure(', deliveries_per_question: 2')
  const { rows, exitCode } = await world.impact(billing(world).uid)
  expect(rows).toMatchObject([{ deliveries: unknown, undelivered: null, retry: null }])
  expect(rows[0].reasons).toEqual([
    expect.stringMatching(/^More than 2 deliveries in the window: .*deliveries_per_question/),
  ])
  expect(exitCode).toBe(3)
})
