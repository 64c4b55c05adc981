import type { CoverageStatus } from '../model/coverage.ts'
import { type EndedBy, parseEndedBy } from '../model/ending.ts'
import type { Kind, WalkedListing } from '../model/resource.ts'
import type { Resolution, Severity } from '../model/violation.ts'
import type { NewMessage, OpenIncident } from './outbox.ts'
import type { RunRecord } from './records.ts'

/** The last notified state, before a run, of the projects that it scanned. */
export interface PriorState {
  /** No run was committed before this one. */
  readonly isFirst: boolean
  /** Of the committed run before; undefined when there is none. */
  readonly policyDigest: string | undefined
  readonly toolVersion: string | undefined
  /** The last notified scan of each project, by the project's present name; absent where there is none. */
  readonly scans: ReadonlyMap<string, PreviousScan>
  /** Violations whose state differs from the notified one. */
  readonly transitions: readonly ViolationTransition[]
  /** Violations that continue under another severity or message. */
  readonly changes: readonly ViolationChange[]
  /** Channels that had a message before, and of which none was given up since the last one that arrived. */
  readonly channels: readonly string[]
  /** Of all channels, with the state of violations after this run. */
  readonly incidents: readonly OpenIncident[]
  /** The names of the projects that left the fleet: a person accepted that they vanished, and no run has to scan them. */
  readonly departed: readonly string[]
}

export interface PreviousScan {
  /** The name that the project had then. */
  readonly name: string
  /** Of what the scan walked. A listing that it left out and that the run walked has its last status before that. */
  readonly statuses: ReadonlyMap<WalkedListing, CoverageStatus>
  /** Rules that evaluated nothing of it. */
  readonly silent: ReadonlySet<string>
}

type ActiveState = 'open' | 'unknown' | 'waived'

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
  /** `ended`: it was active once and no longer is. */
  readonly before: ActiveState | 'ended' | 'never'
  /** `open`: or unknown, and found open since the state before. */
  readonly now: ActiveState | 'ended'
  /** Why it ended; null while it is active, and where the history does not say. */
  readonly resolution: Resolution | null
  /** Who or what ended it, unless it is fixed or removed; null for all others. */
  readonly ended_by: EndedBy | null
  /** The `owner_id` of the endpoint, or of a subscription's endpoint: while it is active, or last was; null for none. */
  readonly owner: string | null
}

/** A violation that continues, as it is now. */
export interface ViolationChange extends Omit<ViolationTransition, 'before' | 'now' | 'resolution' | 'ended_by'> {
  readonly was: Pick<ViolationTransition, 'severity' | 'message'>
}

/**
 * Composes the messages about a run, within its commit. `later`: none now; the next scan of each of its projects
 * notifies for both.
 */
export type ComposeNotifications = (record: RunRecord, before: PriorState) => readonly NewMessage[] | 'later'

/** One stored row of a violation: valid from a run until the next row replaces it. */
export interface NotifiedSpan extends Omit<ViolationTransition, 'project' | 'before' | 'now' | 'ended_by'> {
  /** JSON. */
  readonly ended_by: string | null
  readonly state: ActiveState
  /** JSON of the waiver that accepts it, or accepted it when it was last checked; null for none. */
  readonly waiver: string | null
  readonly fromRun: number
  readonly toRun: number | null
}

/**
 * Compares the state of a violation after a run with its state before the run `since`; undefined when they are equal.
 * `spans`: all of one violation, oldest first.
 */
export function transitionBetween(
  project: string,
  spans: readonly NotifiedSpan[],
  { since, run }: { readonly since: number; readonly run: number },
): ViolationTransition | undefined {
  const spansSoFar = spans.filter(({ fromRun }) => fromRun <= run)
  const latest = spansSoFar.at(-1)
  if (latest === undefined) return undefined
  const active = spansSoFar.findLast(({ fromRun, toRun }) => fromRun < since && (toRun === null || toRun >= since))
  const state = isValidAfter(latest, run) ? latest.state : 'ended'
  // Only a run that no message was about found it open: no later message would say so.
  const wasFoundOpen = state === 'unknown' && latest.waiver === null && (active === undefined || wasWaived(active))
  const now = wasFoundOpen ? 'open' : state
  const before = stateBefore(active, now) ?? (spansSoFar.some(({ fromRun }) => fromRun < since) ? 'ended' : 'never')
  if (before === now || (before === 'never' && now === 'ended')) return undefined
  const resolution = now === 'ended' ? latest.resolution : null
  const ended_by = now === 'ended' && latest.ended_by !== null ? parseEndedBy(latest.ended_by) : null
  return { ...factsOf(project, latest), before, now, resolution, ended_by }
}

/** One that is checked again after it was unknown is compared with what it was when it was last checked, if that was waived. */
function stateBefore(active: NotifiedSpan | undefined, now: ViolationTransition['now']): ActiveState | undefined {
  return active !== undefined && now !== 'unknown' && wasWaived(active) ? 'waived' : active?.state
}

/** An unknown one keeps the waiver that accepted it when it was last checked. */
function wasWaived({ state, waiver }: NotifiedSpan): boolean {
  return state === 'waived' || (state === 'unknown' && waiver !== null)
}

/**
 * What changed about a violation that was open before the run `since`, or when it was last checked, and is open after
 * `run`.
 */
export function changeBetween(
  project: string,
  spans: readonly NotifiedSpan[],
  { since, run }: { readonly since: number; readonly run: number },
): ViolationChange | undefined {
  const before = spans.findLast(({ fromRun, toRun }) => fromRun < since && (toRun === null || toRun >= since))
  const latest = spans.findLast(({ fromRun }) => fromRun <= run)
  if (before === undefined || wasWaived(before) || latest?.state !== 'open' || !isValidAfter(latest, run))
    return undefined
  if (latest.severity === before.severity && latest.message === before.message) return undefined
  return { ...factsOf(project, latest), was: { severity: before.severity, message: before.message } }
}

function factsOf(
  project: string,
  { fingerprint, rule, severity, kind, uid, name, path, message, owner }: NotifiedSpan,
) {
  return { project, fingerprint, rule, severity, kind, uid, name, path, message, owner }
}

function isValidAfter({ toRun }: NotifiedSpan, run: number): boolean {
  return toRun === null || toRun > run
}
