import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Behaviour } from '../../src/demo/behaviour.ts'
import { trafficOf } from '../../src/demo/deliveries.ts'
import {
  changeData,
  changeEndpoint,
  changeSubscription,
  createSubscription,
  deleteEndpoint,
  deleteSubscription,
  setEndpointStatus,
  updateEndpoint,
  updateSource,
  updateSubscription,
} from '../../src/demo/edits.ts'
import { deleteFilter } from '../../src/demo/filter-request.ts'
import { createRandom, type Random } from '../../src/demo/random.ts'
import { type EndpointRow, filterRowsOf, type ProjectConfigRow, type SubscriptionRow } from '../../src/demo/rows.ts'
import { type SimulatedService, startSimulatedService } from '../../src/demo/simulated-service.ts'
import { type DeliveryStatus, deliveryStatuses } from '../../src/gateway/deliveries.ts'
import { policyOf } from '../audit/audit-harness.ts'
import { openFleetFixture } from '../audit/fleet-fixture.ts'
import {
  type Received,
  sendEvent,
  subscribe,
  type TrafficFleet,
  trafficFleet,
  type Way,
} from '../demo/traffic-world.ts'

/**
 * A random history of events and drifts. Two services live through the same events at the same times; drifts happen at
 * one of them alone, which is audited. So what an endpoint of the other one took, and its own did not, is what it lost.
 */
export interface EventHistory extends AsyncDisposable {
  readonly seed: string
  readonly world: TrafficFleet
  readonly service: SimulatedService
  readonly drifts: readonly EventDrift[]
  readonly sent: readonly SentAt[]
  /** What the receivers of the service without drifts took. */
  readonly wanted: readonly Received[]
  /** For commands that ask the history: its directory, the history and a configuration with the service and its key. */
  readonly directory: string
  readonly file: string
  readonly config: string
  readonly env: Readonly<Record<string, string>>
  now(): number
  /** Lets time pass, and all that is due happen. */
  pass(seconds: number): void
  audit(): Promise<unknown>
}

/** What changed, whom it concerns, and in which window an audit can know it. */
export interface EventDrift {
  readonly kind: DriftKind
  /** What `hookdrift impact` is asked about. */
  readonly uid: string
  readonly name: string
  /** When it happened, and was put back, in milliseconds since the epoch. */
  readonly at: number
  readonly putBackAt: number | null
  /** Whether an audit saw it. */
  readonly isSeen: boolean
  /** From the end of the last audit that saw the former value to that of the one that saw it put back, or to the end. */
  readonly window: TimeSpan
}

export interface TimeSpan {
  readonly from: number
  readonly to: number
}

interface SentAt {
  readonly n: number
  readonly at: number
}

const policy = policyOf('extends: [recommended]')

const kinds = [
  'paused',
  'inactive',
  'authentication lost',
  'URL moved',
  'types narrowed',
  'row deleted',
  'subscription deleted',
  'endpoint deleted',
  'owner changed',
  'route deleted',
  'source switched off',
] as const
export type DriftKind = (typeof kinds)[number]

