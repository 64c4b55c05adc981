import type { Modification } from '../history/history.ts'
import { type ResourceKey, resourceKey } from '../model/keys.ts'
import type { Drift } from '../rules/engine/drift.ts'
import { differs, type VersionAt } from './date-values.ts'

/** A run that reported a change of a field. Until a walk is complete, each scan reports the same change again. */
interface ChangeReport {
  readonly run: number
  /** Milliseconds since the epoch. */
  readonly at: number
}

/** Runs that reported a change, by path of the field. */
export type ChangeReports = Map<string, ChangeReport[]>

/** Reports of past runs by resource. */
export type RecentChanges = ReadonlyMap<ResourceKey, ChangeReports>

export function gatherChanges(modifications: readonly Modification[]): RecentChanges {
  const recent = new Map<ResourceKey, ChangeReports>()
  for (const modification of modifications) addChange(recent, resourceKey(modification), modification)
  return recent
}

export function addChange<Key>(
  recent: Map<Key, ChangeReports>,
  key: Key,
  { run, at, paths }: Pick<Modification, 'run' | 'at' | 'paths'>,
): void {
  const reports: ChangeReports = recent.get(key) ?? new Map()
  recent.set(key, reports)
  for (const path of paths) reports.set(path, [...(reports.get(path) ?? []), { run, at: Date.parse(at) }])
}

interface Seen {
  /** Fields that this run was the first to see changed. */
  readonly fresh: ReadonlySet<string>
  /** Milliseconds since the epoch. */
  readonly now: number
  readonly versionAt: VersionAt
}

/**
 * When each field of a resource changed, this run included. A change that several runs reported counts
 * once. `reports`: of earlier runs.
 */
export async function datesOfChanges(
  reports: ReadonlyMap<string, readonly ChangeReport[]> | undefined,
  { fresh, now, versionAt }: Seen,
): Promise<Drift['recent']> {
  const changes = new Map<string, readonly number[]>()
  for (const path of new Set([...(reports?.keys() ?? []), ...fresh])) {
    const ofPath = reports?.get(path) ?? []
    const times: number[] = fresh.has(path) ? [now] : []
    // A single change is not flapping, and is not read.
    const isAlone = ofPath.length + times.length === 1
    for (const { run, at } of ofPath) {
      if (isAlone || (await wasFirstToSee(path, run, versionAt))) times.push(at)
    }
    if (times.length > 0) changes.set(path, times)
  }
  return changes
}

/** Whether a run was the first to see the value that it reported. What pruning took with it is believed. */
export async function wasFirstToSee(path: string, run: number, versionAt: VersionAt): Promise<boolean> {
  const version = await versionAt(run)
  if (version === undefined) return true
  if (version.fromRun !== run) return false
  const before = await versionAt(run - 1)
  return before === undefined || differs(before.attributes, version.attributes, path)
}

export const noChanges: Drift['recent'] = new Map()
