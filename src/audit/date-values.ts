import { canonicalJson } from '../model/canonical-json.ts'
import { type JsonObject, valueAt } from '../model/json.ts'

/** A resource as runs of the past saw it. */
export interface PastVersion {
  readonly attributes: JsonObject
  /** The run that saw it so first, and when that run started (ISO 8601). */
  readonly fromRun: number
  readonly since: string
}

/** The version of a resource that was valid in a run; undefined where it was not there, or is not kept. */
export type VersionAt = (run: number) => Promise<PastVersion | undefined>

/**
 * Since when a resource has held its values in every run: for rules about how long something has been so. Goes back
 * from version to version, until each value differs. `before`: the run before which it goes back; `startedAt`: since
 * when it holds what no earlier run saw.
 */
export async function dateValues(
  attributes: JsonObject,
  paths: readonly string[],
  { before, startedAt }: { readonly before: number; readonly startedAt: string },
  versionAt: VersionAt,
): Promise<(path: string) => string | undefined> {
  const dates = new Map(paths.map((path) => [path, startedAt]))
  let held = paths
  let run = before
  while (held.length > 0) {
    const version = await versionAt(run - 1)
    if (version === undefined) break
    held = held.filter((path) => !differs(version.attributes, attributes, path))
    for (const path of held) dates.set(path, version.since)
    run = version.fromRun
  }
  return (path) => dates.get(path)
}

/** Whether two versions of a resource hold other values at a path; what is absent counts as null. */
export function differs(before: JsonObject, after: JsonObject, path: string): boolean {
  return canonicalJson(valueAt(before, path) ?? null) !== canonicalJson(valueAt(after, path) ?? null)
}
