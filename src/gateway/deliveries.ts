import { pointersOverlap } from '../model/json.ts'
import type { Kind } from '../model/resource.ts'

/*
 * What the service makes of an event: a delivery for each subscription that it matches. Tried on Convoy v26.3.6, and read
 * in v25.6.3 and v26.7.3 (`datastore/models.go`, `worker/task/process_event_creation.go`, `process_event_delivery.go`).
 *
 * - A delivery has its headers, the endpoint's key among them, from the endpoint as it was when the delivery was made. A
 *   retry sends them again, to the endpoint's present URL. So a delivery that was made without a key never gets one.
 * - A replay matches the event anew, and makes a new delivery for each subscription that it matches now.
 * - `created_at` is that of the delivery, and no retry moves it. The number of attempts goes on: after the last one, a
 *   retry is one attempt more, and after it `disable_endpoint` switches the endpoint off, also if the receiver took it.
 */

/** In the service's spelling: any other one is an empty list. */
export const deliveryStatuses = ['Scheduled', 'Processing', 'Discarded', 'Failure', 'Success', 'Retry'] as const
export type DeliveryStatus = (typeof deliveryStatuses)[number]

/** Whether a retry sends a delivery of this status anew. It leaves the others as they are. */
export const isRetried = {
  Scheduled: true,
  Processing: false,
  Discarded: true,
  Failure: true,
  Success: false,
  Retry: true,
} as const satisfies Record<DeliveryStatus, boolean>

/**
 * What becomes of deliveries, by the status of their endpoint: `made` of new ones, `retried` of those that a batch of
 * retries touches. `discard`: status Discarded, without an attempt. A single retry (`resend`) is refused unless the
 * endpoint is active. For an endpoint that was deleted no delivery is made, and a retry discards also what had arrived.
 */
export const deliveriesByEndpointStatus = {
  active: { made: 'send', retried: 'send' },
  paused: { made: 'discard', retried: 'send' },
  inactive: { made: 'discard', retried: 'discard' },
} as const satisfies Record<string, Readonly<Record<'made' | 'retried', 'send' | 'discard'>>>

/** `startDate` and `endDate` of the lists of events and deliveries, and of what is done with all of a list. */
export interface WindowParameters {
  readonly startDate: string
  readonly endDate: string
}

/**
 * A window, in milliseconds since the epoch, as the service takes one: `2026-11-29T00:44:58`, in UTC, without a zone. It
 * reads whole seconds, and both bounds belong to the window. So the start is rounded down and the end up.
 */
export function windowParameters({ from, to }: { readonly from: number; readonly to: number }): WindowParameters {
  return { startDate: inSeconds(Math.floor(from / 1000)), endDate: inSeconds(Math.ceil(to / 1000)) }
}

function inSeconds(seconds: number): string {
  return new Date(seconds * 1000).toISOString().slice(0, 19)
}

/**
 * Fields that decide whether events become deliveries, and whether these arrive, by the kind of the resource: JSON Pointers.
 * Nothing reads `is_disabled` of a source when a request comes in (`api/ingest.go`).
 */
export const deliveryFields = {
  endpoint: ['/status', '/url', '/authentication', '/mtls_client_cert', '/owner_id'],
  subscription: ['/filter_config', '/filters', '/endpoint_uid', '/source_uid', '/type'],
  source: ['/verifier', '/mask_id', '/type', '/provider', '/pub_sub'],
} as const satisfies Partial<Record<Kind, readonly string[]>>

/** Whether a change at a place of a resource may stop deliveries; an empty path: all of it, such as its removal. */
export function mayStopDeliveries(kind: Kind | undefined, path: string): boolean {
  const fields: Partial<Record<Kind, readonly string[]>> = deliveryFields
  return kind !== undefined && (fields[kind]?.some((field) => pointersOverlap(field, path)) ?? false)
}
