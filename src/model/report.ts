import type { ChangeTimes, ChangeType, FieldChange } from './change.ts'
import type { CoverageCause, CoverageStatus } from './coverage.ts'
import type { EndedBy } from './ending.ts'
import type { ExitCode } from './errors.ts'
import type { EvaluatedRule, FileLocation, RuleDoubt } from './evaluation.ts'
import type { Json } from './json.ts'
import type { Note } from './note.ts'
import type { Notice } from './notice.ts'
import type { Kind, Listing, WalkedListing } from './resource.ts'
import type { AcceptedViolation, FailOn, Resolution, Severity, ViolationState, Waiver } from './violation.ts'
import type { WindowTime } from './window-time.ts'

/**
 * The result of one committed run: every format is a function of this document. Its JSON form is part of the outer
 * contract (config/report.schema.json); members may be added, not renamed.
 */
export interface Report {
  readonly schema: 'hookdrift.report/2'
  readonly tool: { readonly name: 'hookdrift'; readonly version: string }
  readonly run: {
    readonly number: number
    readonly started_at: string
    readonly finished_at: string
    readonly state: 'committed'
  }
  readonly digests: Digests
  readonly verdict: Verdict
  /** How many projects the run was to scan, of those that were known. */
  readonly coverage_of_fleet: { readonly scanned: number; readonly known: number }
  readonly coverage: readonly ReportCoverage[]
  readonly notices: readonly Notice[]
  readonly drift: readonly ReportDrift[]
  /** What people did while the changes came about, as far as it is recorded when this is written; the latest first. */
  readonly notes: readonly Note[]
  /** What happened once and hit resources alike, and one update of several fields: the worst first. */
  readonly causes: readonly ReportCause[]
  readonly violations: readonly ReportViolation[]
  /** Violations that people accepted, of projects of the run, oldest first: no run reports them while that holds. */
  readonly accepted: readonly AcceptedViolation[]
  /** What was scanned, sorted by project; empty for runs of versions that did not keep this. */
  readonly projects: readonly ReportProject[]
  /** The rules that were evaluated, sorted by id; empty likewise. */
  readonly rules: readonly EvaluatedRule[]
}

/** A project as the run found it configured, and how much of it was evaluated. */
export interface ReportProject {
  readonly project: string
  readonly labels: Readonly<Record<string, string>>
  /** null when it is not configured in a file. */
  readonly configured_at: FileLocation | null
  /** Resources that were seen, by kind. */
  readonly resources: Readonly<Partial<Record<Kind, number>>>
  /** How many of its kind a rule evaluated, where overrides left some out. */
  readonly evaluated_by_rule: Readonly<Record<string, number>>
  /** Rules that could not be evaluated here, and why. */
  readonly not_evaluated: Readonly<Record<string, string>>
  /** Subscriptions of which no run has read the filter rows that a rule reads, by rule. Absent without any. */
  readonly rows_unread?: Readonly<Record<string, number>>
  /** Listings that no earlier run walked to their end: there was nothing to compare them with. */
  readonly not_compared?: readonly Listing[]
  /** When its baseline was approved: ISO 8601 in UTC. Absent without one. */
  readonly approved_at?: string
  /** The service's release, as far as what the scan read shows it. Absent where nothing did. */
  readonly release?: ReportRelease
  /** Times of change windows in which changes of the run may have been made. Absent without any. */
  readonly windows?: readonly WindowTime[]
  /** Fields that rules could not rely on, by rule: they did not evaluate what has them so. Absent without any. */
  readonly doubts?: Readonly<Record<string, readonly RuleDoubt[]>>
}

/** A range of releases, inferred from the fields that the service's answers show. */
export interface ReportRelease {
  /** `v26.3.7` or later; null: not known. */
  readonly from: string | null
  readonly below: string | null
  /** Whether answers contradict each other, as while an upgrade is under way. */
  readonly contradictory: boolean
}

/** SHA-256 in hex. */
export interface Digests {
  readonly policy: string
  readonly configuration: string
  /** Digest of this run and of all runs before it; null for runs before there was a chain. */
  readonly chain: string | null
}

export interface Verdict {
  readonly exit_code: ExitCode
  /** One sentence. */
  readonly text: string
  readonly fail_on: FailOn
  /** Open violations (opened or continuing) by severity. */
  readonly violations: Readonly<Record<Severity, number>>
  readonly waived: number
  readonly unknown: number
  /** Violations that this run saw resolved. */
  readonly resolved: number
  readonly drift: Readonly<Record<ChangeType, number>>
}

