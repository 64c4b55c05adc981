import { expect, it } from 'vitest'
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
import { ask } from './ask.ts'
import { openTraffic, type TrafficWorld, type Way, withoutRoute } from './traffic-world.ts'

/**
 * What each drift leaves behind of an event: the statuses of its deliveries to `billing` (or to `inner`, of the incoming
 * project), the status of the event, and whether its `endpoints` name the one that the drift concerned.
 */
interface LeftBehind {
  readonly deliveries: readonly string[]
  readonly event: string | null
  readonly isNamed?: boolean
}

type Case = readonly [
  drift: string,
  world: Parameters<typeof openTraffic>[1],
  apply: (world: TrafficWorld) => void,
  way: (world: TrafficWorld) => Way,
  left: LeftBehind,
]

const toBilling = ({ endpoints: { billing = '' } }: TrafficWorld): Way => ({ to: 'endpoint', endpoint: billing })
const toAll = (): Way => ({ to: 'all' })
const toOwner = (): Way => ({ to: 'owner', owner: 'owner-of-billing' })
const bySource = ({ source: { mask } }: TrafficWorld): Way => ({ to: 'source', mask })
const billing = ({ outgoing: project, endpoints }: TrafficWorld) => ({ project, uid: endpoints.billing ?? '' })
const subscription = ({ outgoing: project, subscriptions }: TrafficWorld) => ({
  project,
  uid: subscriptions.billing ?? '',
})
const status = (text: string) => (world: TrafficWorld) => setEndpointStatus(world.service.fleet, billing(world), text)
const source = (world: TrafficWorld) => ({ project: world.incoming, uid: world.source.uid })
const onUnlicensed = { hasLicence: false }
const isSwitchedOff = { hasLicence: false, config: { disable_endpoint: true } }

const cases: readonly Case[] = [
  ['nothing', {}, () => {}, toBilling, { deliveries: ['Success'], event: 'Success', isNamed: true }],
  [
    'an endpoint is paused',
    {},
    status('paused'),
    toBilling,
    { deliveries: ['Discarded'], event: 'Success', isNamed: true },
  ],
  [
    'an endpoint is inactive',
    {},
    status('inactive'),
    toBilling,
    { deliveries: ['Discarded'], event: 'Success', isNamed: true },
  ],
  [
    'its authentication is lost',
    {},
    withoutKey,
    toBilling,
    { deliveries: ['Failure'], event: 'Success', isNamed: true },
  ],
  ['its URL is moved', {}, moved, toBilling, { deliveries: ['Failure'], event: 'Success', isNamed: true }],
  [
    'the service switched it off',
    isSwitchedOff,
    moved,
    toBilling,
    { deliveries: ['Discarded', 'Failure'], event: 'Success', isNamed: true },
  ],
  [
    'a licence leaves that to the circuit breaker',
    { config: { disable_endpoint: true } },
    moved,
    toBilling,
    { deliveries: ['Failure', 'Failure'], event: 'Success', isNamed: true },
  ],
  [
    'one attempt only, and it fails',
    {},
    onceAndMoved,
    toBilling,
    { deliveries: ['Failure'], event: 'Success', isNamed: true },
  ],
  [
    'no row for the type of the event',
    {},
    (world) => narrowed(world),
    toBilling,
    { deliveries: [], event: 'Failure', isNamed: true },
  ],
  ['the row for the type is switched off', {}, rowOff, toBilling, { deliveries: [], event: 'Failure', isNamed: true }],
  ['a condition on the body', {}, conditional, toBilling, { deliveries: [], event: 'Failure', isNamed: true }],
  [
    'a condition on the body, and others match',
    {},
    conditional,
    toAll,
    { deliveries: [], event: 'Success', isNamed: false },
  ],
  [
    'a condition on the body, without a licence',
    onUnlicensed,
    conditional,
    toBilling,
    { deliveries: ['Success'], event: 'Success', isNamed: true },
  ],
  [
    'its subscription is deleted, and the sender names it',
    {},
    unsubscribed,
    toBilling,
    { deliveries: ['Success'], event: 'Success', isNamed: true },
  ],
  [
    'its subscription is deleted, event by owner',
    {},
    unsubscribed,
    toOwner,
    { deliveries: [], event: 'Failure', isNamed: true },
  ],
  [
    'its subscription is deleted, broadcast',
    {},
    unsubscribed,
    toAll,
    { deliveries: [], event: 'Success', isNamed: false },
  ],
  [
    'its owner is changed, event by owner',
    {},
    ownerChanged,
    toOwner,
    { deliveries: [], event: 'Failure', isNamed: false },
  ],
  ['it is deleted, and the sender names it', {}, deleted, toBilling, { deliveries: [], event: null }],
  ['it was just deleted, broadcast', {}, justDeleted, toAll, { deliveries: [], event: 'Success', isNamed: true }],
  [
    'the route of a source is deleted',
    {},
    withoutRoute,
    bySource,
    { deliveries: [], event: 'Failure', isNamed: false },
  ],
  [
    'a source is switched off',
    {},
    (world) => updateSource(world.service.fleet, source(world), { is_disabled: true }),
    bySource,
    { deliveries: ['Success'], event: 'Success', isNamed: true },
  ],
  ['the verifier of a source is changed', {}, verifierChanged, bySource, { deliveries: [], event: null }],
]

