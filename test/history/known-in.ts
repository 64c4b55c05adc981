import type { Draft } from '../../src/history/history.ts'
import type { ActiveViolation, CurrentVersion } from '../../src/history/staged.ts'
import type { Kind, ProjectRef } from '../../src/model/resource.ts'
import { only, payments } from './samples.ts'

/** Versions of some resources that were current before a run, by uid, in the order asked. */
export async function knownIn(
  draft: Pick<Draft, 'current'>,
  project: ProjectRef,
  kind: Kind,
  uids: readonly string[],
): Promise<ReadonlyMap<string, CurrentVersion>> {
  const current = (await draft.current(project)).filter((version) => version.kind === kind)
  const byUid = new Map(current.map((version) => [version.uid, version]))
  return new Map(
    uids.flatMap((uid) => {
      const version = byUid.get(uid)
      return version === undefined ? [] : [[uid, version]]
    }),
  )
}

/** The id of a version that was current before a run. */
export async function idOf(draft: Draft, uid: string, kind: Kind = 'endpoint', project = payments): Promise<number> {
  return only([...(await knownIn(draft, project, kind, [uid])).values()]).id
}

/** The only violation of an endpoint that was active before a run. */
export async function activeViolationOf(draft: Draft, uid: string): Promise<ActiveViolation> {
  return only(await activeIn(draft, payments, 'endpoint', [uid]))
}

/** Violations of some resources that were active before a run, and that its draft has not decided. */
export async function activeIn(
  draft: Pick<Draft, 'unconfirmedViolations'>,
  project: ProjectRef,
  kind: Kind,
  uids: readonly string[],
): Promise<readonly ActiveViolation[]> {
  const active = await draft.unconfirmedViolations(project)
  return active.filter((violation) => violation.kind === kind && uids.includes(violation.uid))
}

/** Marks some resources of a kind as unreferenced, and no others. Returns those that had no mark before the run. */
export async function markIn(
  draft: Pick<Draft, 'unreferenced' | 'markUnreferenced'>,
  project: ProjectRef,
  kind: Kind,
  uids: readonly string[],
): Promise<readonly string[]> {
  const marked = (await draft.unreferenced(project)).get(kind) ?? new Set()
  const added = [...new Set(uids)].filter((uid) => !marked.has(uid))
  await draft.markUnreferenced(project, kind, { added, removed: [...marked].filter((uid) => !uids.includes(uid)) })
  return added
}
