import type { StagedChange } from '../history/history.ts'
import type { Kind } from '../model/resource.ts'
import { areSourcesListed, isKindComplete, type Statuses } from './look.ts'
import type { Stage } from './stage-resources.ts'

export interface Removals {
  readonly changes: readonly StagedChange[]
  /** Sources and devices that nothing refers to any more, where only references show them. By kind, all and new ones. */
  readonly unreferenced: readonly {
    readonly kind: Kind
    readonly uids: readonly string[]
    readonly fresh: readonly string[]
  }[]
}

/**
 * What is gone: only a complete walk of its own listing says so. A source or device that is known from subscriptions
 * alone is no longer referenced, which is not the same.
 */
export async function findRemovals(stage: Stage, statuses: Statuses): Promise<Removals> {
  const changes: StagedChange[] = []
  const unreferenced: { kind: Kind; uids: string[]; fresh: readonly string[] }[] = []
  for (const kind of ['endpoint', 'source', 'subscription', 'device'] as const) {
    if (!isKindComplete(statuses, kind)) continue
    const unseen = await stage.draft.unseen(stage.project, kind)
    if (kind === 'device' || (kind === 'source' && !areSourcesListed(statuses))) {
      const uids = unseen.map(({ uid }) => uid)
      unreferenced.push({ kind, uids, fresh: await stage.draft.markUnreferenced(stage.project, kind, uids) })
      continue
    }
    if (kind === 'source') await stage.draft.markUnreferenced(stage.project, kind, [])
    await stage.draft.endVersions(unseen.map(({ id }) => id))
    const baseline = stage.baselines[kind]
    if (baseline === undefined) continue
    for (const { uid, name, fromRun } of unseen) {
      const stood =
        fromRun <= baseline.run || (await stage.draft.versionAt(stage.project, kind, uid, baseline.run)) !== undefined
      if (stood) changes.push({ kind, uid, name, change: 'removed', fields: [] })
    }
  }
  return { changes, unreferenced }
}
