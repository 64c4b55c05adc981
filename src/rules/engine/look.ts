import type { Listing } from '../../model/resource.ts'

/** What looking at a project came to. */
export interface Look {
  /** Whether the service says that the project is not there, or not for this key. */
  readonly isVanished: boolean
  /** Losses that are not believed yet. */
  readonly held: readonly Loss[]
}

/** What a complete walk of a listing no longer showed. */
export interface Loss {
  readonly listing: Listing
  readonly missing: number
  /** How many there were. */
  readonly known: number
}
