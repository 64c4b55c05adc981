import { isJsonObject, type Json, type JsonObject } from '../model/json.ts'
import { answerPage, enveloped, panicked } from './answers.ts'
import { releases, type SimulatedRelease } from './behaviour.ts'
import type { DeliveryWorker, NewEvent } from './deliver.ts'
import { type DeliveryRow, type EventRow, type HeaderLists, trafficOf } from './deliveries.ts'
import type { SimulatedAnswer } from './fault.ts'
import type { SimulatedFleet } from './fleet.ts'
import { readPageQuery } from './page.ts'
import { renderAttempt, renderDelivery, renderEvent } from './render-delivery.ts'

/** A request about events or deliveries. */
export interface DeliveryRequest {
  readonly method: 'GET' | 'POST' | 'PUT'
  readonly name: 'deliveries'
  readonly act: (typeof acts)[number][2]
  readonly projectUid: string
  /** Of an event or a delivery; empty: the request is about all. */
  readonly uid: string
}

/** The first one that fits decides. Below `/api/v1`, the count of deliveries is no more than an unknown delivery. */
const acts = [
  ['GET', 'eventdeliveries', 'list deliveries'],
  ['POST', 'eventdeliveries/batchretry', 'retry deliveries'],
  ['GET', 'eventdeliveries/{id}', 'show delivery'],
  ['GET', 'eventdeliveries/{id}/deliveryattempts', 'list attempts'],
  ['PUT', 'eventdeliveries/{id}/resend', 'resend delivery'],
  ['GET', 'events', 'list events'],
  ['POST', 'events', 'create event'],
  ['POST', 'events/broadcast', 'broadcast event'],
  ['POST', 'events/fanout', 'fan out event'],
  ['POST', 'events/batchreplay', 'replay events'],
  ['GET', 'events/countbatchreplayevents', 'count events'],
  ['GET', 'events/{id}', 'show event'],
  ['PUT', 'events/{id}/replay', 'replay event'],
  ['GET', '/count of deliveries', 'count deliveries'],
] as const

const patterns = acts.map(([method, path, act]) => {
  return { method, act, pattern: new RegExp(`^${path.replace('{id}', '([^/]+)')}$`) }
})

/** `rest`: the path below the project. */
export function deliveryRequestAt(method: string, projectUid: string, rest: string): DeliveryRequest | undefined {
  const fitting = patterns.filter(({ pattern }) => pattern.test(rest))
  const found = fitting.find((one) => one.method === method) ?? fitting[0]
  if (found === undefined) return undefined
  return { ...found, name: 'deliveries', projectUid, uid: found.pattern.exec(rest)?.[1] ?? '' }
}

/** At the dashboard's address alone: the path of the count of deliveries as the API would have it. */
export function countPathOf(path: string): string {
  const counting = /^\/ui\/organisations\/[^/]+\/(projects\/[^/]+)\/eventdeliveries\/countbatchretryevents$/
  return path.replace(counting, '/api/v1/$1//count of deliveries')
}

interface DeliveryCall {
  readonly fleet: SimulatedFleet
  readonly worker: DeliveryWorker
  readonly release: SimulatedRelease
  readonly maxPageSize: number
  readonly parameters: URLSearchParams
  readonly body: string
  readonly nowMs: number
}

