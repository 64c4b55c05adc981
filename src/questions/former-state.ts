import { isFollowedBy, type VersionSpan, type ViolationSpan } from '../history/sql/resource-life.ts'
import type { CommittedRun } from '../history/sql/runs.ts'
import type { Kind } from '../model/resource.ts'
import { compareVersions } from './diff.ts'

/**
 * Why a former state was chosen: a person named its run; it is the state before the changes that open violations of
 * drift rules report; before the last change; or before the removal.
 */
export type Basis = 'asked' | 'before_drift' | 'before_change' | 'before_removal'

export interface FormerState {
  readonly version: VersionSpan
  readonly basis: Basis
  /** The drift rules whose violations decided, each once. */
  readonly rules: readonly string[]
  /** The run of the last change, where the state is the one before it: versions between the two may be pruned. */
  readonly changedIn?: number
}

/** The version that was valid in a run; undefined when the resource was not there, or the version is pruned. */
export function versionIn(versions: readonly VersionSpan[], run: number): VersionSpan | undefined {
  return versions.find(({ fromRun, toRun }) => fromRun <= run && (toRun === null || toRun > run))
}

/** What made a resource as it should be. */
export interface PutRight {
  /** The run that saw the change. */
  readonly run: number
  /** The rules whose violations that ended, each once; none where it only undid the change before it. */
  readonly rules: readonly string[]
}

/**
 * Whether the last change of a resource put it right: it ended violations, or it undid the change before it. Then there is nothing to restore. `violations`: all of the resource, also ended ones.
 */
export function findPutRight(
  kind: Kind,
  versions: readonly VersionSpan[],
  violations: readonly ViolationSpan[],
  { version, changedIn: run }: FormerState,
): PutRight | undefined {
  const now = versions.at(-1)
  if (run === undefined || now === undefined) return undefined
  const fixed = violations.filter(({ toRun, resolution }) => toRun === run && resolution === 'fixed')
  const isUndone = versions.some(
    (earlier) => earlier.toRun === version.fromRun && compareVersions(kind, earlier, now).asSeen.length === 0,
  )
  return fixed.length > 0 || isUndone ? { run, rules: [...new Set(fixed.map(({ rule }) => rule))] } : undefined
}

/**
 * Chooses the state to put back: that of a run that a person names; else the one before the first change that an open
 * violation reports, so that all of them end; else the one before the last change or the removal. undefined when there
 * is none. `violations`: the open ones that decide; of a removed resource, those that were open until then.
 */
export function chooseFormerState(
  kind: Kind,
  versions: readonly VersionSpan[],
  violations: readonly ViolationSpan[],
  chosenRun: CommittedRun | undefined,
): FormerState | undefined {
  const as = (version: VersionSpan | undefined, basis: Basis, rules: readonly string[] = []) =>
    version === undefined ? undefined : { version, basis, rules }
  if (chosenRun !== undefined) return as(versionIn(versions, chosenRun.number), 'asked')
  const last = versions.at(-1)
  if (last === undefined) return undefined
  return beforeDrift() ?? (last.toRun !== null ? as(last, 'before_removal') : beforeChange())

  function beforeDrift(): FormerState | undefined {
    const open = violations.filter(({ originRun }) => originRun !== undefined)
    const origins = open.map(({ originRun = 0 }) => originRun)
    const version = origins.length === 0 ? undefined : versionIn(versions, Math.min(...origins))
    return as(version, 'before_drift', [...new Set(open.map(({ rule }) => rule))])
  }

  function beforeChange(): FormerState | undefined {
    for (let at = versions.length - 1; at > 0; at--) {
      const [before, after] = [versions[at - 1], versions[at]]
      if (before === undefined || after === undefined || !isFollowedBy(before, after)) return undefined
      if (compareVersions(kind, before, after).asSeen.length > 0)
        return { version: before, basis: 'before_change', rules: [], changedIn: after.fromRun }
    }
    return undefined
  }
}
