import type { DueDurations } from '../model/due.ts'
import type { IgnoredPath } from './ignored-paths.ts'
import type { Layer } from './layer.ts'
import type { WrittenWaiver } from './policy-schema.ts'
import type { Probe } from './probe.ts'
import type { CustomRule } from './read-custom.ts'
import type { Selector } from './selector.ts'

/** A waiver as a file writes it. */
export interface PlacedWaiver {
  readonly written: WrittenWaiver
  /** `file:line:column`. */
  readonly at: string
}

/** What a policy file and those that it extends say together. */
export interface ParsedPolicy {
  readonly layers: readonly Layer[]
  readonly overrides: readonly { readonly match: Selector; readonly layer: Layer }[]
  readonly waivers: readonly PlacedWaiver[]
  readonly custom: readonly CustomRule[]
  readonly probes: readonly Probe[]
  readonly due: DueDurations
  readonly ignore: readonly IgnoredPath[]
  /** How many files deep it goes, itself included. */
  readonly depth: number
}