/** Makes a history from a seed: always the same one. */
export async function liveThrough(seed: string): Promise<EventHistory> {
  const random = createRandom(seed)
  const names = ['billing', 'crm', 'stock', 'mail'].slice(0, 2 + random.below(3))
  const differences = differencesOf(random)
  const { config: settings, behaviour } = differences
  const [world, twin] = [trafficFleet(names, settings), trafficFleet(names, settings)]
  const special = names[random.below(names.length)] ?? ''
  for (const each of [world, twin]) arrange(each, special, differences)
  const fixture = await openFleetFixture({
    fleet: world.fleet,
    service: { now: () => clock.now(), receive: world.receive, ...behaviour },
    harness: { listings: { filters: 'auto' }, pageSize: 100 },
  })
  const clock = fixture.harness.clock
  const undrifted = await startSimulatedService(twin.fleet, {
    now: () => clock.now(),
    receive: twin.receive,
    ...behaviour,
  })
  const { service } = fixture
  const { directory, file } = fixture.harness
  const drifts: { -readonly [Member in keyof EventDrift]: EventDrift[Member] }[] = []
  const sent: SentAt[] = []
  const pass = (seconds: number) => {
    fixture.harness.advance(seconds * 1000)
    for (const each of [service, undrifted]) each.advance()
  }
  const auditsAt: number[] = []
  const audit = async () => {
    pass(30)
    await fixture.audit({ policy })
    auditsAt.push(clock.now())
    pass(30)
  }
  const sendBoth = async (way: Way, type: string) => {
    const n = sent.length + 1
    // Some senders send an event again under the key of another one.
    const key = `key-${random.chance(0.1) ? Math.max(1, n - 1) : n}`
    sent.push({ n, at: clock.now() })
    await sendEvent({ ...world, url: service.url }, way, { n, type, key })
    await sendEvent({ ...twin, url: undrifted.url }, way, { n, type, key })
    pass(1 + random.below(30))
  }
  const send = async (times: number) => {
    for (let time = 0; time < times; time++) {
      await sendBoth(wayIn(world, names, random), random.chance(0.85) ? 'order.paid' : 'order.voided')
    }
  }
  /** A person has sent a part of it again, by hand. */
  const sendSomeAgain = async (since: number) => {
    const { deliveries } = trafficOf(world.fleet).of(world.outgoing)
    const ended = [...deliveries.values()].filter(
      ({ status, created_at }) => (status === 'Failure' || status === 'Discarded') && Date.parse(created_at) >= since,
    )
    const row = ended[random.below(ended.length)]
    if (row === undefined) return
    const rest = random.chance(0.5) ? `eventdeliveries/${row.uid}/resend` : `events/${row.event_id}/replay`
    const url = `${service.url}/api/v1/projects/${world.outgoing}/${rest}`
    await fetch(url, { method: 'PUT', headers: { authorization: `Bearer ${world.fleet.personalKey}` } })
    pass(30)
  }
  // What the gateway shows from before a window proves that it still keeps all of it.
  for (const way of [{ to: 'all' }, { to: 'source', mask: world.source.mask }] as const)
    await sendBoth(way, 'order.paid')
  await audit()
  const touched = new Set<string>()
  for (let round = 1 + random.below(3); round > 0; round--) {
    await send(random.below(4))
    // What failed before is over when the next drift begins.
    pass(60)
    const free = [...names, 'inner'].filter((name) => !touched.has(name))
    const name = free[random.below(free.length)]
    if (name === undefined) break
    const kind = kindFor(name, random)
    const before = auditsAt.at(-1) ?? 0
    const at = clock.now()
    const { uid, putBack } = apply(kind, world, name)
    await send(1 + random.below(5))
    const isSeen = random.chance(0.8)
    if (isSeen) await audit()
    await send(random.below(4))
    // What takes the place of something deleted has another uid.
    const isReplaced = kind === 'subscription deleted' || kind === 'route deleted'
    const isPutBack = putBack !== undefined && random.chance(0.7)
    // What is still tried when the cause is gone arrives by itself, and was not lost.
    if (isPutBack) putBack()
    if (isPutBack && random.chance(0.2)) await sendSomeAgain(at)
    const putBackAt = isPutBack ? clock.now() : null
    await audit()
    // A drift begins where the one before is over.
    if (!isPutBack || isReplaced || random.chance(0.6)) touched.add(name)
    const to = isPutBack ? (auditsAt.at(-1) ?? 0) : Number.POSITIVE_INFINITY
    drifts.push({
      kind,
      uid,
      name,
      at,
      putBackAt,
      isSeen: isSeen || !isPutBack || isReplaced,
      window: { from: before, to },
    })
    await send(random.below(3))
  }
  await audit()
  pass(120)
  if (differences.forgets) {
    service.behaviour.retainedFromMs = sent[random.below(sent.length)]?.at ?? 0
    pass(1)
  }
  const config = join(directory, 'hookdrift.yaml')
  const projects = [world.outgoing, world.incoming].map(
    (id, at) => `{ id: ${id}, name: ${at === 0 ? 'outgoing' : 'incoming'} }`,
  )
  writeFileSync(
    config,
    `history: ${file}\nservices:\n  - name: acme\n    url: ${service.url}\n    key: \${ACME_KEY}\n    projects: [${projects.join(', ')}]\n`,
  )
  return {
    seed,
    world,
    service,
    drifts: drifts.map((drift) => ({
      ...drift,
      window: { ...drift.window, to: Math.min(drift.window.to, clock.now()) },
    })),
    sent,
    wanted: twin.received,
    directory,
    file,
    config,
    env: { ACME_KEY: world.fleet.personalKey },
    now: () => clock.now(),
    pass,
    audit,
    async [Symbol.asyncDispose]() {
      await undrifted.close()
      await fixture[Symbol.asyncDispose]()
    },
  }
}

