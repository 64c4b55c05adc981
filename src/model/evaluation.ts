import type { ReleaseRange } from './release-range.ts'
import type { DoubtCause, Kind, Listing } from './resource.ts'
import type { DueDurations, Severity } from './violation.ts'
import type { WindowTime } from './window-time.ts'

/** A rule that a run evaluated. */
export interface EvaluatedRule {
  readonly id: string
  readonly kind: Kind
  readonly title: string
  /** How to fix its violations; empty without a general answer. */
  readonly remediation: string
  /** Its severity in the policy, overrides aside. */
  readonly severity: Severity
  /** Each as `framework:identifier`. */
  readonly controls: readonly string[]
  /** Kinds whose coverage must be complete before the absence of findings means anything. */
  readonly needs: readonly Kind[]
}

/** How much of a project a run evaluated. */
export interface EvaluationStats {
  /** Resources that were seen, by kind. */
  readonly resources: Readonly<Partial<Record<Kind, number>>>
  /** How many resources a rule evaluated, where overrides excluded some. */
  readonly evaluatedByRule: Readonly<Record<string, number>>
  /** Rules that could not be evaluated in this project, and why. */
  readonly notEvaluated: Readonly<Record<string, string>>
  /** Subscriptions of which no run has read the filter rows that a rule reads, by rule; absent without any. */
  readonly rowsUnread?: Readonly<Record<string, number>>
}

/** A field that a rule could not rely on: it did not evaluate the resources that have it so. */
export interface RuleDoubt {
  readonly kind: Kind
  /** Its path in the attributes, without uids: `secrets[].expires_at`. */
  readonly field: string
  /** `seal_key_changed`: another installation key, or an earlier version, sealed a secret that drift rules compare. */
  readonly cause: DoubtCause | 'seal_key_changed'
  /** How many resources. */
  readonly resources: number
  /** The first run that saw one of them so, and its start (ISO 8601); null where that is not known. */
  readonly since: { readonly run: number; readonly at: string } | null
}

/** A line of a file. */
export interface FileLocation {
  readonly file: string
  /** From 1. */
  readonly line: number
}

/** A project as a run found it configured, and how much of it was evaluated. */
export interface ProjectEvaluation extends EvaluationStats {
  /** `service/project`. */
  readonly project: string
  readonly labels: Readonly<Record<string, string>>
  /** Where it is configured; null if not in a file. */
  readonly configuredAt: FileLocation | null
  /** Template of its resources' addresses in the gateway's own UI, with `{kind}`, `{listing}`, `{uid}`. */
  readonly uiUrl?: string
  /** Listings that no earlier run walked to their end; absent where there are none, or where the run did not keep it. */
  readonly notCompared?: readonly Listing[]
  /** When its baseline was approved (ISO 8601, UTC); absent without one. */
  readonly approvedAt?: string
  /** The service's release, as far as what the scan read shows it; absent where nothing did. */
  readonly release?: ReleaseRange
  /** When the settings that the scan took were written, by the service's clock (ISO 8601, UTC); absent if it did not say. */
  readonly settingsAt?: string
  /** The policy's due durations; absent without any. */
  readonly due?: DueDurations
  /** Paths whose changes the policy left out of drift; absent without any. */
  readonly ignore?: readonly string[]
  /** Times of change windows in which changes of the run may have been made; absent without any. */
  readonly windows?: readonly WindowTime[]
  /** Fields that rules could not rely on, by rule; absent without any. */
  readonly doubts?: Readonly<Record<string, readonly RuleDoubt[]>>
}
