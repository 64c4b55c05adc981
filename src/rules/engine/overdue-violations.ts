import type { Severity } from '../../model/violation.ts'

/** Violations of one rule in one project that are past their due date; at least one of them is open. */
export interface OverdueViolations {
  readonly rule: string
  /** How many, by severity; those that the scan could not check are counted too. */
  readonly counts: Readonly<Record<Severity, number>>
  /** The due date that passed first: ISO 8601 in UTC. */
  readonly firstDue: string
}
