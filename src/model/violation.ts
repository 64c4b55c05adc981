import { hash } from 'node:crypto'
import { z } from 'zod'
import type { Kind, ProjectRef } from './resource.ts'
import { count, kind, project, time } from './schema.ts'

/** Worst first. */
export const severities = ['critical', 'high', 'medium', 'low', 'info'] as const
export type Severity = (typeof severities)[number]
export const severity = z.enum(severities)

export const severityCounts = z.object({ critical: count, high: count, medium: count, low: count, info: count })

/** A range of severities, with both ends; undefined: no end. */
export interface SeverityRange {
  readonly severity?: Severity | undefined
  readonly maxSeverity?: Severity | undefined
}

export function isInRange(severity: Severity, { severity: least, maxSeverity: most }: SeverityRange): boolean {
  return (least === undefined || isAtLeast(severity, least)) && (most === undefined || isAtLeast(most, severity))
}

export function isAtLeast(severity: Severity, threshold: Severity): boolean {
  return severities.indexOf(severity) <= severities.indexOf(threshold)
}

/**
 * Which open violations fail a run: none, those that are new since the last approval or run, or those of a severity or
 * above. New ones count from `leastNew` on.
 */
export const failOnChoices = ['never', 'new', ...severities] as const
export type FailOn = (typeof failOnChoices)[number]
export const leastNew: Severity = 'medium'

/**
 * The state of a violation in a run: first seen, seen again, proven gone, not scanned well enough to decide (carried
 * with the time it was last seen), or accepted by a waiver.
 */
export const violationStates = ['opened', 'continuing', 'resolved', 'unknown', 'waived'] as const
export type ViolationState = (typeof violationStates)[number]

/** How many there are of each severity. */
export function countSeverities(violations: readonly { readonly severity: Severity }[]): Record<Severity, number> {
  const counts: Record<Severity, number> = { critical: 0, high: 0, medium: 0, low: 0, info: 0 }
  for (const { severity } of violations) counts[severity] += 1
  return counts
}

/** The sum over all severities. */
export function totalOf(counts: Readonly<Record<Severity, number>>): number {
  return severities.reduce((sum, severity) => sum + counts[severity], 0)
}

/** Whether it was found, and no waiver covers it. */
export function isOpen({ state }: { readonly state: ViolationState }): boolean {
  return state === 'opened' || state === 'continuing'
}

/** Whether it was open when a scan checked it last, and the last scan could not check it. */
export function isUnchecked({ state, waiver }: { readonly state: ViolationState; readonly waiver?: unknown }): boolean {
  return state === 'unknown' && waiver === undefined
}

/**
 * Why a violation ended. `fixed`: a scan shows that the problem is gone; `removed`: so is the resource; `policy`: the
 * policy no longer requires it; `accepted`: a person accepts it; `expired`: the policy lets it end after some time.
 */
export const resolutions = ['fixed', 'removed', 'policy', 'accepted', 'expired'] as const
export type Resolution = (typeof resolutions)[number]

/** Whether the problem is gone. The other causes end a violation, and fix nothing. */
export function isSolved(resolution: Resolution | null): boolean {
  return resolution === 'fixed' || resolution === 'removed'
}

/** Who accepted a violation, why, and until when. */
export const waiver = z.object({
  owner: z.string(),
  reason: z.string(),
  expires: time.describe('The instant from which it holds no more.'),
  ticket: z.string().exactOptional(),
})
export type Waiver = z.infer<typeof waiver>

/** What a rule found, with its resource, path and severity. */
export interface Finding {
  readonly rule: string
  readonly severity: Severity
  readonly kind: Kind
  readonly uid: string
  readonly name: string
  /** JSON Pointer into the resource's attributes; empty for the whole resource. */
  readonly path: string
  readonly message: string
  /** The waiver that accepts it, if any. */
  readonly waiver?: Waiver | undefined
  /** The run whose scan shows the value before the change that a drift rule found. */
  readonly originRun?: number | undefined
  /** Whether a waiver or an override accepts or rates it is unknown: a violation that it confirms keeps what it has. */
  readonly isTentative?: boolean | undefined
}

/** A violation that a person accepted: no run reports it while that holds. */
export const acceptance = z.object({
  fingerprint: z.string(),
  rule: z.string(),
  severity: severity
    .nullable()
    .describe("As of the violation's end; null, with an empty name and message, when that is no longer known."),
  project,
  kind,
  uid: z.string(),
  name: z.string(),
  path: z.string(),
  message: z.string(),
  reason: z.string(),
  by: z.string(),
  at: time,
})
export type AcceptedViolation = z.infer<typeof acceptance>

/** Identifies a violation over time: same rule, resource and path, with any message or severity. 32 hex digits. */
export function fingerprintOf(
  project: ProjectRef,
  { rule, kind, uid, path }: Pick<Finding, 'rule' | 'kind' | 'uid' | 'path'>,
): string {
  return hash('sha256', JSON.stringify([rule, project.service, project.uid, kind, uid, path])).slice(0, 32)
}

/** For how long violations of a severity may stay open, in milliseconds. */
export type DueDurations = Readonly<Partial<Record<Severity, number>>>

/** The rule that reports what is overdue. */
export const overdueRule = 'violation/overdue'

/**
 * By when a violation must be fixed, in milliseconds since the epoch: `first_seen` and the duration of its severity.
 * undefined for violations that are waived or resolved, for severities without a duration, for violations about the policy
 * (which have dates of their own), and for those of `violation/overdue`, which would otherwise become overdue themselves.
 */
export function dueTime(violation: DatedViolation, due: DueDurations = {}): number | undefined {
  const { rule, kind, severity, state, waiver, first_seen } = violation
  const duration = due[severity]
  if (duration === undefined || rule === overdueRule || kind === 'policy') return undefined
  if (state === 'resolved' || state === 'waived' || waiver !== undefined) return undefined
  return Date.parse(first_seen) + duration
}

/** The same as ISO 8601 in UTC; null without a due date. */
export function dueDate(violation: DatedViolation, due: DueDurations | undefined): string | null {
  const time = dueTime(violation, due)
  return time === undefined ? null : new Date(time).toISOString()
}

/** Whether a due date has passed. `at`: milliseconds since the epoch. */
export function isOverdue({ due_at }: { readonly due_at: string | null }, at: number): boolean {
  return due_at !== null && at > Date.parse(due_at)
}

interface DatedViolation {
  readonly rule: string
  readonly kind: Kind
  readonly severity: Severity
  readonly state: ViolationState | 'open'
  readonly waiver?: unknown
  readonly first_seen: string
}
