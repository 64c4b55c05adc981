import type { Draft, KnownVersion } from '../../src/history/history.ts'
import type { Kind, ProjectRef } from '../../src/model/resource.ts'

/** Versions of some resources that were current before a run, by uid, in the order asked. */
export async function knownIn(
  draft: Pick<Draft, 'current'>,
  project: ProjectRef,
  kind: Kind,
  uids: readonly string[],
): Promise<ReadonlyMap<string, KnownVersion>> {
  const current = (await draft.current(project)).filter((version) => version.kind === kind)
  const byUid = new Map(current.map((version) => [version.uid, version]))
  return new Map(
    uids.flatMap((uid): [string, KnownVersion][] => {
      const version = byUid.get(uid)
      return version === undefined ? [] : [[uid, version]]
    }),
  )
}
