import type { ResourceKey } from '../model/keys.ts'
import { resourceKey } from '../model/keys.ts'
import type { Listing, Resource } from '../model/resource.ts'
import type { Drift } from '../rules/engine/drift.ts'
import { differs } from './date-values.ts'
import type { ProjectContext } from './project-context.ts'
import type { Statuses } from './project-scan.ts'
import { datesOfChanges, noChanges, type RecentChanges } from './recent-changes.ts'
import type { StagedResource } from './stage-resources.ts'

/** Compares what a project's pages show with what drift rules hold against it. */
export interface Comparison {
  /** Resources that differ from the baseline, or changed lately. */
  compare(listing: Listing, resources: readonly StagedResource[]): Promise<readonly ComparedResource[]>
  /** What the baseline holds and complete walks did not show. Asked when all walks have ended. */
  compareMissing(statuses: Statuses): Promise<Missing>
}

export interface ComparedResource {
  readonly resource: Resource
  readonly drift: Drift
}

export interface Missing {
  readonly gone: readonly ComparedResource[]
  /** What the filters hid: whether it is gone cannot be said. */
  readonly unobserved: readonly ResourceKey[]
  /** How many resources were sealed under another installation key, so that their secrets were not compared. */
  readonly uncomparedSeals: number
}

/** With the last complete scan everything was compared when a resource was staged. */
export function compareWithLastScan(context: ProjectContext, recent: RecentChanges): Comparison {
  const { sealer } = context
  return {
    async compare(_, resources) {
      const compared: ComparedResource[] = []
      for (const staged of resources) {
        const { resource, base, change } = staged
        const changes = await changesOf(context, recent, staged)
        if (change === undefined && changes.size === 0) continue
        const drift: Drift = {
          ...subjectOf(resource),
          change: change?.change ?? 'none',
          before: base === 'same' ? resource.attributes : base?.attributes,
          after: resource.attributes,
          fields: change?.fields ?? [],
          isApproved: false,
          areSealsComparable: base === undefined || base === 'same' || base.sealKeyId === sealer.keyId,
          recent: changes,
        }
        compared.push({ resource, drift })
      }
      return compared
    },
    // What is gone since then shows as a removal, which is not a matter of a rule.
    compareMissing: async () => ({ gone: [], unobserved: [], uncomparedSeals: 0 }),
  }
}

export function subjectOf({ kind, uid, name }: Resource): Pick<Drift, 'kind' | 'uid' | 'name'> {
  return { kind, uid, name }
}

/** When each field of a staged resource changed lately. */
export async function changesOf(
  { draft, project, now }: ProjectContext,
  recent: RecentChanges,
  { resource, known, change }: StagedResource,
): Promise<Drift['recent']> {
  const { kind, uid, attributes } = resource
  const reports = recent.get(resourceKey(resource))
  if (reports === undefined && change === undefined) return noChanges
  const changed = (change?.fields ?? []).map(({ path }) => path)
  const fresh = changed.filter((path) => known !== undefined && differs(known.attributes, attributes, path))
  return datesOfChanges(reports, {
    fresh: new Set(fresh),
    now,
    versionAt: (run) => draft.versionAt(project, kind, uid, run),
  })
}
