import { type DeliveryStatus, deliveryStatuses } from '../gateway/deliveries.ts'
import type { FailedDelivery, ReachOf } from '../gateway/repair/plan-redelivery.ts'
import type { GatewayDelivery, GatewayEvent, TimeWindow } from '../gateway/service/service-client.ts'
import type { JsonObject } from '../model/json.ts'
import type { Subscription } from '../rules/engine/attributes.ts'
import {
  appliedFilters,
  declaredEvents,
  filterFor,
  filterRows,
  isEmptyFilter,
} from '../rules/shared/delivered-events.ts'
import type { SubscriptionLife } from './impact-scope.ts'

/** What a gateway showed of a window. */
export interface WindowRows {
  readonly window: TimeWindow
  readonly deliveries: readonly GatewayDelivery[]
  /** From the end of the window until now; undefined where they could not be read, or nothing needs them. */
  readonly later: readonly GatewayDelivery[] | undefined
  /** undefined where they could not be read, or nothing needs them. */
  readonly events: readonly GatewayEvent[] | undefined
  /** Whether these are all events of the window, and not those of some endpoints and sources. */
  readonly areAllEvents: boolean
  /** Whether it still keeps what is older than the window. */
  readonly isKept: boolean
  /** Why something could not be read, as sentences. */
  readonly reasons: readonly string[]
}

export type StatusCounts = Readonly<Record<DeliveryStatus, number | null>>

/** What an endpoint did not get. null: not known. */
export interface ImpactCounts {
  readonly deliveries: StatusCounts
  readonly undelivered: number | null
  readonly failed: readonly FailedDelivery[]
  /** Those events without a delivery of which that is certain. */
  readonly lost: readonly string[]
  readonly pending: number
  /** Events of which a delivery arrived or is still tried; undefined where that is not known. */
  readonly reached: ReadonlySet<string> | undefined
  /** Why something is not known, as sentences. */
  readonly reasons: readonly string[]
}

/** An endpoint, as far as it decides what was lost. */
export interface CountedEndpoint {
  readonly uid: string
  readonly subscriptions: readonly Pick<SubscriptionLife, 'former' | 'isChanged'>[]
  readonly hasOtherOwner: boolean
  /** Other endpoints that have or had its owner: an event for that owner shows those alone that matched. */
  readonly peers: ReadonlySet<string>
  /** Why events of it left no trace. */
  readonly traceless: readonly string[]
}

export const nothingCounted: StatusCounts = countsOf(() => null)

/** Counts what a window has of an endpoint. */
export function countImpact(endpoint: CountedEndpoint, rows: WindowRows): ImpactCounts {
  const { uid } = endpoint
  const own = rows.deliveries.filter(({ endpointId }) => endpointId === uid)
  const later = rows.later?.filter(({ endpointId }) => endpointId === uid)
  const counted = Map.groupBy(own, ({ status }) => status)
  const strange = counted.get(undefined)?.length ?? 0
  const deliveries = countsOf((status) => {
    const number = counted.get(status)?.length ?? 0
    return number === 0 && (!rows.isKept || strange > 0) ? null : number
  })
  const failed = own.flatMap(({ eventId, subscriptionId, status }) =>
    status === 'Failure' || status === 'Discarded' ? [{ eventId, subscriptionId, status }] : [],
  )
  const ended = new Set<DeliveryStatus | undefined>(['Failure', 'Discarded'])
  const reaching = [...own, ...(later ?? [])].filter(({ status }) => !ended.has(status))
  const { lost, undelivered, reasons } = countUndelivered(endpoint, rows, [...own, ...(later ?? [])])
  return {
    deliveries,
    undelivered: undelivered === 0 && !rows.isKept ? null : undelivered,
    failed,
    lost,
    pending: own.filter(({ status }) => status !== undefined && pendingStatuses.has(status)).length,
    reached: later === undefined ? undefined : new Set(reaching.map(({ eventId }) => eventId)),
    reasons: [
      ...(rows.isKept ? [] : [notKept]),
      ...(strange > 0 ? [`${strange} deliveries have a status that hookdrift does not know.`] : []),
      ...reasons,
    ],
  }
}

const notKept =
  'The gateway shows no event from before the window: it may have deleted a part of it. Counts are of what it still has.'
const pendingStatuses: ReadonlySet<DeliveryStatus> = new Set(['Scheduled', 'Processing', 'Retry'])

function countsOf(count: (status: DeliveryStatus) => number | null): StatusCounts {
  // fromEntries forgets that the keys are all statuses.
  return Object.fromEntries(deliveryStatuses.map((status) => [status, count(status)])) as Record<
    DeliveryStatus,
    number | null
  >
}

/** Whether any event may have got no delivery because of what changed, so that events are needed. */
export function mayLackDeliveries({
  subscriptions,
  hasOtherOwner,
  traceless,
}: Pick<CountedEndpoint, 'subscriptions' | 'hasOtherOwner' | 'traceless'>): boolean {
  return traceless.length === 0 && (hasOtherOwner || subscriptions.some(({ isChanged }) => isChanged))
}

interface UndeliveredCount extends Pick<ImpactCounts, 'lost' | 'undelivered' | 'reasons'> {}

/**
 * Events that the subscriptions of before would have delivered, and of which the endpoint has no delivery. Deliveries are
 * made regardless of the endpoint's status: without another subscription, none is missing.
 */
