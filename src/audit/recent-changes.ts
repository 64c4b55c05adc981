import type { StoredBody } from '../history/history.ts'
import { canonicalJson } from '../model/canonical-json.ts'
import { type JsonObject, valueAt } from '../model/json.ts'
import type { Drift } from '../rules/engine/drift.ts'
import type { ProjectContext, StagedResource } from './stage-resources.ts'

/** When a run reported a field's change. An incomplete walk reports the same change again in each run; it counts once. */
interface Telling {
  readonly run: number
  /** Milliseconds since the epoch. */
  readonly at: number
}

/** Fields of which past runs told that they changed, by `kind uid` and path. */
export type RecentChanges = ReadonlyMap<string, ReadonlyMap<string, readonly Telling[]>>

/** What changed lately of a project, before this run; asks for nothing where no rule looks back. */
export async function readRecentChanges(
  { draft, project }: ProjectContext,
  { now, lookbackMs }: { readonly now: number; readonly lookbackMs: number },
): Promise<RecentChanges> {
  const recent = new Map<string, Map<string, Telling[]>>()
  if (lookbackMs === 0) return recent
  const since = new Date(Math.max(0, now - lookbackMs)).toISOString()
  for (const { kind, uid, run, at, paths } of await draft.modifiedSince(project, since)) {
    const ofResource = recent.get(`${kind} ${uid}`) ?? new Map<string, Telling[]>()
    recent.set(`${kind} ${uid}`, ofResource)
    for (const path of paths) ofResource.set(path, [...(ofResource.get(path) ?? []), { run, at: Date.parse(at) }])
  }
  return recent
}

/** When each field of a resource changed, this run included. A change that was told again counts once. */
export async function changesOf(
  stage: ProjectContext,
  recent: RecentChanges,
  { resource, known, change }: StagedResource,
  now: number,
): Promise<Drift['recent']> {
  const told = recent.get(`${resource.kind} ${resource.uid}`)
  if (told === undefined && change === undefined) return nothing
  const fresh = new Set<string>()
  for (const { path } of change?.fields ?? []) {
    if (known !== undefined && differs(known.attributes, resource.attributes, path)) fresh.add(path)
  }
  const changes = new Map<string, readonly number[]>()
  for (const path of new Set([...(told?.keys() ?? []), ...fresh])) {
    const tellings = told?.get(path) ?? []
    const times: number[] = fresh.has(path) ? [now] : []
    for (const telling of tellings) {
      // A single change is no flapping, and need not be looked up.
      const isAlone = tellings.length + times.length === 1
      if (isAlone || (await wasChange(stage, resource, path, telling))) times.push(telling.at)
    }
    if (times.length > 0) changes.set(path, times)
  }
  return changes
}

const nothing: Drift['recent'] = new Map()

/** Whether a run was the first to see the value that it told of. What pruning took with it is believed. */
async function wasChange(
  { draft, project }: ProjectContext,
  { kind, uid }: StagedResource['resource'],
  path: string,
  { run }: Telling,
): Promise<boolean> {
  const version: StoredBody | undefined = await draft.versionAt(project, kind, uid, run)
  if (version === undefined) return true
  if (version.fromRun !== run) return false
  const before = await draft.versionAt(project, kind, uid, run - 1)
  return before === undefined || differs(before.attributes, version.attributes, path)
}

function differs(before: JsonObject, after: JsonObject, path: string): boolean {
  return canonicalJson(valueAt(before, path) ?? null) !== canonicalJson(valueAt(after, path) ?? null)
}
