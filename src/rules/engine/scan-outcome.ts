import type { Listing } from '../../model/resource.ts'

/** What the scan of a project showed. */
export interface ScanOutcome {
  /** Whether the service says that the project is not there, or not for this key. */
  readonly isVanished: boolean
  /** Losses that are not believed yet. */
  readonly unconfirmedRemovals: readonly UnconfirmedRemoval[]
}

/** What a complete walk of a listing no longer showed. */
export interface UnconfirmedRemoval {
  readonly listing: Listing
  readonly missing: number
  /** How many there were. */
  readonly known: number
}