/** Sorted by project, then in the order of walking. */
export interface ReportCoverage {
  /** `service/*` for the list of a service's projects. */
  readonly project: string
  readonly listing: WalkedListing
  readonly status: CoverageStatus
  /** Why it is not complete, as a code and as a sentence; null when complete. */
  readonly cause: CoverageCause | null
  readonly reason: string | null
  /** How the configuration narrowed the walk; null when it did not. */
  readonly filter: string | null
  readonly pages: number
  readonly items: number
  /** Of filters: how many subscriptions were listed, where `items` counts those whose rows were read. */
  readonly of?: number
  /** Of filters: when the oldest rows were read (ISO 8601); null where none ever were. */
  readonly oldest_at?: string | null
  readonly requests: number
  readonly retries: number
  readonly duration_ms: number
}

/** Sorted by project, kind, uid. */
export interface ReportChange {
  readonly project: string
  readonly kind: Kind
  readonly uid: string
  readonly name: string
  readonly change: ChangeType
  readonly fields: readonly FieldChange[]
  /** uids of the subscriptions that use it; for changed sources only. */
  readonly referrers?: readonly string[]
  /** Where the gateway's own UI shows it, as configured. */
  readonly ui_url?: string
}

/** A change with the time in which it came about, and what people did then. */
export interface ReportDrift extends ReportChange {
  readonly between: ChangeTimes
  /** The name of the change window in which it may have been made; null: it was made outside all of them. */
  readonly window: string | null
  /** Ids, the nearest to the scan that found the change first. */
  readonly notes: readonly number[]
  /** Violations that the run found fixed, of the resource and of fields that changed: the change put them right. */
  readonly repairs: readonly { readonly rule: string; readonly fingerprint: string }[]
}

/** Changes of one run that are equal, or one update of one resource; open until all of its resources are mended. */
export interface ReportCause {
  /** The same as long as it is open. */
  readonly id: string
  readonly change: 'modified' | 'removed'
  readonly kind: Kind
  /** Of the first of its fields, and what that was and is; empty and null for removals. */
  readonly path: string
  /** null where it was empty, and where the resources lost different values. */
  readonly before: Json
  readonly after: Json
  /** All of its fields, losses first. */
  readonly fields: readonly FieldChange[]
  /** How many are not mended. */
  readonly resources: number
  readonly affected: readonly AffectedResource[]
  /** Names, sorted. */
  readonly projects: readonly string[]
  readonly owners: readonly string[]
  /** The worst of its violations. */
  readonly severity: Severity
  /** Fingerprints of the active violations that follow from it. */
  readonly violations: readonly string[]
  /** How many there are of each rule, the worst first. */
  readonly rules: readonly { readonly rule: string; readonly severity: Severity; readonly violations: number }[]
  /** The run that found it. */
  readonly first_run: number
}

export interface AffectedResource {
  readonly project: string
  readonly uid: string
  readonly name: string
  readonly owner: string | null
}

/** Sorted by severity (worst first), new before known, project, kind, uid, rule, path; resolved ones last. */
export interface ReportViolation {
  readonly fingerprint: string
  readonly rule: string
  readonly severity: Severity
  readonly state: ViolationState
  /** Of resolved ones; null for all others. */
  readonly resolution: Resolution | null
  /** Who or what ended it, unless it is fixed or removed; null for all others. */
  readonly ended_by: EndedBy | null
  readonly project: string
  readonly kind: Kind
  readonly uid: string
  readonly name: string
  /** The `owner_id` of the endpoint, or of a subscription's endpoint; null for all else, and where it is unknown. */
  readonly owner: string | null
  readonly path: string
  readonly message: string
  /** Start times of runs, ISO 8601 in UTC. */
  readonly first_seen: string
  readonly last_seen: string
  /** By when it must be fixed, by the policy of the run: ISO 8601 in UTC. null without a due date, waived and resolved. */
  readonly due_at: string | null
  /** Of `waived` violations, and of `unknown` ones that were last seen waived. */
  readonly waiver?: Waiver
  /** Where the gateway's own UI shows the resource, as configured. */
  readonly ui_url?: string
}
