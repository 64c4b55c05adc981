import type { Behaviour } from '../../src/demo/behaviour.ts'
import {
  changeData,
  createEndpoint,
  createSource,
  createSubscription,
  updateSubscription,
} from '../../src/demo/edits.ts'
import { createFleet, type SimulatedFleet } from '../../src/demo/fleet.ts'
import { generateFleet } from '../../src/demo/generate-fleet.ts'
import type { ProjectConfigRow } from '../../src/demo/rows.ts'
import { type ServiceOptions, type SimulatedService, startSimulatedService } from '../../src/demo/simulated-service.ts'
import type { Json } from '../../src/model/json.ts'

/** How a sender addresses an event: to an endpoint, to all that are subscribed, to those of an owner, or by a source. */
export type Way =
  | { readonly to: 'endpoint'; readonly endpoint: string }
  | { readonly to: 'all' }
  | { readonly to: 'owner'; readonly owner: string }
  | { readonly to: 'source'; readonly mask: string }

/** What a receiver took, by the name of its endpoint: `n` says which event. */
export interface Received {
  readonly by: string
  readonly n: number
}

export interface TrafficFleet {
  readonly fleet: SimulatedFleet
  readonly outgoing: string
  readonly incoming: string
  /** By name. Each has a key that its receiver asks for, and an owner that is named after it. */
  readonly endpoints: Readonly<Record<string, string>>
  readonly subscriptions: Readonly<Record<string, string>>
  readonly source: { readonly uid: string; readonly mask: string }
  /** Everything that was taken, in order. */
  readonly received: readonly Received[]
  /** The receivers: each takes what has its key, at its URL. */
  readonly receive: Behaviour['receive']
}

export interface TrafficWorld extends TrafficFleet, AsyncDisposable {
  readonly service: SimulatedService
  /** Milliseconds since the epoch. */
  now(): number
  /** Lets time pass, and what is due happen. */
  pass(seconds: number): void
  /** Sends an event of the type `order.paid` unless another one is given. */
  send(way: Way, event: SentEvent): Promise<number>
}

/** `key`: of idempotency. */
export interface SentEvent {
  readonly n: number
  readonly type?: string
  readonly key?: string
  readonly data?: Json
}

const origin = Date.parse('2026-11-28T12:00:00Z')

/**
 * Two projects: one sends to endpoints with the given names, each of which is subscribed to `order.paid`; one takes
 * events at a source and passes them on to `inner`.
 */
export function trafficFleet(names: readonly string[], config: Partial<ProjectConfigRow> = {}): TrafficFleet {
  const [model] = generateFleet({ clean: true }).projects()
  if (model === undefined) throw new Error('no project')
  const settings = {
    ...model.config,
    strategy: { type: 'linear', duration: 10, retry_count: 2 },
    disable_endpoint: false,
    ssl: { enforce_secure_endpoints: false },
    ...config,
  }
  const [outgoing, incoming] = ['01M8H000000000000000000001', '01M8H000000000000000000002']
  const projects = ([outgoing, incoming] as const).map((uid) => {
    const type = uid === outgoing ? ('outgoing' as const) : ('incoming' as const)
    return { ...model, uid, type, name: type, key: `CO.key-of-${type}.not-a-real-key`, config: settings }
  })
  const fleet = createFleet({
    organisationId: model.organisation_id,
    personalKey: 'CO.personal.not-a-real-key',
    baseTimeMs: Date.parse('2026-11-01T00:00:00Z'),
    projects,
    make: () => ({ endpoints: [], subscriptions: [], sources: [] }),
  })
  const key = (name: string) => `not-a-real-key-of-${name}`
  const endpoint = (project: string, name: string) =>
    createEndpoint(fleet, project, {
      name,
      url: `https://receiver.example.com/${name}`,
      owner_id: `owner-of-${name}`,
      authentication: { type: 'api_key', api_key: { header_name: 'X-Api-Key', header_value: key(name) } },
    })
  const endpoints = Object.fromEntries(names.map((name) => [name, endpoint(outgoing, name)]))
  const subscriptions = Object.fromEntries(
    Object.entries(endpoints).map(([name, uid]) => [name, subscribe(fleet, outgoing, { name, endpoint: uid })]),
  )
  const inner = endpoint(incoming, 'inner')
  const verifier = { type: 'api_key', api_key: { header_name: 'X-Sender', header_value: 'not-a-real-key' } }
  const source = createSource(fleet, incoming, {
    name: 'shop',
    verifier: { hmac: null, basic_auth: null, ...verifier },
    idempotency_keys: ['request.Header.X-Event-Id'],
  })
  const mask = fleet.open(incoming).sources[0]?.mask_id ?? ''
  const route = createSubscription(fleet, incoming, { endpoint: inner, source })
  const received: Received[] = []
  const places = new Map([...names, 'inner'].map((name) => [`https://receiver.example.com/${name}`, name]))
  return {
    fleet,
    outgoing,
    incoming,
    endpoints: { ...endpoints, inner },
    subscriptions: { ...subscriptions, inner: route },
    source: { uid: source, mask },
    received,
    receive({ url, headers, data }) {
      const by = places.get(url)
      if (by === undefined) return 404
      if (headers['X-Api-Key']?.[0] !== key(by)) return 401
      received.push({ by, n: Number(Object(data).n) })
      return 200
    },
  }
}

