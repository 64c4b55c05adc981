import type { JsonObject } from './json.ts'
import type { Kind } from './resource.ts'

/** One page of a listing or a part of it, with items as the service sent them. */
export interface RawPage<Item = JsonObject> {
  /** Counted from 1; parts of one page have one number. */
  readonly number: number
  /** Items of the page before these; absent where these are the whole page. */
  readonly from?: number
  readonly items: readonly Item[]
  /** The service's id of the exchange, for its operators; null when it sends none. */
  readonly requestId: string | null
  /** Digests of the whole page and of its items, where they were made. */
  readonly digests?: PageDigests | undefined
}

/** As it was sent, or recognised by its bytes. */
export type RawItem = JsonObject | KnownItem

/** Keyed digests of a page's bytes. */
export interface PageDigests {
  readonly page: Buffer
  /** Where the list of items begins and ends among the bytes. */
  readonly start: number
  readonly end: number
  /** Of each item, one after the other; undefined where the whole page was recognised. */
  readonly items: Buffer | undefined
}

/** An item that the last scan read and evaluated, recognised by its bytes: it is not read again. */
export class KnownItem {
  readonly uid: string
  /** Id of its current version in the history. */
  readonly version: number
  /** When rules may say something else of it, in milliseconds since the epoch. */
  readonly until: number
  /** How many entries its keyed lists have. */
  readonly entries: number
  /** The fields that it shows, as sorted paths. */
  readonly shape: ReadonlySet<string>
  /** What was lifted out of it. */
  readonly lifted: readonly LiftedItem[]
  /** Places of the waivers that match what rules find in it. */
  readonly waivers: readonly number[]

  constructor(item: KnownItem) {
    this.uid = item.uid
    this.version = item.version
    this.until = item.until
    this.entries = item.entries
    this.shape = item.shape
    this.lifted = item.lifted
    this.waivers = item.waivers
  }
}

/** A resource that an item embeds. */
export interface LiftedItem {
  readonly kind: Kind
  readonly uid: string
  /** Id of its version; null where another item or another listing had shown it before. */
  readonly version: number | null
}
