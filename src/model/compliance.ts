import type { Digests, Report, ReportCoverage, ReportViolation } from './report.ts'
import type { Severity, Waiver } from './violation.ts'

/**
 * A run's result for a control. `met` covers only what the run scanned. `not_covered`: no rule in force gives evidence
 * for it, so the result is open.
 */
export const controlStates = ['not_met', 'not_fully_looked_at', 'met', 'not_covered'] as const
export type ControlState = (typeof controlStates)[number]

/** One run, read by the controls of a framework. Its JSON form is part of the outer contract. */
export interface Compliance {
  readonly schema: 'hookdrift.compliance/1'
  readonly framework: string
  readonly title: string
  readonly tool: Report['tool']
  readonly run: Report['run']
  readonly digests: Digests
  /** The command that verifies this document. */
  readonly verify: string
  /** Present when the violations are those that another policy would have found. */
  readonly replayed_with?: ReplayedWith
  /** Present when the request was for a period and not for a run. */
  readonly period?: CompliancePeriod
  /** All controls of the framework, in its order. */
  readonly controls: readonly ControlEvidence[]
}

export interface ReplayedWith {
  /** Digest of the policy that was replayed; SHA-256 in hex. */
  readonly policy: string
  /** Digest of the policy of that run. */
  readonly instead_of: string
  /** Rules that the history could not evaluate, in any run, sorted by rule. */
  readonly unjudged: readonly NotEvaluatedRule[]
}

/** A rule that the history cannot evaluate, at least in some projects, and why. */
export interface NotEvaluatedRule {
  readonly rule: string
  readonly reason: string
  /** The projects concerned; absent: all. Sorted. */
  readonly projects?: readonly string[]
}

export interface ControlEvidence {
  readonly id: string
  readonly title: string
  readonly state: ControlState
  /** The reason for the state, in a sentence. */
  readonly reason: string
  readonly rules: readonly ControlRule[]
  /** All findings of its rules, in any state, in the order of reports. */
  readonly violations: readonly ControlViolation[]
  readonly waivers: readonly ControlWaiver[]
  readonly coverage: ControlCoverage
}

export interface ControlRule {
  readonly id: string
  readonly title: string
  readonly severity: Severity
  /** Why it gives evidence for the control. */
  readonly because: string
  /** Resources that it evaluated. */
  readonly judged: number
  /** Projects in which it could not be evaluated, with the reason. */
  readonly unjudged: readonly { readonly project: string; readonly reason: string }[]
}

export interface ControlViolation extends ReportViolation {
  /** Start of the run that resolved it. */
  readonly resolved_at?: string
  /** From the run that opened it to its resolution, or to the run. */
  readonly stood_ms: number
}

export interface ControlWaiver extends Waiver {
  readonly rule: string
  /** How many violations it accepts. */
  readonly violations: number
}

/** The walks that showed the resources of the rules. */
export interface ControlCoverage {
  readonly walks: number
  readonly complete: number
  readonly pages: number
  readonly items: number
  readonly duration_ms: number
  /** Walks that were not complete. */
  readonly gaps: readonly Pick<ReportCoverage, 'project' | 'listing' | 'status' | 'reason'>[]
}

export interface CompliancePeriod {
  /** Instants, ISO 8601 in UTC. */
  readonly from: string
  readonly to: string
  /** Committed runs in it, and interrupted ones. */
  readonly runs: number
  readonly interrupted: number
  /** Runs with incomplete coverage. */
  readonly incomplete: readonly { readonly run: number; readonly at: string; readonly walks: number }[]
  /** The longest time between two scans, the ends of the period included. */
  readonly longest_gap: { readonly from: string; readonly to: string; readonly ms: number }
}
