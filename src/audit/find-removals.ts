import type { StagedChange } from '../history/records.ts'
import type { CurrentVersion } from '../history/staged.ts'
import { type Kind, listings, type ResourceKey, resourceKey } from '../model/resource.ts'
import { filterText, isWithin } from './listing-filters.ts'
import { areSourcesListed, isKindComplete, isKindWhole, type ProjectScan, type Statuses } from './project-scan.ts'

/** The versions of a kind whose resources a scan did not show. */
export type UnseenVersions = (kind: Kind) => readonly CurrentVersion[]

export interface Removals {
  /** Removals since the last complete scan. */
  readonly changes: readonly StagedChange[]
  /** Ids of the versions of all that is gone. */
  readonly ended: readonly number[]
  /** All that is gone, also what no complete scan had shown. */
  readonly gone: readonly ResourceKey[]
  /** Sources and devices that nothing refers to, where only references show them, by kind; no entry: not known. */
  readonly unreferenced: ReadonlyMap<Kind, readonly string[]>
  /** Resources that still exist and that this scan could not show. */
  readonly unobserved: readonly ResourceKey[]
}

/**
 * What is gone: only a complete walk of its own listing says so. It does not show what lies outside the filters
 * of a listing. A source or device that is known from subscriptions alone is no longer referenced, which is not the same.
 * `contradicted`: endpoints that subscriptions still show; under a filter, such a one went out of view.
 */
export function findRemovals(
  scan: ProjectScan,
  statuses: Statuses,
  { contradicted, unseen: unseenOf }: { readonly contradicted: ReadonlySet<string>; readonly unseen: UnseenVersions },
): Removals {
  const { filters } = scan
  const changes: StagedChange[] = []
  const ended: number[] = []
  const removed: ResourceKey[] = []
  const unreferenced = new Map<Kind, readonly string[]>()
  const unobserved: ResourceKey[] = []
  for (const kind of ['endpoint', 'source', 'event_type', 'subscription', 'device'] as const) {
    if (!isKindComplete(statuses, kind)) continue
    const unseen = unseenOf(kind)
    if (kind === 'device' || (kind === 'source' && !areSourcesListed(statuses))) {
      for (const { uid } of unseen) unobserved.push(resourceKey({ kind, uid }))
      if (!isKindWhole(statuses, filters, kind)) continue
      unreferenced.set(
        kind,
        unseen.map(({ uid }) => uid),
      )
      continue
    }
    if (kind === 'source') unreferenced.set(kind, [])
    const isWhole = isKindWhole(statuses, filters, kind)
    const [within, beyond] = isWhole ? [unseen, []] : partByFilter(scan, kind, unseen)
    const isShown = ({ uid }: CurrentVersion) => !isWhole && kind === 'endpoint' && contradicted.has(uid)
    const gone = within.filter((version) => !isShown(version))
    const outside = [...beyond, ...within.filter(isShown)]
    for (const { uid } of outside) unobserved.push(resourceKey({ kind, uid }))
    for (const { id, uid } of gone) {
      removed.push(resourceKey({ kind, uid }))
      ended.push(id)
    }
    for (const { uid, name } of existedBefore(scan, kind, gone)) {
      changes.push({ kind, uid, name, change: 'removed', fields: [] })
    }
  }
  return { changes, ended, gone: removed, unreferenced, unobserved }
}

/** What existed at the last complete scan: what only a partial one showed is not a removal. */
function existedBefore(
  { lastComplete, before }: ProjectScan,
  kind: Kind,
  gone: readonly CurrentVersion[],
): readonly CurrentVersion[] {
  const run = lastComplete[kind]?.run
  if (run === undefined) return []
  return gone.filter((version) => version.fromRun <= run || before.versions.at(version, run) !== undefined)
}

/** What the filters would have shown, and what they would not, by what was last known. */
export function partByFilter(
  { filters, before }: ProjectScan,
  kind: Kind,
  unseen: readonly CurrentVersion[],
): [within: readonly CurrentVersion[], outside: readonly CurrentVersion[]] {
  if (listings.every((listing) => filterText(listing, filters) === null)) return [unseen, []]
  const within: CurrentVersion[] = []
  const outside: CurrentVersion[] = []
  for (const version of unseen) {
    const side = isWithin(filters, kind, before.versions.before(version)?.attributes ?? {}) ? within : outside
    side.push(version)
  }
  return [within, outside]
}
