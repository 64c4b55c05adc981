import { expect, it } from 'vitest'
import type { HeaderLists } from '../../src/demo/deliveries.ts'
import {
  changeData,
  changeSubscription,
  createEndpoint,
  createSubscription,
  setEndpointStatus,
  updateProject,
} from '../../src/demo/edits.ts'
import { createFilter } from '../../src/demo/filter-request.ts'
import { createFleet } from '../../src/demo/fleet.ts'
import { generateFleet } from '../../src/demo/generate-fleet.ts'
import type { ProjectData, ProjectRow, SourceRow } from '../../src/demo/rows.ts'
import { type SimulatedService, startSimulatedService } from '../../src/demo/simulated-service.ts'
import type { RecordedExchange } from '../service/replay-server.ts'
import { endpointRow } from './recorded-fleet.ts'
import { recording } from './recordings.ts'

/** The story of the recording, event by event: what the real service did, and how it answered, the simulated one does. */

const recorded = recording('deliveries')
const [orders, intake] = ['01M8JC5V53TFVZDPGVJ5C1R6RD', '01M8JC5V5FXZDTH2Z97513D31G']
const locked = '01M8JC96XEWE4AYT9BXYPHFEZ1'
/** Not simulated: single endpoints, the dashboard's address, and what is sent again although it arrived. */
const leftOut = /^(the endpoint after|write: activate, the dashboard|write: force)/

// biome-ignore lint/suspicious/noExplicitAny: recorded rows are taken as they are
type Item = any

const parsed = new Map(recorded.map((exchange) => [exchange, parse(exchange.response.body)]))
const rowsOf = (exchange: RecordedExchange | undefined): Item[] =>
  (exchange && parsed.get(exchange)?.data?.content) ?? []
const named = (name: string) => recorded.find((exchange) => exchange.name === name)
const everyRow = recorded.flatMap((exchange) => [...rowsOf(exchange), Object(parsed.get(exchange)?.data)])
const deliveries = everyRow.filter((row) => 'event_id' in row)
const events = everyRow.filter((row) => 'endpoints' in row)

let service: SimulatedService
let now = at('00:44:45')
/** Of the page before, in the simulated service's order. */
let nextCursor = ''

it('events come to the same end as on the real service, and every answer is the same', async () => {
  await using started = await startSimulatedService(fleetOf(), { hasLicence: false, now: () => now, receive })
  service = started
  const sent = rowsOf(named('events')).toReversed()
  const former = sent.filter(({ created_at }) => created_at < '2026-11-29T00:44:50')
  for (const event of former) await sendEvent(event)
  now = at('00:44:58')
  let isRetrying = false
  for (const exchange of recorded) {
    if (exchange.name === 'write: an event for a source with a route') {
      setEndpointStatus(service.fleet, { project: orders, uid: endpointOf('switched-off') }, 'inactive')
      now = at('00:45:00')
      for (const event of sent.slice(former.length)) {
        if (event.event_type === 'order.paid' || event.event_type === 'order.once') await sendEvent(event)
      }
    }
    if (exchange.name === 'deliveries, no parameter') now = at('00:45:30')
    if (isRetrying && !exchange.name.includes('again at once')) now += 10_000
    isRetrying = /batchretry\?|\/resend$/.test(exchange.request.path)
    await (meanwhile[exchange.name] ?? (() => {}))()
    if (!leftOut.test(exchange.name)) await hold(exchange)
  }
})

