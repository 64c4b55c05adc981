import type { Modification } from '../history/staged.ts'
import type { PastVersion } from '../history/stored-body.ts'
import { type Resource, type ResourceKey, resourceKey } from '../model/resource.ts'
import { type IgnoredPath, isIgnoredBy } from '../policy/ignored-paths.ts'
import type { Drift } from '../rules/engine/rule.ts'
import { differs } from './date-values.ts'

/** A run that reported a change of a field. Until a walk is complete, each scan reports the same change again. */
interface ChangeReport {
  readonly run: number
  /** Milliseconds since the epoch. */
  readonly at: number
}

/** Runs that reported a change, by path of the field. */
type ChangeReports = Map<string, ChangeReport[]>

/** Reports of past runs by resource. */
export type RecentChanges = ReadonlyMap<ResourceKey, ChangeReports>

export function gatherChanges(modifications: readonly Modification[], ignored: readonly IgnoredPath[]): RecentChanges {
  const recent = new Map<ResourceKey, ChangeReports>()
  for (const { kind, uid, run, at, paths } of modifications) {
    const key = resourceKey({ kind, uid })
    const reports: ChangeReports = recent.get(key) ?? new Map()
    recent.set(key, reports)
    const compared = paths.filter((path) => !ignored.some((one) => isIgnoredBy(one, path)))
    for (const path of compared) reports.set(path, [...(reports.get(path) ?? []), { run, at: Date.parse(at) }])
  }
  return recent
}

interface ChangedResource {
  readonly resource: Pick<Resource, 'kind' | 'uid'>
  /** Of earlier runs, by path. */
  readonly reports: ReadonlyMap<string, readonly ChangeReport[]> | undefined
  /** Fields that this run was the first to see changed. */
  readonly fresh: ReadonlySet<string>
}

/**
 * When each field of a resource changed, this run included. A change that several runs reported counts once. `now`:
 * milliseconds since the epoch.
 */
export function datesOfChanges(
  { resource, reports, fresh }: ChangedResource,
  now: number,
  at: (resource: Pick<Resource, 'kind' | 'uid'>, run: number) => PastVersion | undefined,
): Drift['recent'] {
  const changes = new Map<string, readonly number[]>()
  for (const path of new Set([...(reports?.keys() ?? []), ...fresh])) {
    const ofPath = reports?.get(path) ?? []
    // A single change is not flapping, and is not searched for.
    const isAlone = ofPath.length + Number(fresh.has(path)) === 1
    const counted = isAlone
      ? ofPath
      : ofPath.filter(({ run }) => isFirst(path, at(resource, run), run, () => at(resource, run - 1)))
    const times = [...(fresh.has(path) ? [now] : []), ...counted.map((report) => report.at)]
    if (times.length > 0) changes.set(path, times)
  }
  return changes.size === 0 ? noChanges : changes
}

/** Whether a run was the first to see the value that it reported. What pruning took with it is believed. */
function isFirst(
  path: string,
  version: PastVersion | undefined,
  run: number,
  before: () => PastVersion | undefined,
): boolean {
  if (version === undefined) return true
  if (version.fromRun !== run) return false
  const earlier = before()
  return earlier === undefined || differs(earlier.attributes, version.attributes, path)
}

export const noChanges: Drift['recent'] = new Map()
