import type { Digests, Report, ReportCoverage, ReportViolation } from './report.ts'
import type { Severity, Waiver } from './violation.ts'

/**
 * What a run says of a control. `met` speaks of what was looked at and of nothing else; `not_covered` means that no
 * rule in force gives evidence for it, which is no verdict either way.
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
  /** The command that checks what this rests on. */
  readonly verify: string
  /** When a policy was asked that did not judge then: what it would have found. */
  readonly replayed_with?: ReplayedWith
  /** When the question was about a time and not about a run. */
  readonly period?: CompliancePeriod
  /** All controls of the framework, in its order. */
  readonly controls: readonly ControlEvidence[]
}

export interface ReplayedWith {
  /** Digest of the policy that was asked; SHA-256 in hex. */
  readonly policy: string
  /** Of the policy that judged then. */
  readonly instead_of: string
  /** What the history could not be asked, in whichever run, sorted by rule. */
  readonly unjudged: readonly NotEvaluatedRule[]
}

/** A rule that the history cannot answer, or not everywhere, and why. */
export interface NotEvaluatedRule {
  readonly rule: string
  readonly reason: string
  /** Where; absent: everywhere. Sorted. */
  readonly projects?: readonly string[]
}

export interface ControlEvidence {
  readonly id: string
  readonly title: string
  readonly state: ControlState
  /** Why it is in that state, in a sentence. */
  readonly reason: string
  readonly rules: readonly ControlRule[]
  /** All that its rules found, whatever their state, in the order of reports. */
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
  /** Resources that it judged. */
  readonly judged: number
  /** Projects in which it could not judge, with the reason. */
  readonly unjudged: readonly { readonly project: string; readonly reason: string }[]
}

export interface ControlViolation extends ReportViolation {
  /** Start of the run that saw it resolved. */
  readonly resolved_at?: string
  /** From its first sight to its resolution, or to the run. */
  readonly stood_ms: number
}

export interface ControlWaiver extends Waiver {
  readonly rule: string
  /** How many violations it accepts. */
  readonly violations: number
}

/** The walks that showed what the rules judge. */
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
  /** Sealed runs in it, and those that were interrupted. */
  readonly runs: number
  readonly interrupted: number
  /** Runs that could not look at everything. */
  readonly incomplete: readonly { readonly run: number; readonly at: string; readonly walks: number }[]
  /** The longest time between two looks, the ends of the period included. */
  readonly longest_gap: { readonly from: string; readonly to: string; readonly ms: number }
}
