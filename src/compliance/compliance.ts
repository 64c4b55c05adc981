import type { Change, ChangeTimes } from '../model/change.ts'
import type { FileLocation } from '../model/evaluation.ts'
import type { Digests, Report, ReportCoverage, ReportViolation } from '../model/report.ts'
import type { RunGateway } from '../model/run-scope.ts'
import type { AcceptedViolation, Severity, Waiver } from '../model/violation.ts'
import { count } from '../text/count.ts'

/**
 * The state of a control in a run. `not_met`: an open violation at the threshold or above. `not_assessed`: rules give
 * evidence for it, and the run evaluated none of them. `partially_assessed`: a part of the evidence is missing: of the
 * fleet, of the period, or of what the run was to scan. `met` covers only what the run observed; what people or the policy
 * exempt, and what is open below the threshold, is named with it. `not_covered`: no rule gives evidence for it, which is
 * not a verdict.
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
  /** Open violations of this severity or above decide: those that fail the run. */
  readonly threshold: Severity
  /** How many projects the run was to scan, of those that were known. */
  readonly coverage_of_fleet: Report['coverage_of_fleet']
  readonly scope: ComplianceScope
  /** Changes of the run, or of the period, that may have been made in a change window; the latest first. */
  readonly expected_changes: readonly ExpectedChange[]
  /** All controls of the framework, in its order. */
  readonly controls: readonly ControlEvidence[]
}

/** A change that may have been made in a change window of its project. */
export interface ExpectedChange extends Pick<Change, 'kind' | 'uid' | 'name' | 'change'> {
  /** The run that found it. */
  readonly run: number
  readonly project: string
  readonly between: ChangeTimes
  readonly window: string
  readonly ticket: string | null
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
  /** What does not count against it, because a person or the policy decided so. */
  readonly exemptions: readonly Exemption[]
  /** Open violations below the threshold. */
  readonly observations: number
  /** null for what no rule covers. */
  readonly evidence: ObservedTime | null
  readonly coverage: ControlCoverage
}

export const exemptionKinds = ['waiver', 'acceptance', 'baseline', 'override', 'rule_off', 'expiry'] as const
export type ExemptionKind = (typeof exemptionKinds)[number]

/** A violation, or a whole rule, that does not count: who decided so, why, and until when. */
export interface Exemption {
  readonly kind: ExemptionKind
  readonly rule: string
  /** null for a rule that is off or overridden: it finds nothing that could be named. */
  readonly fingerprint: string | null
  /** null where the policy does not name a person. */
  readonly by: string | null
  readonly reason: string | null
  /** When it was decided, where that is known. */
  readonly at: string | null
  /** The instant at which it ends; null: no end. */
  readonly until: string | null
  /** The line of the policy. */
  readonly configured_at: FileLocation | null
  /** What is exempt: of a rule the resources in words, null for all; of a violation null. */
  readonly match: string | null
  /** The violation's resource; null for a rule. */
  readonly resource: ExemptResource | null
  readonly ticket?: string
  /** The run whose state was approved. */
  readonly run?: number
}

/** A violation's resource, and what was found in it; the message is empty when that is no longer known. */
export interface ExemptResource extends Pick<ReportViolation, 'project' | 'kind' | 'uid' | 'name' | 'message'> {
  /** As of the last run that reported it; null when that is no longer known. */
  readonly severity: Severity | null
}

/** From when to when runs observed, and how much of the report's time that is. */
export interface ObservedTime {
  readonly from: string
  readonly to: string
  /** Of the period, from 0 to 1: times without a run for too long do not count. null: the report is about one run. */
  readonly share: number | null
}

/** A project with its last scan. */
export interface FormerProject {
  readonly project: string
  readonly run: number
  /** When that run began. */
  readonly at: string
}

/** What the run was to cover, as configured then. */
export interface ComplianceScope {
  readonly company: string | null
  readonly gateways: readonly RunGateway[]
  /** Scanned by the run, sorted. */
  readonly projects: readonly string[]
  /** Known, and not to be scanned by the run; sorted. */
  readonly unscanned: readonly string[]
  /** Scanned by an earlier run of the period, and no longer known to the configuration; sorted by name. */
  readonly former: readonly FormerProject[]
  /** Services whose other projects are not in scope, because the configuration names those that are. */
  readonly named_only: readonly string[]
  readonly packs: readonly string[]
  /** Fields that the policy of the run, or an earlier one of the period, leaves out of drift; sorted. */
  readonly ignored: readonly { readonly path: string; readonly configured_at: FileLocation | null }[]
  readonly schedules: readonly {
    readonly name: string
    readonly cron: string
    readonly timezone: string
    /** The longest time between two ticks; null where the pattern is not a timetable. */
    readonly interval_ms: number | null
  }[]
  /** The schedule that started the run; null: a person or another program did. */
  readonly schedule: string | null
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
  readonly gaps: readonly ControlGap[]
}

export interface ControlGap extends Pick<ReportCoverage, 'project' | 'listing' | 'reason'> {
  readonly status: Exclude<ReportCoverage['status'], 'complete'>
}

export interface CompliancePeriod {
  /** Instants, ISO 8601 in UTC. */
  readonly from: string
  readonly to: string
  /** Committed runs in it, and those that were interrupted. */
  readonly runs: number
  readonly interrupted: number
  /** Runs between the first and the last of them that are gone, with what began and ended between two that are left. */
  readonly pruned: number
  /** Runs with a walk that was not complete. */
  readonly incomplete: readonly { readonly run: number; readonly at: string; readonly walks: number }[]
  /** The longest time without a run, the ends of the period included. */
  readonly longest_gap: TimeGap
  /** The same without a complete one, or without a complete scan of one of the projects. */
  readonly longest_incomplete: TimeGap
  /** The longest time without a run that leaves no gap in the evidence: the interval of the schedule, or 25 h. */
  readonly most_gap_ms: number
  /** How often that was exceeded. */
  readonly gaps: number
  /** How much of the period the runs cover. */
  readonly covered_ms: number
  readonly evidence: ObservedTime
}

export interface TimeGap {
  readonly from: string
  readonly to: string
  readonly ms: number
}

/** `, with 2 exemptions and 1 observation`; empty without any. */
export function describeBesides({
  exemptions,
  observations,
}: {
  readonly exemptions: number
  readonly observations: number
}): string {
  const said = [
    ...(exemptions === 0 ? [] : [count(exemptions, 'exemption')]),
    ...(observations === 0 ? [] : [count(observations, 'observation')]),
  ]
  return said.length === 0 ? '' : `, with ${said.join(' and ')}`
}
