import type { DeliveryStatus } from '../gateway/deliveries.ts'
import type { Json } from '../model/json.ts'
import type { SimulatedFleet } from './fleet.ts'
import { timeDigits } from './random.ts'
import type { EndpointRow, SubscriptionRow } from './rows.ts'

/** What the service keeps of events, and of what became of them. */

export type HeaderLists = Readonly<Record<string, readonly string[]>>

export interface EventRow {
  readonly uid: string
  readonly project_id: string
  readonly event_type: string
  readonly source: { readonly uid: string; readonly name: string } | null
  /** Whom it is for, then whom it matched. */
  readonly endpoints: readonly string[]
  /** All that it ever named: the list finds it by these. */
  readonly everNamed: ReadonlySet<string>
  readonly headers: HeaderLists
  readonly url_query_params: string
  readonly idempotency_key: string
  readonly is_duplicate_event: boolean
  readonly data: Json
  /** Whether any subscription matched; `Processing`: that was never decided. */
  readonly status: 'Processing' | 'Success' | 'Failure'
  readonly channel: 'default' | 'broadcast'
  /** Whether it makes a subscription for an endpoint that has none. */
  readonly createsSubscription: boolean
  readonly created_at: string
}

export interface DeliveryRow {
  readonly uid: string
  readonly project_id: string
  readonly event_id: string
  readonly subscription_id: string
  /** As it was when the delivery was made. */
  readonly endpoint: EndpointRow
  readonly source: EventRow['source']
  /** With the endpoint's key of that time. */
  readonly headers: HeaderLists
  readonly url_query_params: string
  readonly idempotency_key: string
  readonly latency_seconds: number
  readonly event_type: string
  readonly description: string
  readonly delivery_mode: string
  readonly status: DeliveryStatus
  readonly data: Json
  readonly strategy: { readonly type: string; readonly duration: number; readonly retry_count: number }
  readonly next_send_time: string
  readonly num_trials: number
  readonly created_at: string
  readonly updated_at: string
}

export interface AttemptRow {
  readonly uid: string
  readonly url: string
  readonly headers: HeaderLists
  /** 0: no answer. */
  readonly status: number
  readonly created_at: string
}

/** Of one project. Oldest first. */
export interface EventTraffic {
  readonly events: Map<string, EventRow>
  readonly deliveries: Map<string, DeliveryRow>
  /** By delivery. */
  readonly attempts: Map<string, readonly AttemptRow[]>
  /** When a delivery is sent, in milliseconds since the epoch. */
  readonly queue: Map<string, number>
  batchRetry: { readonly dueMs: number; readonly concerns: (row: DeliveryRow) => boolean } | null
  /** The subscriptions that a broadcast knows: those of some seconds ago. */
  table: { readonly readMs: number; readonly rows: readonly SubscriptionRow[] } | null
}

/** The traffic of a fleet, and its clock, which never goes back. */
export class FleetTraffic {
  readonly #projects = new Map<string, EventTraffic>()
  #nowMs = 0
  #serial = 0

  of(project: string): EventTraffic {
    const known = this.#projects.get(project)
    if (known !== undefined) return known
    const traffic: EventTraffic = {
      events: new Map(),
      deliveries: new Map(),
      attempts: new Map(),
      queue: new Map(),
      batchRetry: null,
      table: null,
    }
    this.#projects.set(project, traffic)
    return traffic
  }

  projects(): readonly (readonly [project: string, traffic: EventTraffic])[] {
    return [...this.#projects]
  }

  /** The latest of all times that were passed, in milliseconds since the epoch. */
  passTo(timeMs: number): number {
    this.#nowMs = Math.max(this.#nowMs, timeMs)
    return this.#nowMs
  }

  /** Above all those before, also within a millisecond. */
  newUid(): string {
    return `${timeDigits(this.#nowMs)}${String(++this.#serial).padStart(16, '0')}`
  }
}

const traffics = new WeakMap<SimulatedFleet, FleetTraffic>()

/** It outlives the service that serves the fleet. */
export function trafficOf(fleet: SimulatedFleet): FleetTraffic {
  const traffic = traffics.get(fleet) ?? new FleetTraffic()
  traffics.set(fleet, traffic)
  return traffic
}