it.each(cases)('%s', async (_, options, drift, wayOf, left) => {
  await using world = await openTraffic(['billing', 'crm'], options)
  // Broadcasts know the subscriptions of some seconds ago, from the first request on.
  await ask(world.service, '/events')
  world.pass(0)
  drift(world)
  if (drift !== justDeleted) world.pass(20)
  const way = wayOf(world)
  const isTwice = left.deliveries.length === 2
  for (const n of isTwice ? [1, 2] : [1]) {
    await world.send(way, { n })
    world.pass(60)
  }
  const project = way.to === 'source' ? world.incoming : world.outgoing
  const endpoint = world.endpoints[way.to === 'source' ? 'inner' : 'billing']
  const list = async (rest: string) => (await ask(world.service, rest, { project })).json.data.content
  const deliveries = await list(`/eventdeliveries?endpointId=${endpoint}`)
  const [event = null] = await list('/events')
  expect({
    deliveries: deliveries.map(({ status }: { status: string }) => status),
    event: event?.status ?? null,
    ...(event !== null && { isNamed: event.endpoints.includes(endpoint) }),
  }).toEqual(left)
})

it('keeps a duplicate, and never delivers it', async () => {
  await using world = await openTraffic(['billing'])
  for (const n of [1, 2]) {
    expect(await world.send(toBilling(world), { n, key: 'once' })).toBe(201)
    expect(await world.send(bySource(world), { n, key: 'once' })).toBe(200)
  }
  world.pass(60)
  for (const project of [world.outgoing, world.incoming]) {
    const { content } = (await ask(world.service, '/events', { project })).json.data
    expect(content.map((row: Record<string, unknown>) => [row.is_duplicate_event, row.status])).toEqual([
      [true, 'Processing'],
      [false, 'Success'],
    ])
    await ask(world.service, `/events/${content[0].uid}/replay`, { project, method: 'PUT' })
  }
  world.pass(60)
  expect(world.received.map(({ n }) => n)).toEqual([1, 1])
})

it('waits between attempts, and says when the next one is', async () => {
  await using world = await openTraffic(['billing'])
  moved(world)
  await world.send(toBilling(world), { n: 1 })
  world.pass(0)
  const row = async () => (await ask(world.service, '/eventdeliveries')).json.data.content[0]
  const dated = '2026-11-28T12:00:10Z'
  expect(await row()).toMatchObject({ status: 'Retry', metadata: { num_trials: 1, next_send_time: dated } })
  changeEndpoint(world.service.fleet, billing(world), (it) => ({ ...it, url: it.url.replace('/moved', '/billing') }))
  world.pass(9)
  expect(await row()).toMatchObject({ status: 'Retry' })
  world.pass(1)
  expect(await row()).toMatchObject({ status: 'Success', metadata: { num_trials: 2 }, updated_at: dated })
})

it('replays an event that named an endpoint which is gone for no one', async () => {
  await using world = await openTraffic(['billing', 'crm'])
  await world.send({ to: 'all' }, { n: 1 })
  world.pass(0)
  deleteEndpoint(world.service.fleet, billing(world))
  const [event] = (await ask(world.service, '/events')).json.data.content
  expect((await ask(world.service, `/events/${event.uid}/replay`, { method: 'PUT' })).status).toBe(200)
  world.pass(60)
  expect(world.received.map(({ by }) => by).sort()).toEqual(['billing', 'crm'])
})

it('lists neither events nor deliveries while lists cannot be read', async () => {
  await using world = await openTraffic(['billing'])
  world.service.behaviour.outage = 'lists-unreadable'
  for (const list of ['events', 'eventdeliveries']) expect((await ask(world.service, `/${list}`)).status).toBe(500)
})

