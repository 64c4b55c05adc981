import type { JsonObject } from './json.ts'

/** One answered page of a listing, its items as the service sent them. */
export interface RawPage {
  /** Counted from 1. */
  readonly number: number
  readonly items: readonly JsonObject[]
  /** The service's name for the exchange, for its operators; null when it sends none. */
  readonly requestId: string | null
}