/** What differs between histories besides events and drifts. */
interface Differences {
  readonly config: Partial<ProjectConfigRow>
  readonly behaviour: Pick<Behaviour, 'hasLicence' | 'release'>
  /** Of one endpoint. */
  readonly isConditional: boolean
  readonly isTriedOnce: boolean
  readonly hasSecond: boolean
  readonly sharesOwner: boolean
  /** Whether the gateway deletes what is old. */
  readonly forgets: boolean
}

function differencesOf(random: Random): Differences {
  const strategies = [
    { type: 'linear', duration: 10, retry_count: 2 },
    { type: 'linear', duration: 10, retry_count: 2 },
    { type: 'linear', duration: 300, retry_count: 3 },
    { type: 'exponential', duration: 20, retry_count: 4 },
  ] as const
  const hasSecond = random.chance(0.2)
  return {
    config: {
      strategy: random.pick(strategies),
      disable_endpoint: random.chance(0.5),
      multiple_endpoint_subscriptions: hasSecond,
    },
    behaviour: { hasLicence: random.chance(0.6), release: random.chance(0.15) ? 'later' : 'seed' },
    isConditional: random.chance(0.15),
    isTriedOnce: random.chance(0.15),
    hasSecond,
    sharesOwner: random.chance(0.3),
    forgets: random.chance(0.1),
  }
}

/** Lets one endpoint be another one than the rest. */
function arrange({ fleet, outgoing, endpoints, subscriptions }: TrafficFleet, name: string, of: Differences): void {
  const [endpoint, uid] = [endpoints[name] ?? '', subscriptions[name] ?? '']
  const subscription = { project: outgoing, uid }
  if (of.isTriedOnce) updateSubscription(fleet, subscription, { delivery_mode: 'at_most_once' })
  if (of.sharesOwner)
    changeEndpoint(fleet, { project: outgoing, uid: endpoint }, (row) => ({ ...row, owner_id: 'owner-of-billing' }))
  if (of.isConditional) {
    const filter = { is_flattened: true, headers: {}, body: { n: { $lt: 8 } } }
    changeSubscription(fleet, subscription, (row) => ({
      ...row,
      filter_config: { event_types: ['order.paid'], filter },
    }))
  }
  if (!of.hasSecond) return
  const second = subscribe(fleet, outgoing, { name: `${name}-2`, endpoint })
  const filter = { is_flattened: true, headers: {}, body: {} }
  updateSubscription(
    fleet,
    { project: outgoing, uid: second },
    { filter_config: { event_types: ['order.voided'], filter } },
  )
}

/** What is true of an endpoint and a window, whole seconds, both bounds included. */
export interface Truth {
  readonly deliveries: Readonly<Record<DeliveryStatus, number>>
  /** Events that it should have got and did not, by their number. Those that are still tried are not lost. */
  readonly lost: readonly number[]
  readonly pending: readonly number[]
  /** Those among them of which no delivery was made. */
  readonly undelivered: readonly number[]
  /** Those of them that the gateway's list of events does not find by the endpoint or a source. */
  readonly traceless: readonly number[]
}

