import type { ReportedChange, VersionSpan, ViolationSpan } from '../history/sql/resource-life.ts'
import { pointersOverlap } from '../model/json.ts'
import type { Kind } from '../model/resource.ts'
import { compareVersions } from './diff.ts'
import { versionIn } from './former-state.ts'

/** An end of a window, and the run that shows it; null: no run does. */
export interface WindowEnd {
  readonly run: number | null
  /** ISO 8601, UTC. */
  readonly at: string
}

/** What a resource lost, and in which time. */
export interface DriftSpan {
  /** The run that saw it changed. */
  readonly changedIn: number
  /** JSON Pointers; `removed`: all of it. */
  readonly paths: readonly string[] | 'removed'
  /** The last run that saw the former value. `isSeen`: false where none did; then it is the first that saw the present one. */
  readonly from: WindowEnd & { readonly isSeen: boolean }
  /** The run that saw it put back; undefined: none did. */
  readonly to: WindowEnd | undefined
}

/** What the history knows of a resource, oldest first. */
export interface ResourceLife {
  readonly kind: Kind
  readonly versions: readonly VersionSpan[]
  readonly violations: readonly ViolationSpan[]
  /** By the run that reported them. */
  readonly changes: ReadonlyMap<number, ReportedChange>
}

/** The runs of a project. */
export interface ProjectRuns {
  /** By their numbers. */
  readonly times: ReadonlyMap<number, { readonly started_at: string; readonly finished_at: string }>
  /** Those that scanned it completely. */
  readonly complete: ReadonlySet<number>
}

/** The drift that a violation reports: the last time that it was open. */
export function driftOfViolation(
  life: ResourceLife,
  spans: readonly ViolationSpan[],
  runs: ProjectRuns,
): DriftSpan | undefined {
  const last = spans.at(-1)
  if (last === undefined) return undefined
  const first = spans.findLast((_, at) => spans[at - 1]?.goesOn !== true) ?? last
  const { path, originRun } = last
  const { kind, versions } = life
  const opened = versionIn(versions, first.fromRun)
  const origin = originRun === undefined ? undefined : versionIn(versions, originRun)
  // A rule that compares with nothing reports a value: a change opened it only where the version before had another one.
  const before = origin ?? versions.find(({ toRun }) => opened !== undefined && toRun === opened.fromRun)
  const former = before && lastWith(kind, before, versions, [path])
  const isOfChange = former?.toRun != null && former.toRun <= first.fromRun
  const changedIn = isOfChange ? (former.toRun ?? first.fromRun) : first.fromRun
  const isRemoval = isOfChange && !versions.some(({ fromRun }) => fromRun === changedIn)
  const paths = isRemoval ? ('removed' as const) : [path]
  const changed = driftFrom(life, { changedIn, paths, former: isOfChange ? former : undefined }, runs)
  // What changed may be another resource: then the run before is the last one that did not find it.
  const previous = runBefore(first.fromRun, runs)
  const hadNone = !isOfChange && versionIn(versions, previous) !== undefined
  const from = { run: previous, at: runs.times.get(previous)?.started_at ?? '', isSeen: true }
  const drift = hadNone ? { ...changed, from } : changed
  const isFixed = last.toRun !== null && last.resolution === 'fixed'
  if (drift.to !== undefined || !isFixed) return drift
  return { ...drift, to: endAt(life, last.toRun ?? 0, runs) }
}

/** What changed in a run, as far as it is about some fields. */
export function driftOfChange(
  life: ResourceLife,
  changedIn: number,
  paths: DriftSpan['paths'],
  runs: ProjectRuns,
): DriftSpan {
  const former = life.versions.find(({ toRun }) => toRun === changedIn)
  return driftFrom(life, { changedIn, paths, former }, runs)
}

/**
 * What a person means by a resource alone: the open drifts, else its removal, else the last drift that was put right, else
 * its last change. Empty where it never changed.
 */
