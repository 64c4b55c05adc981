import { deliveriesByEndpointStatus, isRetried } from '../gateway/deliveries.ts'
import { outcomeOf } from '../gateway/filters.ts'
import { retryDelay } from '../gateway/retries.ts'
import { memberOf } from '../model/json.ts'
import type { Behaviour } from './behaviour.ts'
import {
  type DeliveryRow,
  type EventRow,
  type EventTraffic,
  type FleetTraffic,
  type HeaderLists,
  trafficOf,
} from './deliveries.ts'
import { createSubscription, setEndpointStatus, updateSubscription } from './edits.ts'
import type { SimulatedFleet } from './fleet.ts'
import { type EndpointRow, filterRowsOf, type SubscriptionRow, timestamp } from './rows.ts'

/** An event that came in, before it is matched. */
export type NewEvent = Pick<EventRow, 'event_type' | 'source' | 'headers' | 'idempotency_key' | 'data'> &
  Pick<EventRow, 'endpoints' | 'channel' | 'createsSubscription' | 'url_query_params'>

/** The time that a batch of retries and a single one wait in their queue. */
const queuedMs = 1000
/** The age of what a broadcast knows of subscriptions. */
const tableMs = 10_000

/**
 * The worker of the simulated service: matches events, makes deliveries, and sends what is due when it learns the time.
 * Nothing happens in between. Functions of subscriptions, rate limits and circuit breakers are left out.
 */
export class DeliveryWorker {
  readonly #fleet: SimulatedFleet
  readonly #behaviour: Behaviour
  readonly #traffic: FleetTraffic

  constructor(fleet: SimulatedFleet, behaviour: Behaviour) {
    this.#fleet = fleet
    this.#behaviour = behaviour
    this.#traffic = trafficOf(fleet)
  }

  /** Does all that is due at a time, in its order. What was made before the retention period goes. */
  advance(timeMs: number): void {
    const now = this.#traffic.passTo(timeMs)
    for (let due = this.#earliest(); due <= now; due = this.#earliest()) this.#performAt(due)
    for (const [project, traffic] of this.#traffic.projects()) {
      this.#forget(traffic)
      this.#readTable(project, now)
    }
  }

  /** A duplicate is kept, and not matched. An event of an endpoint that does not exist leaves no trace. */
  take(project: string, given: NewEvent, nowMs: number): { readonly isDuplicate: boolean } {
    const { events } = this.#traffic.of(project)
    const { endpoints, idempotency_key: key } = given
    if (given.createsSubscription && endpoints.some((uid) => this.#endpoint(project, uid) === undefined))
      return { isDuplicate: false }
    const isDuplicate = key !== '' && [...events.values()].some((event) => event.idempotency_key === key)
    const event: EventRow = {
      ...given,
      uid: this.#traffic.newUid(),
      project_id: project,
      everNamed: new Set(endpoints),
      is_duplicate_event: isDuplicate,
      status: 'Processing',
      created_at: timestamp(nowMs),
    }
    events.set(event.uid, event)
    if (!isDuplicate) this.#match(event, given.channel, nowMs)
    return { isDuplicate }
  }

  /** Matches an event anew, also a broadcast among the endpoints alone that it names. */
  replay(event: EventRow, nowMs: number): void {
    if (!event.is_duplicate_event) this.#match(event, 'default', nowMs)
  }

  /** false: another batch is still under way in the project. */
  retryBatch(project: string, concerns: (row: DeliveryRow) => boolean, nowMs: number): boolean {
    const traffic = this.#traffic.of(project)
    if (traffic.batchRetry !== null) return false
    traffic.batchRetry = { dueMs: nowMs + queuedMs, concerns }
    return true
  }

  /** The delivery in its queue; a text is why it is refused. */
  resend(row: DeliveryRow, nowMs: number): DeliveryRow | string {
    const { status, project_id: project } = row
    if (status === 'Success') return 'event already sent'
    if (status !== 'Failure' && status !== 'Discarded') return 'cannot resend event that did not fail previously'
    const endpoint = this.#endpoint(project, row.endpoint.uid)
    if (endpoint === undefined) return 'endpoint not found'
    if (endpoint.status !== 'active') return `the endpoint is currently ${endpoint.status}`
    const queued: DeliveryRow = { ...row, status: 'Scheduled' }
    this.#keep(queued)
    this.#traffic.of(project).queue.set(row.uid, nowMs + queuedMs)
    return queued
  }

  #earliest(): number {
    const dues = this.#traffic
      .projects()
      .flatMap(([, { queue, batchRetry }]) => [...queue.values(), batchRetry?.dueMs ?? Infinity])
    return dues.reduce((least, due) => Math.min(least, due), Infinity)
  }

  #performAt(due: number): void {
    for (const [, traffic] of this.#traffic.projects()) {
      const { batchRetry, deliveries, queue } = traffic
      if (batchRetry?.dueMs === due) {
        traffic.batchRetry = null
        for (const row of deliveries.values()) if (batchRetry.concerns(row)) queue.set(row.uid, due)
      }
      for (const [uid, time] of [...queue]) {
        if (time !== due) continue
        queue.delete(uid)
        const row = deliveries.get(uid)
        if (row !== undefined) this.#send(row, due)
      }
    }
  }

  #forget({ events, deliveries, attempts }: EventTraffic): void {
    const isOld = ({ created_at }: EventRow | DeliveryRow) => Date.parse(created_at) < this.#behaviour.retainedFromMs
    for (const [uid, event] of events) if (isOld(event)) events.delete(uid)
    for (const [uid, delivery] of deliveries) {
      if (isOld(delivery)) for (const map of [deliveries, attempts]) map.delete(uid)
    }
  }