export function truthOf({ world, sent, wanted }: EventHistory, name: string, { from, to }: TimeSpan): Truth {
  const endpoint = world.endpoints[name] ?? ''
  const project = name === 'inner' ? world.incoming : world.outgoing
  const { deliveries, events } = trafficOf(world.fleet).of(project)
  const bounds = { from: Math.floor(from / 1000) * 1000, to: Math.ceil(to / 1000) * 1000 }
  const isWithin = (at: number) => at >= bounds.from && at <= bounds.to
  const own = [...deliveries.values()].filter((row) => row.endpoint.uid === endpoint)
  const within = own.filter((row) => isWithin(Date.parse(row.created_at)))
  const count = (status: DeliveryStatus) => within.filter((row) => row.status === status).length
  const [took, should] = [takenBy(world.received, name), takenBy(wanted, name)]
  const isTried = new Set<DeliveryStatus>(['Scheduled', 'Processing', 'Retry'])
  const tried = new Set(own.flatMap(({ status, data }) => (isTried.has(status) ? numberIn(data) : [])))
  const missing = sent.flatMap(({ n, at }) => (isWithin(at) && should.has(n) && !took.has(n) ? n : []))
  const lost = missing.filter((n) => !tried.has(n))
  const [withDelivery, named] = [new Set(own.map((row) => numberIn(row.data))), new Set<number>()]
  for (const event of events.values()) {
    if (name === 'inner' || event.everNamed.has(endpoint)) named.add(numberIn(event.data))
  }
  const undelivered = lost.filter((n) => !withDelivery.has(n))
  return {
    // as: it has every status.
    deliveries: Object.fromEntries(deliveryStatuses.map((status) => [status, count(status)])) as Truth['deliveries'],
    lost,
    pending: missing.filter((n) => tried.has(n)),
    undelivered,
    traceless: undelivered.filter((n) => !named.has(n)),
  }
}

/** How often a receiver took each event. */
export function takenBy(received: readonly Received[], name: string): ReadonlyMap<number, number> {
  const taken = new Map<number, number>()
  for (const { by, n } of received) if (by === name) taken.set(n, (taken.get(n) ?? 0) + 1)
  return taken
}

