import type { StagedChange } from '../history/records.ts'
import type { CurrentVersion } from '../history/staged.ts'
import { bodiesAtOnce, chunks } from '../model/chunks.ts'
import { type Kind, listings, type ResourceKey, resourceKey } from '../model/resource.ts'
import { filterText, isWithin } from './listing-filters.ts'
import { areSourcesListed, isKindComplete, isKindWhole, type ProjectScan, type Statuses } from './project-scan.ts'

export interface Removals {
  /** Removals since the last complete scan. */
  readonly changes: readonly StagedChange[]
  /** All that is gone, also what no complete scan had shown. */
  readonly gone: readonly ResourceKey[]
  /** Sources and devices that nothing refers to since this run, where only references show them. */
  readonly unreferenced: readonly { readonly kind: Kind; readonly uid: string }[]
  /** Resources that still exist and that this scan could not show. */
  readonly unobserved: readonly ResourceKey[]
}

/**
 * What is gone: only a complete walk of its own listing says so. It does not show what lies outside the filters
 * of a listing. A source or device that is known from subscriptions alone is no longer referenced, which is not the same.
 * `contradicted`: endpoints that subscriptions still show; under a filter, such a one went out of view.
 */
export async function findRemovals(
  scan: ProjectScan,
  statuses: Statuses,
  contradicted: ReadonlySet<string>,
): Promise<Removals> {
  const { draft, project, filters, currentVersions } = scan
  const changes: StagedChange[] = []
  const removed: ResourceKey[] = []
  const unreferenced: { kind: Kind; uid: string }[] = []
  const unobserved: ResourceKey[] = []
  for (const kind of ['endpoint', 'source', 'event_type', 'subscription', 'device'] as const) {
    if (!isKindComplete(statuses, kind)) continue
    const unseen = currentVersions.unseen(kind)
    if (kind === 'device' || (kind === 'source' && !areSourcesListed(statuses))) {
      for (const { uid } of unseen) unobserved.push(resourceKey({ kind, uid }))
      if (!isKindWhole(statuses, filters, kind)) continue
      const fresh = await draft.markUnreferenced(
        project,
        kind,
        unseen.map(({ uid }) => uid),
      )
      unreferenced.push(...fresh.map((uid) => ({ kind, uid })))
      continue
    }
    if (kind === 'source') await draft.markUnreferenced(project, kind, [])
    const isWhole = isKindWhole(statuses, filters, kind)
    const [within, beyond] = isWhole ? [unseen, []] : await partByFilter(scan, kind, unseen)
    const isShown = ({ uid }: CurrentVersion) => !isWhole && kind === 'endpoint' && contradicted.has(uid)
    const gone = within.filter((version) => !isShown(version))
    const outside = [...beyond, ...within.filter(isShown)]
    for (const { uid } of outside) unobserved.push(resourceKey({ kind, uid }))
    for (const { uid } of gone) removed.push(resourceKey({ kind, uid }))
    await draft.endVersions(
      project,
      gone.map(({ id }) => id),
    )
    for (const { uid, name } of await existedBefore(scan, kind, gone)) {
      changes.push({ kind, uid, name, change: 'removed', fields: [] })
    }
  }
  return { changes, gone: removed, unreferenced, unobserved }
}

/** What existed at the last complete scan: what only a partial one showed is not a removal. */
async function existedBefore(
  { draft, project, lastComplete }: ProjectScan,
  kind: Kind,
  gone: readonly CurrentVersion[],
): Promise<CurrentVersion[]> {
  const run = lastComplete[kind]?.run
  if (run === undefined) return []
  const existed: CurrentVersion[] = []
  for (const batch of chunks(gone, bodiesAtOnce)) {
    const younger = batch.filter(({ fromRun }) => fromRun > run)
    const points = younger.map(({ uid }) => ({ kind, uid, run }))
    const versions = await draft.versionsAt(project, points)
    const unknown = new Set(younger.filter((_, at) => versions[at] === undefined))
    existed.push(...batch.filter((version) => !unknown.has(version)))
  }
  return existed
}

/** What the filters would have shown, and what they would not, by what was last known. */
export async function partByFilter(
  { draft, project, filters }: ProjectScan,
  kind: Kind,
  unseen: readonly CurrentVersion[],
): Promise<[within: readonly CurrentVersion[], outside: readonly CurrentVersion[]]> {
  if (listings.every((listing) => filterText(listing, filters) === null)) return [unseen, []]
  const within: CurrentVersion[] = []
  const outside: CurrentVersion[] = []
  for (const batch of chunks(unseen, bodiesAtOnce)) {
    const bodies = await draft.versionsAt(
      project,
      batch.map(({ uid }) => ({ kind, uid, run: draft.run - 1 })),
    )
    for (const [at, version] of batch.entries()) {
      const side = isWithin(filters, kind, bodies[at]?.attributes ?? {}) ? within : outside
      side.push(version)
    }
  }
  return [within, outside]
}