export function performDeliveryRequest(
  { act, projectUid: project, uid }: DeliveryRequest,
  asked: DeliveryCall,
): SimulatedAnswer {
  const { fleet, worker, release, parameters, nowMs } = asked
  const traffic = trafficOf(fleet).of(project)
  const say = (message: string, data?: Json, status = 200) => enveloped(release, status, message, data)
  const refuse = (message: string, status = 400) => enveloped(release, status, message)
  const event = traffic.events.get(uid)
  const delivery = traffic.deliveries.get(uid)
  const show = (row: DeliveryRow, how: 'listed' | 'one') =>
    renderDelivery(row, latestEndpoint(row, fleet), { release, how })
  switch (act) {
    case 'show event':
      return event
        ? say('Endpoint event fetched successfully', renderEvent(event, release))
        : refuse('event not found', 404)
    case 'show delivery':
      if (delivery === undefined) return refuse('event delivery not found', 404)
      return say('Event Delivery fetched successfully', show(delivery, 'one'))
    case 'list attempts': {
      if (delivery === undefined) return refuse('event delivery not found', 404)
      const attempts = traffic.attempts.get(uid) ?? []
      const items = attempts.map((attempt) => renderAttempt(attempt, delivery, release))
      return say('Event delivery attempts fetched successfully', items)
    }
    case 'resend delivery': {
      const queued = delivery === undefined ? 'event delivery not found' : worker.resend(delivery, nowMs)
      if (typeof queued === 'string') return refuse(queued)
      return say('App event processed for retry successfully', show(queued, 'one'))
    }
    case 'replay event':
      if (event === undefined) return refuse('event not found')
      worker.replay(event, nowMs)
      return say('Endpoint event replayed successfully', renderEvent(event, release))
    case 'create event':
    case 'broadcast event':
    case 'fan out event':
      return createEvent(act, project, asked)
  }
  const window = readWindow(parameters, nowMs)
  if (typeof window === 'string') return refuse(window)
  const isWithin = ({ created_at }: EventRow | DeliveryRow) =>
    Date.parse(created_at) >= window.fromMs && Date.parse(created_at) <= window.toMs
  const given = (name: string) => new Set(parameters.getAll(name).filter((value) => value !== ''))
  const takes = (name: string) => {
    const values = given(name)
    return (value: string) => values.size === 0 || values.has(value)
  }
  const [takesEndpoint, takesKey] = [takes('endpointId'), takes('idempotencyKey')]
  const endpoints = given('endpointId')
  const names = (row: EventRow) => endpoints.size === 0 || !endpoints.isDisjointFrom(row.everNamed)
  if (act === 'list deliveries' || act === 'retry deliveries' || act === 'count deliveries') {
    const [takesStatus, takesSubscription] = [takes('status'), takes('subscriptionId')]
    const [takesEvent, takesType] = [takes('eventId'), takes('eventType')]
    const isCounted = (row: DeliveryRow) =>
      isWithin(row) && takesEndpoint(row.endpoint.uid) && takesStatus(row.status) && takesEvent(row.event_id)
    const concerns = (row: DeliveryRow) =>
      isCounted(row) &&
      takesSubscription(row.subscription_id) &&
      takesType(row.event_type) &&
      takesKey(row.idempotency_key)
    if (act === 'retry deliveries') {
      if (!worker.retryBatch(project, concerns, nowMs)) return refuse('an active batch retry already exists')
      return say('Batch retry processing', null)
    }
    const rows = [...traffic.deliveries.values()].reverse()
    if (act === 'count deliveries')
      return say('event deliveries count successful', { num: rows.filter(isCounted).length })
    return page(rows.filter(concerns), (row) => show(row, 'listed'), 'Event deliveries fetched successfully', asked)
  }
  const rows = [...traffic.events.values()].reverse().filter((row) => isWithin(row) && names(row))
  if (act === 'count events') return say('events count successful', { num: rows.length })
  const takesSource = takes('sourceId')
  const owner = parameters.get('ownerId') ?? ''
  const ofOwner = new Set(fleet.open(project).endpoints.flatMap((row) => (row.owner_id === owner ? row.uid : [])))
  const chosen = rows.filter(
    (row) =>
      takesSource(row.source?.uid ?? '') &&
      takesKey(row.idempotency_key) &&
      (owner === '' || !ofOwner.isDisjointFrom(row.everNamed)),
  )
  if (act === 'list events')
    return page(chosen, (row) => renderEvent(row, release), 'App events fetched successfully', asked)
  for (const each of chosen) worker.replay(each, nowMs)
  return say(`${chosen.length} successful, 0 failed`, null)
}

