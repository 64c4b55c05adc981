import type { PastVersion } from '../history/stored-body.ts'
import { canonicalJson } from '../model/canonical-json.ts'
import { type JsonObject, valueAt } from '../model/json.ts'
import type { Resource } from '../model/resource.ts'

/** Since when a resource has held its value at a path (ISO 8601). */
export type ValueDates = (path: string) => string | undefined

/**
 * Since when a resource has held its values at some paths in every run: for rules about how long something has been so.
 * Goes back from version to version. `before`: the run before which it goes back; `startedAt`: since when the resource
 * holds what no earlier run saw. undefined without a path, as for most.
 */
export function dateValues(
  resource: Resource,
  paths: readonly string[],
  { before, startedAt }: { readonly before: number; readonly startedAt: string },
  at: (resource: Resource, run: number) => PastVersion | undefined,
): ValueDates | undefined {
  if (paths.length === 0) return undefined
  const dates = new Map(paths.map((path) => [path, startedAt]))
  let held = paths
  for (let run = before; held.length > 0; ) {
    const version = at(resource, run - 1)
    if (version === undefined) break
    held = held.filter((path) => !differs(version.attributes, resource.attributes, path))
    for (const path of held) dates.set(path, version.since)
    run = version.fromRun
  }
  return (path) => dates.get(path)
}

/** Whether two versions of a resource hold other values at a path; what is absent counts as null. */
export function differs(before: JsonObject, after: JsonObject, path: string): boolean {
  return canonicalJson(valueAt(before, path) ?? null) !== canonicalJson(valueAt(after, path) ?? null)
}
