import type { ChangeType, FieldChange } from '../model/change.ts'
import type { EndedBy } from '../model/ending.ts'
import type { Kind } from '../model/resource.ts'
import type { Resolution, Severity, ViolationState } from '../model/violation.ts'

/**
 * How a resource changed in a run. More than the changes of a report: `first_seen` by the first scan of its kind;
 * `restated` when another version was stored without a changed field (the service showed more, secrets were sealed
 * under another key); null when only its violations changed.
 */
export type TimelineChange = ChangeType | 'first_seen' | 'restated' | null

export interface TimelineRow {
  readonly run: number
  /** Start of that run. */
  readonly at: string
  readonly project: string
  readonly kind: Kind
  readonly uid: string
  readonly name: string
  readonly change: TimelineChange
  readonly fields: readonly FieldChange[]
  readonly violations: readonly TimelineViolation[]
}

export interface TimelineViolation {
  readonly fingerprint: string
  readonly rule: string
  readonly severity: Severity
  readonly state: ViolationState
  /** Of resolved ones, as in a report; null for all others. */
  readonly resolution: Resolution | null
  readonly ended_by: EndedBy | null
  readonly path: string
  readonly message: string
}