function page<Row extends EventRow | DeliveryRow>(
  rows: readonly Row[],
  render: (row: Row) => JsonObject,
  message: string,
  { parameters, release, maxPageSize }: DeliveryCall,
): SimulatedAnswer {
  const query = readPageQuery(parameters, maxPageSize)
  if (query.perPage < 0) return panicked(release)
  return answerPage(rows, render, { message, query, release })
}

/** The endpoint as it is; once it was deleted, as it was last. */
function latestEndpoint({ project_id, endpoint }: DeliveryRow, fleet: SimulatedFleet) {
  return fleet.open(project_id).endpoints.find(({ uid }) => uid === endpoint.uid) ?? endpoint
}

/** Without dates: from midnight seven days ago to the end of today. A text says what is wrong. */
function readWindow(parameters: URLSearchParams, nowMs: number): { fromMs: number; toMs: number } | string {
  const dayMs = 86_400_000
  const midnight = nowMs - (nowMs % dayMs)
  const [start, end] = [parameters.get('startDate') || undefined, parameters.get('endDate') || undefined]
  const fromMs = start === undefined ? midnight - 7 * dayMs : secondOf(start)
  const toMs = end === undefined ? midnight + dayMs - 1000 : secondOf(end)
  const form = '2006-01-02T15:04:05'
  if (fromMs === undefined) return `please specify a startDate in the format ${form}`
  if (toMs === undefined) return `please specify a correct endDate in the format ${form} or none at all`
  return fromMs > toMs ? 'startDate cannot be greater than endDate' : { fromMs, toMs }
}

/** In UTC and without a zone; a fraction is cut off. */
function secondOf(text: string): number | undefined {
  const [, whole] = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:[.,]\d{1,9})?$/.exec(text) ?? []
  const ms = Date.parse(`${whole}Z`)
  return Number.isNaN(ms) ? undefined : ms
}

const needed = {
  'create event': ['endpoint_id', 'event_type'],
  'broadcast event': ['event_type'],
  'fan out event': ['owner_id', 'event_type'],
} as const

function createEvent(
  act: keyof typeof needed,
  project: string,
  { fleet, worker, release, body, nowMs }: DeliveryCall,
): SimulatedAnswer {
  const given = readBody(body)
  const text = (name: string) => (typeof given?.[name] === 'string' ? given[name] : '')
  if (given?.data === undefined || needed[act].some((name) => text(name) === ''))
    return enveloped(release, 400, 'Invalid request body')
  const { endpoints } = fleet.open(project)
  const named = {
    'create event': [text('endpoint_id')],
    'broadcast event': [],
    'fan out event': endpoints.flatMap(({ uid, owner_id }) => (owner_id === text('owner_id') ? uid : [])),
  }[act]
  const isUnknown = act === 'create event' && !endpoints.some(({ uid }) => uid === text('endpoint_id'))
  if (isUnknown && releases[release].checksEventEndpoint) return enveloped(release, 400, 'endpoint not found')
  const event: NewEvent = {
    event_type: text('event_type'),
    source: null,
    endpoints: named,
    headers: headersIn(given.custom_headers),
    idempotency_key: text('idempotency_key'),
    data: given.data,
    url_query_params: '',
    channel: act === 'broadcast event' ? 'broadcast' : 'default',
    createsSubscription: act === 'create event',
  }
  const { isDuplicate } = worker.take(project, event, nowMs)
  if (act === 'create event') return enveloped(release, 201, 'Event queued successfully', 200)
  if (act === 'broadcast event') return enveloped(release, 201, 'Broadcast event created successfully', null)
  const duplicate = 'Duplicate event received, but will not be sent'
  return enveloped(release, 201, isDuplicate ? duplicate : 'Endpoint fanout event queued successfully', null)
}

function headersIn(given: Json | undefined): HeaderLists {
  const entries = isJsonObject(given) ? Object.entries(given) : []
  return Object.fromEntries(entries.map(([name, value]) => [name, [String(value)]]))
}

function readBody(body: string): JsonObject | undefined {
  try {
    const value: Json = JSON.parse(body)
    return isJsonObject(value) ? value : undefined
  } catch {
    return undefined
  }
}