  #readTable(project: string, now: number) {
    const traffic = this.#traffic.of(project)
    if (traffic.table !== null && now - traffic.table.readMs < tableMs) return traffic.table.rows
    const rows = this.#fleet.project(project) === undefined ? [] : this.#fleet.open(project).subscriptions
    traffic.table = { readMs: now, rows }
    return rows
  }

  #match(event: EventRow, channel: EventRow['channel'], nowMs: number): void {
    const { project_id: project } = event
    const { events } = this.#traffic.of(project)
    const matched = channel === 'broadcast' ? this.#matchBroadcast(event, nowMs) : this.#matchNamed(event)
    if (matched === undefined) {
      // An endpoint that it names is gone: the worker fails again and again.
      events.set(event.uid, { ...event, status: 'Processing' })
      return
    }
    if (matched.length === 0) {
      events.set(event.uid, { ...event, status: 'Failure' })
      return
    }
    const endpoints = matched.flatMap(({ endpoint_id }) => endpoint_id ?? [])
    const everNamed = new Set([...event.everNamed, ...endpoints])
    events.set(event.uid, { ...event, endpoints, everNamed, status: 'Success' })
    for (const subscription of matched) this.#makeDelivery(event, subscription, nowMs)
  }

  /** Of an event for endpoints, or from a source. undefined: an endpoint that it names is gone. */
  #matchNamed(event: EventRow): readonly SubscriptionRow[] | undefined {
    const { project_id: project, source } = event
    const { subscriptions } = this.#fleet.open(project)
    if (this.#fleet.project(project)?.type === 'incoming')
      return subscriptions.filter((row) => row.source_id === source?.uid && this.#lets(row, event))
    const matched: SubscriptionRow[] = []
    for (const uid of event.endpoints) {
      const endpoint = this.#endpoint(project, uid)
      if (endpoint === undefined) return undefined
      const own = subscriptions.filter((row) => row.endpoint_id === uid)
      if (own.length === 0 && event.createsSubscription) return [...matched, this.#subscribe(endpoint)]
      matched.push(...own.filter((row) => this.#lets(row, event)))
    }
    return matched
  }

  /** By the event types that subscriptions declare, and not by their filter rows: one for each endpoint. */
  #matchBroadcast(event: EventRow, nowMs: number): readonly SubscriptionRow[] {
    const declared = (type: string) =>
      this.#readTable(event.project_id, nowMs).filter((row) => row.filter_config.event_types.includes(type))
    const matched = [...declared(event.event_type), ...declared('*')].filter((row) => this.#meets(row, event))
    return [...new Map(matched.toReversed().map((row) => [row.endpoint_id, row])).values()].reverse()
  }

  #lets(row: SubscriptionRow, event: EventRow): boolean {
    return rowFor(row, event) !== undefined && this.#meets(row, event)
  }

  /** The conditions of a subscription. An error of one ends the matching of all, which is left out. */
  #meets(subscription: SubscriptionRow, event: EventRow): boolean {
    const row = rowFor(subscription, event)
    if (!this.#behaviour.hasLicence || row === undefined) return true
    const texts = Object.fromEntries(Object.entries(event.headers).map(([name, [value = '']]) => [name, value]))
    return outcomeOf('body', row.body, event.data) === true && outcomeOf('headers', row.headers, texts) === true
  }

  #subscribe({ uid, name, project_id: project }: EndpointRow): SubscriptionRow {
    const created = createSubscription(this.#fleet, project, { endpoint: uid })
    updateSubscription(this.#fleet, { project, uid: created }, { name: `${name}-subscription` })
    const row = this.#fleet.open(project).subscriptions.find((each) => each.uid === created)
    if (row === undefined) throw new Error(`the project has no ${created}`)
    return row
  }

  #makeDelivery(event: EventRow, subscription: SubscriptionRow, nowMs: number): void {
    const { project_id, event_type, source, url_query_params, idempotency_key, data } = event
    const endpoint = this.#endpoint(project_id, subscription.endpoint_id ?? '')
    const project = this.#fleet.project(project_id)
    if (endpoint === undefined || project === undefined) return
    const isSent = memberOf(deliveriesByEndpointStatus, endpoint.status)?.made === 'send'
    const row: DeliveryRow = {
      uid: this.#traffic.newUid(),
      project_id,
      event_id: event.uid,
      subscription_id: subscription.uid,
      endpoint,
      source,
      headers: this.#headersOf(endpoint, event),
      url_query_params,
      idempotency_key,
      latency_seconds: 0,
      event_type,
      description: '',
      delivery_mode: subscription.delivery_mode,
      status: isSent ? 'Scheduled' : 'Discarded',
      data,
      strategy: project.config.strategy,
      next_send_time: timestamp(nowMs),
      num_trials: 0,
      created_at: timestamp(nowMs),
      updated_at: timestamp(nowMs),
    }
    this.#keep(row)
    if (isSent) this.#traffic.of(project_id).queue.set(row.uid, nowMs)
  }

  /** The trap of retries: a delivery has the key that its endpoint had when it was made. */
  #headersOf({ authentication }: EndpointRow, { headers }: EventRow): HeaderLists {
    if (authentication?.type === 'api_key') {
      const { header_name, header_value } = authentication.api_key
      return { ...headers, [header_name]: [header_value] }
    }
    if (authentication?.type !== 'basic_auth' || !this.#behaviour.hasLicence) return headers
    const { username, password } = authentication.basic_auth
    return { ...headers, Authorization: [`Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`] }
  }

  /** One attempt, in the order in which the service decides whether there is one. */
  #send(row: DeliveryRow, nowMs: number): void {
    const { project_id, strategy } = row
    const endpoint = this.#endpoint(project_id, row.endpoint.uid)
    const discarded: DeliveryRow = { ...row, status: 'Discarded', updated_at: timestamp(nowMs) }
    if (endpoint === undefined) {
      this.#keep({ ...discarded, description: 'endpoint not found' })
      return
    }
    if (!isRetried[row.status]) return
    if (memberOf(deliveriesByEndpointStatus, endpoint.status)?.retried === 'discard') {
      this.#keep(discarded)
      return
    }
    const { headers, url_query_params: query, data } = row
    const url = query === '' ? endpoint.url : `${endpoint.url}?${query}`
    const status = this.#behaviour.receive({ url, headers, data })
    const { attempts, queue } = this.#traffic.of(project_id)
    const attempt = { uid: this.#traffic.newUid(), url, headers, status, created_at: timestamp(nowMs) }
    attempts.set(row.uid, [...(attempts.get(row.uid) ?? []), attempt])
    const isTaken = status >= 200 && status <= 299
    const isLast = row.num_trials + 1 >= strategy.retry_count
    const isOver = row.delivery_mode === 'at_most_once' && status >= 100
    const next = isTaken || isLast || isOver ? undefined : nowMs + retryDelay(strategy, row.num_trials) * 1000
    this.#keep({
      ...row,
      endpoint,
      status: isTaken ? 'Success' : next === undefined ? 'Failure' : 'Retry',
      description: isTaken || next !== undefined ? '' : this.#reasonFor(status, isOver && !isLast),
      num_trials: row.num_trials + 1,
      ...(next !== undefined && { next_send_time: timestamp(next) }),
      updated_at: timestamp(nowMs),
    })
    if (next !== undefined) queue.set(row.uid, next)
    // Of a licence, the circuit breaker decides.
    const switchesOff = this.#fleet.project(project_id)?.config.disable_endpoint && !this.#behaviour.hasLicence
    if (isLast && switchesOff) setEndpointStatus(this.#fleet, { project: project_id, uid: endpoint.uid }, 'inactive')
  }

  /** Why a delivery failed: only later releases say so. */
  #reasonFor(status: number, isOnlyOne: boolean): string {
    if (this.#behaviour.release !== 'later') return ''
    return isOnlyOne ? `Endpoint returned status code ${status}` : 'Retry limit exceeded'
  }

  #endpoint(project: string, uid: string): EndpointRow | undefined {
    return this.#fleet.project(project) && this.#fleet.open(project).endpoints.find((row) => row.uid === uid)
  }

  #keep(row: DeliveryRow): void {
    this.#traffic.of(row.project_id).deliveries.set(row.uid, row)
  }
}

/** The filter row that decides on events of a type; undefined: none lets them through. A row that is off is none. */
function rowFor(subscription: SubscriptionRow, { event_type: type }: Pick<EventRow, 'event_type'>) {
  const rows = filterRowsOf(subscription).filter(({ enabled_at }) => enabled_at !== null)
  return rows.find((row) => row.event_type === type) ?? rows.find((row) => row.event_type === '*')
}