/** What people did between the recorded requests, by the request that came next. */
const meanwhile: Readonly<Record<string, () => void | Promise<void>>> = {
  "write: retry, a project's key": () =>
    setEndpointStatus(service.fleet, { project: orders, uid: endpointOf('switched-off') }, 'active'),
  'write: replay one event': () => {
    const uid = '01M8JC5VAZP3C7VXCKRJ29HAT5'
    createFilter(service.fleet, { project: orders, uid }, { event_type: 'order.paid' })
  },
  'write: replay of a source': () => {
    const [source, uid] = ['01M8JC5VE770DQQWP706CMQ38A', '01M8JC8H9G96QXAAD6H1BF12VS']
    const created = createSubscription(service.fleet, intake, { endpoint: endpointOf('inner'), source })
    changeSubscription(service.fleet, { project: intake, uid: created }, (row) => ({ ...row, uid }))
  },
  'the endpoint after its last retry failed': async () => {
    updateProject(service.fleet, orders, { disable_endpoint: true })
    for (const order of [0, 0]) {
      await sendEvent({ event_type: 'order.paid', endpoints: [endpointOf('broken')], data: { order, for: 'broken' } })
      now += 10_000
      service.advance()
    }
  },
  'write: an update wipes authentication': () => {
    updateProject(service.fleet, orders, { disable_endpoint: false })
    const key = { header_name: 'X-Api-Key', header_value: 'ak_4b4b4b4b4b4b4b4b4b4b4b4b4b4b4b4b' }
    const authentication = { type: 'api_key', api_key: key } as const
    const url = 'http://198.51.100.7:8900/locked'
    createEndpoint(service.fleet, orders, { uid: locked, name: 'locked', url, authentication })
    const created = createSubscription(service.fleet, orders, { endpoint: locked })
    const uid = '01M8JC96XN3B40N9AHFHCCKTW7'
    changeSubscription(service.fleet, { project: orders, uid: created }, (row) => ({ ...row, uid, name: 'sub-locked' }))
  },
  'write: authentication is put back': async () => {
    await sendEvent({ event_type: 'order.paid', endpoints: [locked], data: { order: 0, for: 'locked' } })
    now += 10_000
    service.advance()
  },
}

/** As the recorded receivers. */
function receive({ url, headers }: { readonly url: string; readonly headers: HeaderLists }): number {
  if (url.endsWith('/moved')) return 404
  if (url.endsWith('/broken')) return 500
  if (url.endsWith('/guarded')) return now < at('00:46:30') ? 401 : 200
  return url.endsWith('/locked') && headers['X-Api-Key'] === undefined ? 401 : 200
}

async function sendEvent({ event_type, endpoints, data, idempotency_key }: Item): Promise<void> {
  const body = JSON.stringify({ endpoint_id: endpoints[0], event_type, data, idempotency_key })
  const headers = { authorization: 'Bearer <personal-key>', 'content-type': 'application/json' }
  const answer = await fetch(`${service.url}/api/v1/projects/${orders}/events`, { method: 'POST', headers, body })
  expect(answer.status).toBe(201)
}

async function hold(exchange: RecordedExchange): Promise<void> {
  const { method, path, headers, body } = exchange.request
  const answer = await fetch(`${service.url}${await translated(path)}`, {
    method,
    headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
    // With the spaces that the recorded sender wrote.
    ...(body !== undefined && { body: JSON.stringify(body).replaceAll(/(?<=")[:,](?=["\d])/g, '$& ') }),
  })
  const own = parse(await answer.text())
  const theirs = parsed.get(exchange)
  expect([exchange.name, answer.status]).toEqual([exchange.name, exchange.response.status])
  expect(answer.headers.get('content-type') ?? undefined).toBe(exchange.response.headers['content-type'])
  // Answers to edits of resources are compared elsewhere.
  if (/\/(?:endpoints|sources)\/[^/]+(?:\/[a-z]+)?$/.test(path) && method !== 'DELETE') return
  if (path.includes('/subscriptions?')) return
  expect([exchange.name, own?.message]).toEqual([exchange.name, theirs?.message])
  const [ours, real] = [own?.data, theirs?.data]
  if (real?.content === undefined) {
    expect([exchange.name, Array.isArray(ours) ? ours.map((row) => masked(row)) : masked(ours)]).toEqual([
      exchange.name,
      Array.isArray(real) ? real.map((row) => masked(row)) : masked(real),
    ])
    return
  }
  const { prev_page_cursor: _, next_page_cursor, ...pagination } = ours.pagination
  nextCursor = next_page_cursor
  expect([exchange.name, real.pagination]).toMatchObject([exchange.name, pagination])
  const isWhole = !real.pagination.has_next_page && !real.pagination.has_prev_page && !path.includes('direction')
  // The real service made the deliveries of a moment in any order.
  if (isWhole) expect([exchange.name, sorted(ours.content)]).toEqual([exchange.name, sorted(real.content)])
  else expect(ours.content).toHaveLength(real.content.length)
  expect(ours.content.map(Object.keys).slice(0, 1)).toEqual(real.content.map(Object.keys).slice(0, 1))
}

