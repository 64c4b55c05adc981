import type { PastVersion, VersionPoint } from '../history/stored-body.ts'
import { canonicalJson } from '../model/canonical-json.ts'
import { type JsonObject, valueAt } from '../model/json.ts'
import type { Resource } from '../model/resource.ts'

/** Reads versions of a project's resources, in the order of `points`. */
export type VersionsAt = (points: readonly VersionPoint[]) => Promise<readonly (PastVersion | undefined)[]>

/** Since when a resource has held its value at a path (ISO 8601). */
export type ValueDates = (path: string) => string | undefined

interface DatedResource {
  readonly resource: Pick<Resource, 'kind' | 'uid' | 'attributes'>
  /** Paths to date. */
  readonly paths: readonly string[]
}

/**
 * Since when resources have held their values in every run: for rules about how long something has been so. Goes back
 * from version to version, with one read a step for all resources, until each value differs. `before`: the run before
 * which it goes back; `startedAt`: since when a resource holds what no earlier run saw. In the order of `dated`;
 * undefined for a resource without a path to date, as most are.
 */
export async function dateValues(
  dated: readonly DatedResource[],
  { before, startedAt }: { readonly before: number; readonly startedAt: string },
  versionsAt: VersionsAt,
): Promise<readonly (ValueDates | undefined)[]> {
  const dates = dated.map(({ paths }) =>
    paths.length === 0 ? undefined : new Map(paths.map((path) => [path, startedAt])),
  )
  let held = dated.flatMap((one, at) => (one.paths.length === 0 ? [] : [{ ...one, dates: dates[at], run: before }]))
  while (held.length > 0) {
    const points = held.map(({ resource: { kind, uid }, run }) => ({ kind, uid, run: run - 1 }))
    const versions = await versionsAt(points)
    held = held.flatMap((one, at) => {
      const version = versions[at]
      if (version === undefined) return []
      const paths = one.paths.filter((path) => !differs(version.attributes, one.resource.attributes, path))
      for (const path of paths) one.dates?.set(path, version.since)
      return paths.length === 0 ? [] : [{ ...one, paths, run: version.fromRun }]
    })
  }
  return dates.map((ofResource) => ofResource && ((path) => ofResource.get(path)))
}

/** Whether two versions of a resource hold other values at a path; what is absent counts as null. */
export function differs(before: JsonObject, after: JsonObject, path: string): boolean {
  return canonicalJson(valueAt(before, path) ?? null) !== canonicalJson(valueAt(after, path) ?? null)
}
