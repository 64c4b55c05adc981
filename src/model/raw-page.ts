import type { JsonObject } from './json.ts'

/** One page of a listing or a part of it, with items as the service sent them. */
export interface RawPage {
  /** Counted from 1; parts of one page have one number. */
  readonly number: number
  /** Items of the page before these; absent where these are the whole page. */
  readonly from?: number
  readonly items: readonly JsonObject[]
  /** The service's id of the exchange, for its operators; null when it sends none. */
  readonly requestId: string | null
}