function sorted(rows: readonly Item[]) {
  return rows.map((row) => masked(row)).sort((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1))
}

/** What the recording determines of a row: neither uids that are made up, nor times, nor the order of members. */
function masked(value: Item, name = ''): Item {
  if (value === null || typeof value === 'number') return name === 'latency_seconds' ? 0 : value
  if (Array.isArray(value)) return name === 'endpoints' ? [...value].sort() : value.map((item) => masked(item))
  if (typeof value !== 'object') {
    return /_at$|_time$|^(uid|event_id|msg_id|raw|response_data)$/.test(name) && value !== '' ? name : value
  }
  const { 'X-Convoy-Signature': ___, ...members } = value
  if (name === 'headers' && 'X-Convoy-Source-Id' in members) return { of: members['X-Convoy-Source-Id'] }
  if (name === 'response_http_header') return { 'Content-Type': members['Content-Type'] }
  if (name === 'request_http_header') delete members['Accept-Encoding']
  // A subscription that the service made up has another uid.
  const isMade = members.subscription_id !== undefined && members.endpoint_id === endpointOf('unsubscribed')
  const entries = Object.entries(members).filter(([key]) => !(isMade && key === 'subscription_id'))
  return Object.fromEntries(entries.sort().map(([key, member]) => [key, masked(member, key)]))
}

/** A path with the uids of the recording's events and deliveries replaced by those of the simulated service. */
async function translated(path: string): Promise<string> {
  if (path.includes('next_page_cursor=01')) return path.replace(/(?<=next_page_cursor=)\w+/, nextCursor)
  const [uid] = path.match(/01M8JC[689][0-9A-Z]{19}/) ?? []
  const event = events.find((row) => row.uid === uid)
  const delivery = deliveries.find((row) => row.uid === uid)
  if (uid === undefined || (event === undefined && delivery === undefined)) return path
  const list = async (name: string): Promise<Item[]> => {
    const headers = { authorization: 'Bearer <personal-key>' }
    const answer = await fetch(`${service.url}/api/v1/projects/${orders}/${name}?perPage=1000`, { headers })
    return parse(await answer.text()).data.content
  }
  const isLate = (row: Item) => row.created_at > '2026-11-29T00:44:50'
  const isSame = (one: Item, other: Item) => JSON.stringify(masked(one)) === JSON.stringify(masked(other))
  const key = ({ endpoint_id, event_type, metadata }: Item) => ({ endpoint_id, event_type, data: metadata.data })
  const own =
    event === undefined
      ? (await list('eventdeliveries')).find((row) => isLate(row) && isSame(key(row), key(delivery)))
      : (await list('events')).find(
          (row) => isLate(row) && isSame([row.event_type, row.data], [event.event_type, event.data]),
        )
  return path.replace(uid, own?.uid ?? 'missing')
}

function endpointOf(name: string): string {
  const rows = [...deliveries, ...rowsOf(named('subscriptions after the events'))]
  return rows.find(({ endpoint_metadata }) => endpoint_metadata?.name === name)?.endpoint_metadata.uid
}