function countUndelivered(
  endpoint: CountedEndpoint,
  { window, events, areAllEvents, reasons }: WindowRows,
  own: readonly GatewayDelivery[],
): UndeliveredCount {
  const { uid, subscriptions, hasOtherOwner, peers, traceless } = endpoint
  if (traceless.length > 0) return { lost: [], undelivered: null, reasons: traceless }
  if (!mayLackDeliveries(endpoint)) return { lost: [], undelivered: 0, reasons: [] }
  if (events === undefined) return { lost: [], undelivered: null, reasons: [...reasons, eventsUnread] }
  const delivered = new Set(own.map(({ eventId }) => eventId))
  const lost: string[] = []
  let [isDecidedByContent, unnamed, unmatched] = [0, 0, 0]
  for (const event of events) {
    const { createdAt, isDuplicate, sourceId, endpoints, channel } = event
    if (isDuplicate || delivered.has(event.uid) || createdAt < window.from || createdAt > window.to) continue
    const formerly = subscriptions.flatMap(({ former }) => (former === undefined ? [] : [former]))
    const isOfSource = sourceId !== ''
    const matching = formerly.filter(({ source_uid: source }) => !isOfSource || source === sourceId)
    const match = bestMatch(matching, event.type)
    if (match === 'never') continue
    if (isOfSource || endpoints.includes(uid)) {
      if (!event.isMatched) unmatched += 1
      else if (match === 'always') lost.push(event.uid)
      else isDecidedByContent += 1
    } else if (channel !== 'named' && (channel !== 'owner' || hasOtherOwner || endpoints.some((one) => peers.has(one))))
      unnamed += 1
  }
  const unknown = [
    ...(isDecidedByContent > 0 ? [`${isDecidedByContent} events without a delivery ${contentDecides}`] : []),
    ...(unnamed > 0 ? [`${unnamed} events that do not name the endpoint ${mayBeMeant}`] : []),
    ...(areAllEvents ? [] : [notAllEvents]),
  ]
  const waiting = unmatched > 0 ? [`${unmatched} events are not matched yet: Convoy goes on by itself.`] : []
  return { lost, undelivered: unknown.length > 0 ? null : lost.length, reasons: [...unknown, ...waiting] }
}

const eventsUnread = 'So it is not known which events got no delivery.'
const contentDecides =
  'have a type that was delivered before under conditions on their contents: whether they met them is not known.'
const mayBeMeant =
  'have a type that was delivered before: broadcasts, and events for an owner, show no endpoint that did not match. Whether it lost some of them is not known.'
const notAllEvents =
  'Not all events of the window were read: whether it lost broadcasts, or events for an owner, is not known.'

type Match = 'always' | 'maybe' | 'never'

function bestMatch(subscriptions: readonly JsonObject[], type: string): Match {
  const matches = subscriptions.map((subscription) => matchOf(subscription, type))
  return matches.includes('always') ? 'always' : matches.includes('maybe') ? 'maybe' : 'never'
}

/** Whether a subscription delivers events of a type. `maybe`: their contents decide, or not all of it is known. */
export function matchOf(attributes: JsonObject, type: string): Match {
  // as: it is of that kind.
  const subscription = attributes as Subscription
  const applied = appliedFilters(filterRows(subscription))
  if (applied !== undefined) {
    const filter = filterFor(applied, type)
    if (filter !== undefined) return isEmptyFilter(filter) ? 'always' : 'maybe'
    return [...applied.keys()].some(isHidden) ? 'maybe' : 'never'
  }
  const { types, filters } = declaredEvents(subscription.filter_config)
  if (types === undefined) return 'maybe'
  if (!types.includes(type) && !types.includes('*')) return types.some(isHidden) ? 'maybe' : 'never'
  return filters.length > 0 && filters.every(({ filter }) => isEmptyFilter(filter)) ? 'always' : 'maybe'
}

/** Whether a type is not shown as the service has it. */
function isHidden(type: string): boolean {
  return /^(?:#\d|sealed:|number:|text:)/.test(type)
}

/** What the history knows of a project as it is now. */
export interface PresentRoutes {
  readonly subscriptions: readonly JsonObject[]
  /** Endpoints that were deleted. */
  readonly deleted: ReadonlySet<string>
}

/** Which endpoints get an event if it is replayed: it is matched anew, a broadcast among the endpoints that it names. */
export function reachOfEvents(events: readonly GatewayEvent[], { subscriptions, deleted }: PresentRoutes): ReachOf {
  const byId = new Map(events.map((event) => [event.uid, event]))
  return (id) => {
    const event = byId.get(id)
    if (event === undefined) return undefined
    const { type, endpoints, sourceId } = event
    const isOfSource = sourceId !== ''
    if (!isOfSource && endpoints.some((uid) => deleted.has(uid))) return 'nowhere'
    const named = new Set(endpoints)
    const reached = subscriptions.flatMap((subscription) => {
      const { endpoint_uid: endpoint, source_uid: source } = subscription
      if (typeof endpoint !== 'string' || deleted.has(endpoint)) return []
      const isMeant = isOfSource ? source === sourceId : named.has(endpoint)
      return isMeant && matchOf(subscription, type) !== 'never' ? [endpoint] : []
    })
    return [...new Set(reached)]
  }
}
