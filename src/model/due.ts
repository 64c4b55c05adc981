import type { Kind } from './resource.ts'
import type { Severity, ViolationState } from './violation.ts'

/** For how long violations of a severity may stay open, in milliseconds. */
export type DueDurations = Readonly<Partial<Record<Severity, number>>>

/** The rule that reports what is overdue. */
export const overdueRule = 'violation/overdue'

interface DatedViolation {
  readonly rule: string
  readonly kind: Kind
  readonly severity: Severity
  readonly state: ViolationState | 'open'
  readonly waiver?: unknown
}

/**
 * By when a violation must be fixed, in milliseconds since the epoch: `firstSeen` and the duration of its severity.
 * undefined for violations that are waived or resolved, for severities without a duration, for violations about the policy
 * (which have dates of their own), and for those of `violation/overdue`, which would otherwise become overdue themselves.
 */
export function dueTime(violation: DatedViolation, firstSeen: string, due: DueDurations = {}): number | undefined {
  const { rule, kind, severity, state, waiver } = violation
  const duration = due[severity]
  if (duration === undefined || rule === overdueRule || kind === 'policy') return undefined
  if (state === 'resolved' || state === 'waived' || waiver !== undefined) return undefined
  return Date.parse(firstSeen) + duration
}

/** The same as ISO 8601 in UTC; null without a due date. */
export function dueDate(violation: DatedViolation, firstSeen: string, due: DueDurations | undefined): string | null {
  const time = dueTime(violation, firstSeen, due)
  return time === undefined ? null : new Date(time).toISOString()
}

/** Whether a due date has passed. `at`: milliseconds since the epoch. */
export function isOverdue({ due_at }: { readonly due_at: string | null }, at: number): boolean {
  return due_at !== null && at > Date.parse(due_at)
}
