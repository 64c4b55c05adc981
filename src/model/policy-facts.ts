import type { FileLocation } from './schema.ts'
import type { Waiver } from './violation.ts'

/** What a reader of a run needs to know of its policy besides the rules: where it asks for less than its packs do. */
export interface PolicyFacts {
  readonly packs: readonly string[]
  /** Rules that the policy switches off or overrides, sorted by rule; overrides in the order of the policy. */
  readonly exceptions: readonly PolicyException[]
  readonly waivers: readonly RecordedWaiver[]
  /** Fields that it leaves out of drift, sorted; absent for none. */
  readonly ignored?: readonly IgnoredField[]
}

export interface IgnoredField {
  /** A JSON Pointer, with `*` for any one step. */
  readonly path: string
  readonly configured_at: FileLocation | null
}

export interface PolicyException {
  readonly kind: 'rule_off' | 'override'
  readonly rule: string
  /** What it says of the rule: `off`, a severity, or `options`. */
  readonly setting: string
  /** For which resources, in words; null: for all, or not for this reader to know. */
  readonly match: string | null
  /** Patterns of the projects that an override is for; null: all. */
  readonly projects: readonly string[] | null
  readonly configured_at: FileLocation | null
}

/** Where the policy writes a waiver. */
export interface RecordedWaiver extends Waiver {
  /** A rule, or several with `*`. */
  readonly rule: string
  readonly configured_at: FileLocation | null
}

export const unknownPolicy: PolicyFacts = { packs: [], exceptions: [], waivers: [] }
