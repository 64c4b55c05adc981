import {
  changeData,
  createEndpoint,
  createSource,
  createSubscription,
  updateSubscription,
} from '../../src/demo/edits.ts'
import { createFleet } from '../../src/demo/fleet.ts'
import { generateFleet } from '../../src/demo/generate-fleet.ts'
import type { ProjectConfigRow } from '../../src/demo/rows.ts'
import { type ServiceOptions, type SimulatedService, startSimulatedService } from '../../src/demo/simulated-service.ts'
import type { Json } from '../../src/model/json.ts'
import { ask } from './ask.ts'

/** How a sender addresses an event: to an endpoint, to all that are subscribed, to those of an owner, or by a source. */
export type Way =
  | { readonly to: 'endpoint'; readonly endpoint: string }
  | { readonly to: 'all' }
  | { readonly to: 'owner'; readonly owner: string }
  | { readonly to: 'source'; readonly mask: string }

/** What a receiver took: `n` says which event. */
interface Received {
  readonly url: string
  readonly n: number
}

export interface TrafficWorld extends AsyncDisposable {
  readonly service: SimulatedService
  readonly outgoing: string
  readonly incoming: string
  /** By name. Each has a key that its receiver asks for, and an owner that is named after it. */
  readonly endpoints: Readonly<Record<string, string>>
  readonly subscriptions: Readonly<Record<string, string>>
  readonly source: { readonly uid: string; readonly mask: string }
  /** Everything that was taken, in order. */
  readonly received: readonly Received[]
  /** Milliseconds since the epoch. */
  now(): number
  /** Lets time pass, and what is due happen. */
  pass(seconds: number): void
  /** Sends an event of the type `order.paid` unless another one is given. */
  send(way: Way, event: { n: number; type?: string; key?: string; data?: Json }): Promise<number>
}

export const origin = Date.parse('2026-11-28T12:00:00Z')

/**
 * Two projects: one sends to endpoints with the given names, each of which is subscribed to `order.paid`; one takes
 * events at a source and passes them on to `inner`. Receivers take what has the right key at the right URL.
 */
export async function openTraffic(
  names: readonly string[],
  { config, ...options }: ServiceOptions & { readonly config?: Partial<ProjectConfigRow> } = {},
): Promise<TrafficWorld> {
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
    baseTimeMs: origin - 86_400_000,
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
    Object.entries(endpoints).map(([name, uid]) => {
      const created = createSubscription(fleet, outgoing, { endpoint: uid })
      const filter = { is_flattened: true, headers: {}, body: {} }
      const filter_config = { event_types: ['order.paid'], filter }
      updateSubscription(fleet, { project: outgoing, uid: created }, { name, filter_config })
      return [name, created]
    }),
  )
  const inner = endpoint(incoming, 'inner')
  const verifier = { type: 'api_key', api_key: { header_name: 'X-Sender', header_value: 'not-a-real-key' } }
  const source = {
    uid: createSource(fleet, incoming, {
      name: 'shop',
      verifier: { hmac: null, basic_auth: null, ...verifier },
      idempotency_keys: ['request.Header.X-Event-Id'],
    }),
    mask: '',
  }
  source.mask = fleet.open(incoming).sources[0]?.mask_id ?? ''
  const route = createSubscription(fleet, incoming, { endpoint: inner, source: source.uid })
  const received: Received[] = []
  let now = origin
  const right = new Map([...names, 'inner'].map((name) => [`https://receiver.example.com/${name}`, key(name)]))
  const service = await startSimulatedService(fleet, {
    now: () => now,
    receive({ url, headers, data }) {
      const needed = right.get(url)
      if (needed === undefined) return 404
      if (headers['X-Api-Key']?.[0] !== needed) return 401
      received.push({ url, n: Number(Object(data).n) })
      return 200
    },
    ...options,
  })
  return {
    service,
    outgoing,
    incoming,
    endpoints: { ...endpoints, inner },
    subscriptions: { ...subscriptions, inner: route },
    source,
    received,
    now: () => now,
    pass(seconds) {
      now += seconds * 1000
      service.advance()
    },
    async send(way, { n, type = 'order.paid', key: idempotency_key, data = { n } }) {
      const headers = { 'content-type': 'application/json' }
      const event = { event_type: type, data, idempotency_key }
      if (way.to === 'source') {
        const sent = { ...headers, 'x-sender': 'not-a-real-key', 'x-event-id': idempotency_key ?? `${n}` }
        const url = `${service.url}/ingest/${way.mask}`
        return (await fetch(url, { method: 'POST', headers: sent, body: JSON.stringify(data) })).status
      }
      const rest = { endpoint: '/events', all: '/events/broadcast', owner: '/events/fanout' }[way.to]
      const whom = {
        ...(way.to === 'endpoint' && { endpoint_id: way.endpoint }),
        ...(way.to === 'owner' && { owner_id: way.owner }),
      }
      const body = JSON.stringify({ ...whom, ...event })
      return (await ask(service, rest, { method: 'POST', body, headers, project: outgoing })).status
    },
    [Symbol.asyncDispose]: () => service.close(),
  }
}

/** The subscription of an incoming project's source goes; the source stays. */
export function withoutRoute({ service, incoming }: TrafficWorld): void {
  changeData(service.fleet, incoming, (data) => ({ ...data, subscriptions: [] }))
}
