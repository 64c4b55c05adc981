import type { ChangeType, FieldChange } from './change.ts'
import type { CoverageStatus } from './coverage.ts'
import type { ExitCode } from './errors.ts'
import type { EvaluatedRule, ProjectEvaluation } from './evaluation.ts'
import type { Kind, Listing } from './resource.ts'
import type { Severity, ViolationState, Waiver } from './violation.ts'

/**
 * The result of one committed run: every format is a function of this document. Its JSON form is part of the outer
 * contract (config/report.schema.json); members may be added, not renamed.
 */
export interface Report {
  readonly schema: 'hookdrift.report/1'
  readonly tool: { readonly name: 'hookdrift'; readonly version: string }
  readonly run: {
    readonly number: number
    readonly started_at: string
    readonly finished_at: string
    readonly sealed: true
  }
  readonly digests: Digests
  readonly verdict: Verdict
  readonly coverage: readonly ReportCoverage[]
  readonly notices: readonly ReportNotice[]
  readonly drift: readonly ReportChange[]
  readonly violations: readonly ReportViolation[]
  /** The projects scanned, sorted; empty for runs before this was recorded. */
  readonly projects: readonly ProjectEvaluation[]
  /** The rules evaluated, sorted by id; empty likewise. */
  readonly rules: readonly EvaluatedRule[]
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
  readonly fail_on: Severity
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
  readonly project: string
  readonly listing: Listing
  readonly status: CoverageStatus
  readonly reason: string | null
  /** How the configuration narrowed the walk; null when it did not. */
  readonly filter: string | null
  readonly pages: number
  readonly items: number
  readonly requests: number
  readonly retries: number
  readonly duration_ms: number
}

export interface ReportNotice {
  readonly project: string
  readonly listing: Listing
  readonly text: string
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
}

/** Sorted by severity (worst first), new before known, project, kind, uid, rule, path; resolved ones last. */
export interface ReportViolation {
  readonly fingerprint: string
  readonly rule: string
  readonly severity: Severity
  readonly state: ViolationState
  readonly project: string
  readonly kind: Kind
  readonly uid: string
  readonly name: string
  readonly path: string
  readonly message: string
  /** Start times of runs, ISO 8601 in UTC. */
  readonly first_seen: string
  readonly last_seen: string
  /** Of `waived` violations, and of `unknown` ones that were last seen waived. */
  readonly waiver?: Waiver
}
