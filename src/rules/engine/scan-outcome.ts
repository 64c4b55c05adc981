import type { ReleaseRange } from '../../model/release-range.ts'
import type { Listing } from '../../model/resource.ts'

/** What the scan of a project showed. */
export interface ScanOutcome {
  /** Whether the service says that the project is not there, or not for this key. */
  readonly isVanished: boolean
  /** Whether the complete list of the service's projects does not have it, and nothing of it could be read. */
  readonly isMissing: boolean
  /** Whether the service lists it, its key reads it, and the configuration does not name it. */
  readonly isUnlisted: boolean
  /** The service's release, as far as the project's answers show it; absent where nothing did. */
  readonly release?: ReleaseRange
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