function fleetOf() {
  const [model] = generateFleet({ clean: true }).projects()
  if (model === undefined) throw new Error('no project')
  const [strategy, ssl] = [{ type: 'linear', duration: 1, retry_count: 2 }, { enforce_secure_endpoints: false }]
  const config = { ...model.config, strategy, ssl, disable_endpoint: false, multiple_endpoint_subscriptions: false }
  const common = { ...model, organisation_id: '01M8JC5V4F1ZABR1FXWG2RS4N5', config }
  const projects: ProjectRow[] = [
    { ...common, uid: orders, name: 'orders', type: 'outgoing', key: '<project-key:orders>' },
    { ...common, uid: intake, name: 'intake', type: 'incoming', key: '<project-key:intake>' },
  ]
  const fleet = createFleet({
    organisationId: common.organisation_id,
    personalKey: '<personal-key>',
    baseTimeMs: at('00:44:00'),
    projects,
    make: () => ({ endpoints: [], subscriptions: [], sources: [] }),
  })
  const stubs = [...deliveries, ...rowsOf(named('subscriptions after the events'))].map((row) => row.endpoint_metadata)
  const guard = {
    type: 'api_key',
    api_key: { header_name: 'X-Api-Key', header_value: 'ak_5d5d5d5d5d5d5d5d5d5d5d5d5d5d5d5d' },
  }
  const ofProject = (project: string) => {
    const own = stubs.filter((stub) => stub.project_id === project && stub.uid !== locked)
    return [...new Map(own.map((stub) => [stub.uid, stub])).values()].map((stub) =>
      endpointRow({
        ...stub,
        status: 'active',
        content_type: 'application/json',
        authentication: stub.name === 'guarded' ? guard : null,
      }),
    )
  }
  const source = (uid: string, name: string, mask_id: string, secret?: string): SourceRow => {
    const hmac = { header: 'X-Sig', hash: 'SHA256', secret: secret ?? '', encoding: 'hex' }
    const none = { basic_auth: null, api_key: null }
    const verifier = secret === undefined ? null : { ...none, type: 'hmac', hmac }
    const plain = { type: 'http', provider: '', is_disabled: false, provider_config: null, pub_sub: null }
    const functions = { body_function: null, header_function: null, forward_headers: null, idempotency_keys: null }
    const times = { created_at: common.created_at, updated_at: common.updated_at, url: '' }
    const custom_response = { body: '', content_type: '' }
    return { uid, project_id: intake, name, mask_id, verifier, custom_response, ...plain, ...functions, ...times }
  }
  const sources = [
    source('01M8JC5VENYP9EGH4DVBDWB9TE', 'signed', 'yn2GXgoggkoFzNCq', 'not-a-real-key'),
    source('01M8JC5VEGWN7DZ8514B4WCY78', 'off', 'uxUH1mFBK0srssxx'),
    source('01M8JC5VE770DQQWP706CMQ38A', 'unrouted', 'SiDiqo3NCRQeeuH4'),
    source('01M8JC5VDSYFZDJSD5HEZ0252E', 'shop', 'jdWOFH271lmu2Xsa'),
  ]
  const put = (project: string, data: ProjectData) => changeData(fleet, project, () => data)
  put(orders, { endpoints: ofProject(orders), subscriptions: [], sources: [] })
  put(intake, { endpoints: ofProject(intake), subscriptions: [], sources })
  const subscribe = (project: string, uid: string, endpoint: string, source?: string) => {
    const created = createSubscription(fleet, project, { endpoint: endpointOf(endpoint), ...(source && { source }) })
    changeSubscription(fleet, { project, uid: created }, (row) => ({ ...row, uid, name: `sub-${endpoint}` }))
  }
  for (const { uid, name } of rowsOf(named('subscriptions after the events'))) {
    if (!name.endsWith('-subscription')) subscribe(orders, uid, name.replace('sub-', ''))
  }
  subscribe(orders, '01M8JC5VBQ17SAWJDDH378QNC5', 'unsubscribed')
  subscribe(orders, '01M8JC5VCC80YB5RQ6DQNHZTZ9', 'deleted')
  changeSubscription(fleet, { project: orders, uid: '01M8JC5VAZP3C7VXCKRJ29HAT5' }, (row) => {
    return { ...row, filter_config: { ...row.filter_config, event_types: ['order.voided'] } }
  })
  subscribe(intake, '01M8JC5VF5V28SRMRVPKTHR62G', 'inner', '01M8JC5VDSYFZDJSD5HEZ0252E')
  subscribe(intake, '01M8JC5VFF3XSQVEBSF4RWQ8MQ', 'inner', '01M8JC5VE770DQQWP706CMQ38A')
  subscribe(intake, '01M8JC5VFTT48K2HH0GK95WEWX', 'inner', '01M8JC5VEGWN7DZ8514B4WCY78')
  return fleet
}

function at(time: string): number {
  return Date.parse(`2026-11-29T${time}Z`)
}

function parse(text: string): Item {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
