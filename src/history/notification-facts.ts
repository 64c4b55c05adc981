import type { CoverageStatus } from '../model/coverage.ts'
import type { ProjectEvaluation } from '../model/evaluation.ts'
import type { Kind, Listing } from '../model/resource.ts'
import type { Severity } from '../model/violation.ts'
import type { NewMessage } from './outbox.ts'
import type { RunRecord } from './records.ts'

/** What was known before a run, of the projects that it looked at, as far as people were told. */
export interface PriorState {
  /** No run was sealed before this one. */
  readonly isFirst: boolean
  /** What the sealed run before judged by; undefined when there is none. */
  readonly policyDigest: string | undefined
  readonly toolVersion: string | undefined
  /** The last look at each project that people were told of; absent where there is none. By the name that it has now. */
  readonly scans: ReadonlyMap<string, PreviousScan>
  /** Violations that stand otherwise than then. */
  readonly transitions: readonly ViolationTransition[]
}

export interface PreviousScan {
  readonly statuses: ReadonlyMap<Listing, CoverageStatus>
  readonly unjudged: ProjectEvaluation['unjudged']
}

type Standing = 'open' | 'unknown' | 'waived'

export interface ViolationTransition {
  readonly project: string
  readonly fingerprint: string
  readonly rule: string
  readonly severity: Severity
  readonly kind: Kind
  readonly uid: string
  readonly name: string
  readonly path: string
  readonly message: string
  /** `ended`: it stood once, and did not any more. */
  readonly before: Standing | 'ended' | 'never'
  readonly now: Standing | 'ended'
}

/**
 * Composes what is to be told of a run, while it is sealed. `later`: nothing now, the next look at each of its projects
 * tells for both.
 */
export type ComposeNotifications = (record: RunRecord, before: PriorState) => readonly NewMessage[] | 'later'

/** A violation between two runs in which it was written down anew. */
export interface NotifiedSpan extends Omit<ViolationTransition, 'project' | 'before' | 'now'> {
  readonly state: Standing
  readonly fromRun: number
  readonly toRun: number | null
}

/**
 * How a violation stands after a run, against how it stood before the run `since`; undefined when it is the same.
 * `spans`: all of one violation, oldest first.
 */
export function transitionBetween(
  project: string,
  spans: readonly NotifiedSpan[],
  { since, run }: { readonly since: number; readonly run: number },
): ViolationTransition | undefined {
  const known = spans.filter(({ fromRun }) => fromRun <= run)
  const latest = known.at(-1)
  if (latest === undefined) return undefined
  const stood = known.findLast(({ fromRun, toRun }) => fromRun < since && (toRun === null || toRun >= since))
  const before = stood?.state ?? (known.some(({ fromRun }) => fromRun < since) ? 'ended' : 'never')
  const now = latest.toRun === null || latest.toRun > run ? latest.state : 'ended'
  if (before === now || (before === 'never' && now === 'ended')) return undefined
  const { fingerprint, rule, severity, kind, uid, name, path, message } = latest
  return { project, fingerprint, rule, severity, kind, uid, name, path, message, before, now }
}
