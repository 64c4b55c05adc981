import { isExactNumber } from '../../model/exact-number.ts'
import { isJsonObject, type Json, type JsonObject } from '../../model/json.ts'
import { longestUid } from '../../model/resource.ts'
import { deliveryStatuses, windowParameters } from '../deliveries.ts'
import { badId } from './decode-envelope.ts'
import { type ListingFilter, walkPages } from './read-pages.ts'
import type { SendRequest } from './send-request.ts'
import type { EventChannel, GatewayDelivery, GatewayEvent, ProjectAccess, RowChoice } from './service-client.ts'
import { ServiceFault } from './service-fault.ts'
import type { ServiceSettings } from './settings.ts'

/** Rows of the service carry the payload twice: more at once would fill the memory, or not come in time. */
const largestPage = 1000
/** No release pages by less, unless it is asked to: so a walk that goes on and on ends. */
const smallestPage = 20

/**
 * Walks deliveries, newest first, some at a time.
 * @throws ServiceFault as the walk of a listing does; `foreign`: the key is one of another project
 */
export function readDeliveries(ask: SendRequest, choice: RowChoice, access: ProjectAccess, settings: ServiceSettings) {
  return walkRows(ask, { list: 'eventdeliveries', choice, decode: toDelivery }, access, settings)
}

/** The same of events. */
export function readEvents(ask: SendRequest, choice: RowChoice, access: ProjectAccess, settings: ServiceSettings) {
  return walkRows(ask, { list: 'events', choice, decode: toEvent }, access, settings)
}

interface RowList<Row> {
  readonly list: 'eventdeliveries' | 'events'
  readonly choice: RowChoice
  /** The text says what is wrong with it. */
  readonly decode: (item: JsonObject) => Row | string
}

async function* walkRows<Row>(
  ask: SendRequest,
  { list, choice, decode }: RowList<Row>,
  access: ProjectAccess,
  settings: ServiceSettings,
): AsyncGenerator<readonly Row[], void, void> {
  const { most } = choice
  const pageSize = Math.max(1, Math.min(settings.pageSize, largestPage, most))
  const maxPages = Math.min(settings.limits.maxPages, Math.ceil(most / smallestPage) + 1)
  const bounded = { ...settings, pageSize, limits: { ...settings.limits, maxPages } }
  const query = new URLSearchParams({ [settings.dialect.parameters.pageSize]: String(pageSize) })
  const walk = { name: list, filters: filtersFor(choice, list), query }
  try {
    for await (const { number, items, requestId } of walkPages(ask, walk, access, bounded)) {
      yield items.map((item) => {
        const row = decode(item)
        if (typeof row !== 'string') return row
        throw new ServiceFault('malformed', `page ${number}: an item has ${row}`, { requestId })
      })
    }
  } catch (error) {
    if (!(error instanceof ServiceFault)) throw error
    const { url, requestId, what } = error.facts
    throw new ServiceFault(error.kind, `${list}, ${what}`, { url, requestId })
  }
}

/**
 * Each with what a row shows of it: the service ignores a parameter that it does not know. An event shows the endpoints for
 * which it was matched last, and is listed for all for which it ever was: its endpoints prove nothing.
 */
function filtersFor({ window, endpoints = [], sources = [] }: RowChoice, list: string): readonly ListingFilter[] {
  const { startDate, endDate } = windowParameters(window)
  const within = (item: JsonObject) => createdAt(item) ?? Number.NaN
  const [start, end] = [Date.parse(`${startDate}Z`), Date.parse(`${endDate}Z`)]
  const isOf = (asked: readonly string[], uid: Json | undefined) => typeof uid === 'string' && asked.includes(uid)
  const filters: readonly ListingFilter[] = [
    { name: 'startDate', parameter: 'startDate', values: [startDate], holds: (item) => within(item) >= start },
    { name: 'endDate', parameter: 'endDate', values: [endDate], holds: (item) => within(item) <= end },
    {
      name: 'endpointId',
      parameter: 'endpointId',
      values: endpoints,
      holds: ({ endpoint_id: uid }) => endpoints.length === 0 || list === 'events' || isOf(endpoints, uid),
    },
    {
      name: 'sourceId',
      parameter: 'sourceId',
      values: sources,
      holds: ({ source_id: uid }) => sources.length === 0 || isOf(sources, uid),
    },
  ]
  return filters
}

function toDelivery({
  uid,
  event_id,
  endpoint_id,
  subscription_id,
  status,
  ...item
}: JsonObject): GatewayDelivery | string {
  const at = createdAt(item)
  if (at === undefined) return 'no time at which it was created'
  if (!isId(event_id) || event_id === '') return badId('event_id', event_id)
  if (!isId(endpoint_id)) return badId('endpoint_id', endpoint_id)
  if (!isId(subscription_id)) return badId('subscription_id', subscription_id)
  return {
    uid: String(uid),
    eventId: event_id,
    endpointId: endpoint_id,
    subscriptionId: subscription_id,
    status: deliveryStatuses.find((known) => known === status),
    createdAt: at,
  }
}

function toEvent({ uid, event_type, endpoints, source_id, metadata, ...item }: JsonObject): GatewayEvent | string {
  const at = createdAt(item)
  if (at === undefined) return 'no time at which it was created'
  const named = endpoints ?? []
  if (!Array.isArray(named) || !named.every(isId)) return 'endpoints that are not a list of ids'
  const sourceId = source_id ?? ''
  if (!isId(sourceId)) return badId('source_id', sourceId)
  return {
    uid: String(uid),
    type: typeof event_type === 'string' ? event_type : '',
    endpoints: named,
    sourceId,
    isDuplicate: item.is_duplicate_event === true,
    isMatched: item.status === 'Success' || item.status === 'Failure',
    channel: channelIn(metadata),
    createdAt: at,
  }
}

/**
 * The channel alone: of a dynamic event, the text has the endpoint's secret and the sender's headers. Its form is that of
 * `worker/task/process_event_creation.go` of v25.6.3 and v26.3.6.
 */
function channelIn(metadata: Json | undefined): EventChannel | undefined {
  if (typeof metadata !== 'string' || metadata.length > longestMetadata) return undefined
  let read: unknown
  try {
    read = JSON.parse(metadata)
  } catch {
    return undefined
  }
  if (!isJsonObject(read)) return undefined
  if (read.channel === 'broadcast') return 'broadcast'
  if (read.channel !== 'default') return undefined
  return read.createSubscription === 'true' ? 'named' : 'owner'
}

/** Of a channel that names no payload. */
const longestMetadata = 1000

function createdAt({ created_at: time }: JsonObject): number | undefined {
  const at = typeof time === 'string' && /^\d{4}-\d\d-\d\dT/.test(time) ? Date.parse(time) : Number.NaN
  return Number.isNaN(at) ? undefined : at
}

/** An absent one is empty. A number is not an identifier. */
function isId(value: Json | undefined): value is string {
  return typeof value === 'string' && !isExactNumber(value) && value.length <= longestUid && value.isWellFormed()
}
