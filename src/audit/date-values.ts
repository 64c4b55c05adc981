import { canonicalJson } from '../model/canonical-json.ts'
import { valueAt } from '../model/json.ts'
import type { Resource } from '../model/resource.ts'
import type { ProjectContext } from './stage-resources.ts'

/** Since when a resource has held its values, run by run: for rules that judge how long something has been so. */
export async function dateValues(
  stage: ProjectContext,
  resource: Resource,
  paths: readonly string[],
  startedAt: string,
): Promise<(path: string) => string | undefined> {
  const dates = new Map<string, string>()
  for (const path of paths) dates.set(path, (await firstSeen(stage, resource, path)) ?? startedAt)
  return (path) => dates.get(path)
}

/** Goes back from version to version as long as the value stays the same; undefined when this run is the first to see it. */
async function firstSeen(
  { draft, project }: ProjectContext,
  { kind, uid, attributes }: Resource,
  path: string,
): Promise<string | undefined> {
  const held = canonicalJson(valueAt(attributes, path) ?? null)
  let since: string | undefined
  let run = draft.run
  for (;;) {
    const before = await draft.versionAt(project, kind, uid, run - 1)
    if (before === undefined || canonicalJson(valueAt(before.attributes, path) ?? null) !== held) return since
    since = before.since
    run = before.fromRun
  }
}