/** A subscription to `order.paid`. Returns its uid. */
export function subscribe(
  fleet: SimulatedFleet,
  project: string,
  { name, endpoint }: { readonly name: string; readonly endpoint: string },
): string {
  const uid = createSubscription(fleet, project, { endpoint })
  const filter = { is_flattened: true, headers: {}, body: {} }
  updateSubscription(fleet, { project, uid }, { name, filter_config: { event_types: ['order.paid'], filter } })
  return uid
}

/** Its own clock moves only when a test lets time pass. */
export async function openTraffic(
  names: readonly string[],
  { config, ...options }: ServiceOptions & { readonly config?: Partial<ProjectConfigRow> } = {},
): Promise<TrafficWorld> {
  const world = trafficFleet(names, config)
  let now = origin
  const { receive } = world
  const service = await startSimulatedService(world.fleet, { now: () => now, receive, ...options })
  return {
    ...world,
    service,
    now: () => now,
    pass(seconds) {
      now += seconds * 1000
      service.advance()
    },
    send: (way, event) => sendEvent({ ...world, url: service.url }, way, event),
    [Symbol.asyncDispose]: () => service.close(),
  }
}

/** Gives the status of the answer. */
export async function sendEvent(
  { fleet, outgoing, url }: Pick<TrafficFleet, 'fleet' | 'outgoing'> & { readonly url: string },
  way: Way,
  { n, type = 'order.paid', key, data = { n } }: SentEvent,
): Promise<number> {
  const json = { 'content-type': 'application/json' }
  if (way.to === 'source') {
    const headers = { ...json, 'x-sender': 'not-a-real-key', 'x-event-id': key ?? `${n}` }
    return (await fetch(`${url}/ingest/${way.mask}`, { method: 'POST', headers, body: JSON.stringify(data) })).status
  }
  const rest = { endpoint: 'events', all: 'events/broadcast', owner: 'events/fanout' }[way.to]
  const whom = {
    ...(way.to === 'endpoint' && { endpoint_id: way.endpoint }),
    ...(way.to === 'owner' && { owner_id: way.owner }),
  }
  const headers = { ...json, authorization: `Bearer ${fleet.personalKey}` }
  const body = JSON.stringify({ ...whom, event_type: type, data, idempotency_key: key })
  return (await fetch(`${url}/api/v1/projects/${outgoing}/${rest}`, { method: 'POST', headers, body })).status
}

/** The subscription of an incoming project's source goes; the source stays. */
export function withoutRoute({ fleet, incoming }: TrafficFleet): void {
  changeData(fleet, incoming, (data) => ({ ...data, subscriptions: [] }))
}