/** A request as `hookdrift impact --format json` prints it. */
export interface PrintedRequest {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

/** Sends a printed request with its placeholders filled in, and lets the service do what it asks for. */
export async function sendPrinted(
  { service, env, pass }: EventHistory,
  { method, url, headers }: PrintedRequest,
  values: Readonly<Record<string, string>> = {},
): Promise<number> {
  const all = { ...env, ACME_URL: service.url, ...values }
  const filled = (text: string) =>
    Object.entries(all).reduce((result, [name, value]) => result.replaceAll(`\${${name}}`, value), text)
  const sentHeaders = Object.entries(headers).map(([name, value]): [string, string] => [name, filled(value)])
  const { status } = await fetch(filled(url), { method, headers: sentHeaders })
  pass(60)
  return status
}

function numberIn(data: unknown): number {
  return Number(Object(data).n)
}

function wayIn({ endpoints, source }: TrafficFleet, names: readonly string[], random: Random): Way {
  const name = names[random.below(names.length)] ?? ''
  const ways: readonly [Way, Way, Way, Way, Way] = [
    { to: 'endpoint', endpoint: endpoints[name] ?? '' },
    { to: 'endpoint', endpoint: endpoints[name] ?? '' },
    { to: 'owner', owner: `owner-of-${name}` },
    { to: 'source', mask: source.mask },
    { to: 'all' },
  ]
  return random.pick(ways)
}

function kindFor(name: string, random: Random): DriftKind {
  const isOfSource = (kind: DriftKind) => kind === 'route deleted' || kind === 'source switched off'
  const fitting = kinds.filter((kind) =>
    name === 'inner' ? kind !== 'owner changed' && kind !== 'types narrowed' : !isOfSource(kind),
  )
  return fitting[random.below(fitting.length)] ?? 'paused'
}

/** Does it to an endpoint, or what leads there. Gives the uid of what changed, and how it is put back; some cannot be. */
function apply(kind: DriftKind, world: TrafficFleet, name: string): { uid: string; putBack?: () => void } {
  const { fleet, endpoints, subscriptions, source } = world
  const project = name === 'inner' ? world.incoming : world.outgoing
  const [endpoint, subscription] = [
    { project, uid: endpoints[name] ?? '' },
    { project, uid: subscriptions[name] ?? '' },
  ]
  const find = <Row extends { readonly uid: string }>(rows: readonly Row[], uid: string): Row => {
    const row = rows.find((each) => each.uid === uid)
    if (row === undefined) throw new Error(`the world has no ${uid}`)
    return row
  }
  const former = find(fleet.open(project).endpoints, endpoint.uid)
  const route = find(fleet.open(project).subscriptions, subscription.uid)
  const change = (members: Partial<EndpointRow>) => changeEndpoint(fleet, endpoint, (row) => ({ ...row, ...members }))
  const ofEndpoint = (putBack: () => void) => ({ uid: endpoint.uid, putBack })
  const restoreRoute = (row: SubscriptionRow) => {
    changeData(fleet, project, (data) => ({
      ...data,
      subscriptions: [row, ...data.subscriptions.filter(({ uid }) => uid !== row.uid)].sort((one, other) =>
        one.uid < other.uid ? 1 : -1,
      ),
    }))
  }
  switch (kind) {
    case 'paused':
    case 'inactive':
      setEndpointStatus(fleet, endpoint, kind)
      return ofEndpoint(() => setEndpointStatus(fleet, endpoint, 'active'))
    // The service may have switched it off since.
    case 'authentication lost':
      updateEndpoint(fleet, endpoint, { name: former.name, url: former.url })
      return ofEndpoint(() => change({ authentication: former.authentication, status: 'active' }))
    case 'URL moved':
      change({ url: `${former.url}/elsewhere` })
      return ofEndpoint(() => change({ url: former.url, status: 'active' }))
    case 'owner changed':
      change({ owner_id: 'another-owner' })
      return ofEndpoint(() => change({ owner_id: former.owner_id }))
    case 'endpoint deleted':
      deleteEndpoint(fleet, endpoint)
      return { uid: endpoint.uid }
    case 'types narrowed':
      updateSubscription(fleet, subscription, {
        filter_config: { ...route.filter_config, event_types: ['order.shipped'] },
      })
      return { uid: subscription.uid, putBack: () => restoreRoute(route) }
    case 'row deleted':
      for (const { uid } of filterRowsOf(route)) deleteFilter(fleet, subscription, uid)
      return { uid: subscription.uid, putBack: () => restoreRoute(route) }
    case 'subscription deleted':
    case 'route deleted':
      deleteSubscription(fleet, subscription)
      // Nothing deleted comes back: a person creates another one, or changes the one that the service made since.
      return {
        uid: subscription.uid,
        putBack() {
          if (name === 'inner') {
            createSubscription(fleet, project, { endpoint: endpoint.uid, source: source.uid })
            return
          }
          const made = fleet.open(project).subscriptions.find((row) => row.name === `${name}-subscription`)
          const uid = made?.uid ?? subscribe(fleet, project, { name, endpoint: endpoint.uid })
          const { filter_config } = route
          changeSubscription(fleet, { project, uid }, (row) => ({
            ...row,
            name,
            filter_config,
            filters: filterRowsOf(route),
          }))
        },
      }
    case 'source switched off': {
      const of = { project: world.incoming, uid: source.uid }
      updateSource(fleet, of, { is_disabled: true })
      return { uid: source.uid, putBack: () => updateSource(fleet, of, { is_disabled: false }) }
    }
  }
}