it('forgets what was before the retention period', async () => {
  await using world = await openTraffic(['billing'])
  await world.send(toBilling(world), { n: 1 })
  world.pass(60)
  await world.send(toBilling(world), { n: 2 })
  world.service.behaviour.retainedFromMs = world.now() - 1000
  for (const list of ['events', 'eventdeliveries']) {
    expect((await ask(world.service, `/${list}`)).json.data.content).toHaveLength(1)
  }
})

it('refuses an event for an endpoint that is gone only in a later release', async () => {
  await using world = await openTraffic(['billing'])
  deleted(world)
  expect(await world.send(toBilling(world), { n: 1 })).toBe(201)
  world.service.behaviour.release = 'later'
  expect(await world.send(toBilling(world), { n: 1 })).toBe(400)
})

it("reads and writes the project of a project's key, regardless of the path", async () => {
  await using world = await openTraffic(['billing'])
  await world.send(bySource(world), { n: 1 })
  world.pass(60)
  const key = world.service.fleet.project(world.incoming)?.key ?? ''
  const [row] = (await ask(world.service, '/eventdeliveries', { key, project: world.outgoing })).json.data.content
  expect(row).toMatchObject({ project_id: world.incoming, headers: { 'X-Api-Key': ['not-a-real-key-of-inner'] } })
  const { status } = await ask(world.service, `/subscriptions/${world.subscriptions.inner}`, { key, method: 'DELETE' })
  expect([status, world.service.fleet.open(world.incoming).subscriptions]).toEqual([200, []])
})

it.each([
  ['endpoints', 400, 'endpoint not found'],
  ['subscriptions', 404, 'failed to find subscription'],
  ['sources', 404, 'source not found'],
] as const)('deletes from %s once', async (list, gone, message) => {
  await using world = await openTraffic(['billing'])
  const { incoming: project, service } = world
  const uid = service.fleet.open(project)[list][0]?.uid
  const remove = () => ask(service, `/${list}/${uid}`, { project, method: 'DELETE' })
  expect((await remove()).status).toBe(200)
  expect(service.fleet.open(project)).toMatchObject({ [list]: [], subscriptions: [] })
  expect(await remove()).toMatchObject({ status: gone, json: { message } })
})

function withoutKey(world: TrafficWorld): void {
  const { fleet } = world.service
  const row = fleet.open(world.outgoing).endpoints.find(({ uid }) => uid === world.endpoints.billing)
  if (row !== undefined) updateEndpoint(fleet, billing(world), { name: row.name, url: row.url })
}

function moved(world: TrafficWorld): void {
  changeEndpoint(world.service.fleet, billing(world), (row) => ({ ...row, url: row.url.replace('/billing', '/moved') }))
}

function onceAndMoved(world: TrafficWorld): void {
  updateSubscription(world.service.fleet, subscription(world), { delivery_mode: 'at_most_once' })
  moved(world)
}

function narrowed(world: TrafficWorld): void {
  const { fleet } = world.service
  const row = fleet.open(world.outgoing).subscriptions.find(({ uid }) => uid === world.subscriptions.billing)
  for (const { uid } of row === undefined ? [] : filterRowsOf(row)) deleteFilter(fleet, subscription(world), uid)
  createFilter(fleet, subscription(world), { event_type: 'order.voided' })
}

function changeRow(world: TrafficWorld, change: Parameters<typeof updateFilter>[3]): void {
  const { fleet } = world.service
  const row = fleet.open(world.outgoing).subscriptions.find(({ uid }) => uid === world.subscriptions.billing)
  for (const { uid } of row === undefined ? [] : filterRowsOf(row))
    updateFilter(fleet, subscription(world), uid, change)
}

function rowOff(world: TrafficWorld): void {
  changeRow(world, { enabled_at: null })
}

function conditional(world: TrafficWorld): void {
  changeRow(world, { body: { n: { $gt: 100 } } })
}

function unsubscribed(world: TrafficWorld): void {
  deleteSubscription(world.service.fleet, subscription(world))
}

function ownerChanged(world: TrafficWorld): void {
  changeEndpoint(world.service.fleet, billing(world), (row) => ({ ...row, owner_id: 'another-owner' }))
}

function deleted(world: TrafficWorld): void {
  deleteEndpoint(world.service.fleet, billing(world))
}

function justDeleted(world: TrafficWorld): void {
  deleted(world)
}

function verifierChanged(world: TrafficWorld): void {
  const verifier = { type: 'api_key', api_key: { header_name: 'X-Sender', header_value: 'not-a-real-key-2' } }
  updateSource(world.service.fleet, source(world), { verifier: { hmac: null, basic_auth: null, ...verifier } })
}
