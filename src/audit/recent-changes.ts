import type { Modification } from '../history/staged.ts'
import type { VersionPoint } from '../history/stored-body.ts'
import { chunks } from '../model/chunks.ts'
import { type Resource, type ResourceKey, resourceKey } from '../model/resource.ts'
import { type IgnoredPath, isIgnoredBy } from '../policy/ignored-paths.ts'
import type { Drift } from '../rules/engine/rule.ts'
import { differs, type VersionsAt } from './date-values.ts'

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

export function gatherChanges(modifications: readonly Modification[], ignored: readonly IgnoredPath[]): RecentChanges {
  const recent = new Map<ResourceKey, ChangeReports>()
  for (const modification of modifications) addChange(recent, resourceKey(modification), modification, ignored)
  return recent
}

export function addChange<Key>(
  recent: Map<Key, ChangeReports>,
  key: Key,
  { run, at, paths }: Pick<Modification, 'run' | 'at' | 'paths'>,
  ignored: readonly IgnoredPath[],
): void {
  const reports: ChangeReports = recent.get(key) ?? new Map()
  recent.set(key, reports)
  const compared = paths.filter((path) => !ignored.some((one) => isIgnoredBy(one, path)))
  for (const path of compared) reports.set(path, [...(reports.get(path) ?? []), { run, at: Date.parse(at) }])
}

interface ChangedResource {
  readonly resource: Pick<Resource, 'kind' | 'uid'>
  /** Of earlier runs, by path. */
  readonly reports: ReadonlyMap<string, readonly ChangeReport[]> | undefined
  /** Fields that this run was the first to see changed. */
  readonly fresh: ReadonlySet<string>
}

/**
 * When each field of some resources changed, this run included, in their order. A change that several runs reported
 * counts once. `now`: milliseconds since the epoch.
 */
export async function datesOfChanges(
  resources: readonly ChangedResource[],
  now: number,
  versionsAt: VersionsAt,
): Promise<readonly Drift['recent'][]> {
  // A single change is not flapping, and is not read.
  const isAlone = (reports: readonly ChangeReport[], isFresh: boolean) => reports.length + Number(isFresh) === 1
  const reportedFields = resources.flatMap(({ resource: { kind, uid }, reports, fresh }) =>
    [...(reports ?? [])].flatMap(([path, ofPath]) =>
      isAlone(ofPath, fresh.has(path)) ? [] : ofPath.map(({ run }) => ({ kind, uid, run, path })),
    ),
  )
  const wasFirst = await findFirstSightings(reportedFields, versionsAt)
  return resources.map(({ resource: { kind, uid }, reports, fresh }) => {
    const changes = new Map<string, readonly number[]>()
    for (const path of new Set([...(reports?.keys() ?? []), ...fresh])) {
      const ofPath = reports?.get(path) ?? []
      const counted = isAlone(ofPath, fresh.has(path))
        ? ofPath
        : ofPath.filter(({ run }) => wasFirst({ kind, uid, run, path }))
      const times = [...(fresh.has(path) ? [now] : []), ...counted.map(({ at }) => at)]
      if (times.length > 0) changes.set(path, times)
    }
    return changes.size === 0 ? noChanges : changes
  })
}

/** A field that a run reported as changed. */
interface ReportedField extends VersionPoint {
  readonly path: string
}

/** Pairs of versions at a time: memory holds no more of them. */
const pairsAtOnce = 50

/** Finds which runs were the first to see the value that they reported. What pruning took with it is believed. */
export async function findFirstSightings(
  fields: readonly ReportedField[],
  versionsAt: VersionsAt,
): Promise<(field: ReportedField) => boolean> {
  const keyOf = ({ path, run, ...resource }: ReportedField) => `${run} ${path} ${resourceKey(resource)}`
  const later = new Set<string>()
  const byVersion = Map.groupBy(fields, ({ run, ...resource }) => `${run} ${resourceKey(resource)}`)
  for (const batch of chunks([...byVersion.values()], pairsAtOnce)) {
    const points = batch.flatMap(([first]) => (first === undefined ? [] : [first]))
    const versions = await versionsAt(
      points.flatMap(({ kind, uid, run }) => [
        { kind, uid, run },
        { kind, uid, run: run - 1 },
      ]),
    )
    for (const [at, ofVersion] of batch.entries()) {
      const [version, before] = [versions[2 * at], versions[2 * at + 1]]
      if (version === undefined) continue
      const isFirst = (path: string) =>
        version.fromRun === ofVersion[0]?.run &&
        (before === undefined || differs(before.attributes, version.attributes, path))
      for (const field of ofVersion) if (!isFirst(field.path)) later.add(keyOf(field))
    }
  }
  return (field) => !later.has(keyOf(field))
}

export const noChanges: Drift['recent'] = new Map()
