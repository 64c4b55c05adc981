import type { ChangeType, FieldChange } from '../../model/change.ts'
import type { JsonObject } from '../../model/json.ts'
import type { Kind } from '../../model/resource.ts'

/** What people configure. Devices come, go and fall silent by themselves; what a probe gives has rules of its own. */
export const configuredKinds = ['endpoint', 'subscription', 'source', 'event_type', 'project'] as const

/**
 * A resource compared with the approved baseline, or else with the last complete scan. What one side did not show is
 * not in `fields`, and no rule evaluates it.
 */
export interface Drift {
  readonly kind: Kind
  readonly uid: string
  readonly name: string
  /** `none`: as in the baseline, and changed lately. */
  readonly change: ChangeType | 'none'
  /** Attributes; undefined when it was not there. */
  readonly before: JsonObject | undefined
  /** Attributes; undefined when it is gone. */
  readonly after: JsonObject | undefined
  /** Sorted by path; none for what came or went whole. */
  readonly fields: readonly FieldChange[]
  /** Whether the baseline is one that a person approved. */
  readonly isApproved: boolean
  /** False when the two sides were sealed under different installation keys. */
  readonly areSealsComparable: boolean
  /** When fields were found changed lately, this run included, by path: milliseconds since the epoch. */
  readonly recent: ReadonlyMap<string, readonly number[]>
}
