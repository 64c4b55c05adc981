import type { Digests, Report, ReportCoverage, ReportViolation } from '../model/report.ts'
import type { AcceptedViolation, Severity, Waiver } from '../model/violation.ts'

/**
 * The state of a control in a run. `not_met`: an open violation, of any severity. `not_assessed`: rules give
 * evidence for it, and the run evaluated none of them. `partially_assessed`: a part of the evidence is missing. `met`
 * covers only what the run observed. `not_covered`: no rule gives evidence for it, which is not a verdict.
 */
export const controlStates = ['not_met', 'partially_assessed', 'not_assessed', 'met', 'not_covered'] as const
export type ControlState = (typeof controlStates)[number]

/** A run's report by the controls of a framework. Its JSON form is part of the outer contract. */
export interface Compliance {
  readonly schema: 'hookdrift.compliance/2'
  readonly framework: string
  readonly title: string
  readonly tool: Report['tool']
  readonly run: Report['run']
  readonly digests: Digests
  /** The command that checks the history behind it. */
  readonly verify: string
  /** Present when the report replays the history under another policy, instead of showing the recorded results. */
  readonly replayed_with?: ReplayedWith
  /** Present when the report is about a period instead of a run. */
  readonly period?: CompliancePeriod
  /** All controls of the framework, in its order. */
  readonly controls: readonly ControlEvidence[]
}

export interface ReplayedWith {
  /** Digest of the policy that the replay evaluates; SHA-256 in hex. */
  readonly policy: string
  /** Digest of the policy that the run evaluated. */
  readonly original_policy: string
  /** Rules that the replay cannot evaluate in every run, sorted by rule. */
  readonly not_evaluated: readonly RuleNotEvaluated[]
}

/** A rule that the history cannot answer, or not everywhere, and why. */
export interface RuleNotEvaluated {
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
  /** Violations of its rules that people accepted, oldest first. */
  readonly accepted: readonly AcceptedViolation[]
  readonly coverage: ControlCoverage
}

export interface ControlRule {
  readonly id: string
  readonly title: string
  readonly severity: Severity
  /** Why it gives evidence for the control. */
  readonly rationale: string
  /** Resources that the run evaluated it for. */
  readonly evaluated: number
  /** Projects in which the run could not evaluate it, or not for every resource, with the reason. */
  readonly not_evaluated: readonly { readonly project: string; readonly reason: string }[]
}

export interface ControlViolation extends ReportViolation {
  /** Start of the run that resolved it. */
  readonly resolved_at?: string
  /** From the run that opened it to its resolution, or to the run of the report. */
  readonly open_ms: number
}

export interface ControlWaiver extends Waiver {
  readonly rule: string
  /** How many violations it accepts. */
  readonly violations: number
}

/** The walks that show what the rules evaluate. */
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
  /** Committed runs in it, and those that were interrupted. */
  readonly runs: number
  readonly interrupted: number
  /** Runs with a walk that was not complete. */
  readonly incomplete: readonly { readonly run: number; readonly at: string; readonly walks: number }[]
  /** The longest time between two runs, the ends of the period included. */
  readonly longest_gap: { readonly from: string; readonly to: string; readonly ms: number }
}