export function driftsOfResource(life: ResourceLife, runs: ProjectRuns): readonly DriftSpan[] {
  const { kind, versions, violations } = life
  const byFingerprint = [...Map.groupBy(violations, ({ fingerprint }) => fingerprint).values()]
  const ofRules = byFingerprint.filter((spans) => spans.at(-1)?.originRun !== undefined)
  const open = ofRules.filter((spans) => spans.at(-1)?.toRun === null)
  const toDrifts = (all: typeof ofRules) => all.flatMap((spans) => driftOfViolation(life, spans, runs) ?? [])
  if (open.length > 0) return toDrifts(open)
  const last = versions.at(-1)
  if (last?.toRun != null) return [driftOfChange(life, last.toRun, 'removed', runs)]
  const ended = ofRules.filter((spans) => spans.at(-1)?.resolution === 'fixed')
  const latest = Math.max(...ended.map((spans) => spans.at(-1)?.toRun ?? 0))
  const changed = lastChange(kind, versions)
  if (changed === undefined || (ended.length > 0 && latest >= changed.in)) {
    return toDrifts(ended.filter((spans) => spans.at(-1)?.toRun === latest))
  }
  return [driftOfChange(life, changed.in, changed.paths, runs)]
}

/** The last change, or the one before it where the last one undid that. */
function lastChange(kind: Kind, versions: readonly VersionSpan[]) {
  const steps = versions.flatMap((after, at) => {
    const before = versions[at - 1]
    if (before === undefined || before.toRun !== after.fromRun) return []
    const paths = compareVersions(kind, before, after).asSeen.map(({ path }) => path)
    return paths.length === 0 ? [] : [{ in: after.fromRun, paths, before, after }]
  })
  let isUndoing = false
  for (const [at, { after }] of steps.entries()) {
    const one = steps[at - 1]
    // What repeats a change that was undone is a change of its own.
    isUndoing = !isUndoing && one !== undefined && compareVersions(kind, one.before, after).asSeen.length === 0
  }
  return isUndoing ? steps.at(-2) : steps.at(-1)
}

interface Change extends Pick<DriftSpan, 'changedIn' | 'paths'> {
  /** The version before it; undefined: the history has none. */
  readonly former: VersionSpan | undefined
}

function driftFrom(life: ResourceLife, { changedIn, paths, former }: Change, runs: ProjectRuns): DriftSpan {
  const { kind, versions, changes } = life
  const back = versions.find(
    (version) =>
      version.fromRun > changedIn &&
      former !== undefined &&
      (paths === 'removed' || !differsIn(kind, former, version, paths)),
  )
  return {
    changedIn,
    paths,
    from: startOf(former, changedIn, changes, runs),
    to: back && endAt(life, back.fromRun, runs),
  }
}

function startOf(
  former: VersionSpan | undefined,
  changedIn: number,
  changes: ResourceLife['changes'],
  runs: ProjectRuns,
): DriftSpan['from'] {
  const { after = null, after_run = null } = changes.get(changedIn)?.between ?? {}
  if (former !== undefined && after !== null) return { run: after_run, at: after, isSeen: true }
  const before = runBefore(changedIn, runs)
  const run = former === undefined || before === 0 ? changedIn : before
  return { run, at: runs.times.get(run)?.started_at ?? '', isSeen: former !== undefined }
}

/** The last run before another that scanned the project completely; 0: none. */
function runBefore(run: number, { complete }: ProjectRuns): number {
  return [...complete].reduce((last, each) => (each < run ? Math.max(last, each) : last), 0)
}

function endAt({ changes }: ResourceLife, run: number, runs: ProjectRuns): WindowEnd {
  const { before, before_run = run } = changes.get(run)?.between ?? {}
  return { run: before_run, at: before ?? runs.times.get(run)?.finished_at ?? '' }
}

/** The last of the versions from one on that have its values. */
function lastWith(
  kind: Kind,
  first: VersionSpan,
  versions: readonly VersionSpan[],
  paths: readonly string[],
): VersionSpan {
  let last = first
  for (const next of versions) {
    if (next.fromRun !== last.toRun) continue
    if (differsIn(kind, first, next, paths)) break
    last = next
  }
  return last
}

/** Whether some fields differ, or may. */
export function differsIn(...sides: Parameters<typeof compareIn>): boolean {
  return compareIn(...sides) !== 'equal'
}

export function compareIn(
  kind: Kind,
  one: VersionSpan,
  other: VersionSpan,
  paths: readonly string[],
): 'equal' | 'changed' | 'unknown' {
  const { asSeen, unknown } = compareVersions(kind, one, other)
  const isMeant = ({ path }: { readonly path: string }) => paths.some((wanted) => pointersOverlap(wanted, path))
  if (asSeen.some(isMeant)) return 'changed'
  return unknown.some(isMeant) ? 'unknown' : 'equal'
}
