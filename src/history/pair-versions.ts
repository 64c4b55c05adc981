import type { Differing, EvaluableVersion, Identity } from './reader.ts'
import { byKindAndUid, compareText } from './report-order.ts'

/** Puts what was valid before and what is valid after next to each other, resource by resource. */
export function pairVersions() {
  const pairs = new Map<string, { -readonly [Member in keyof Differing]: Differing[Member] }>()
  return {
    /** `projectId`: of the project's row. */
    add(
      side: 'before' | 'after',
      projectId: number,
      { project, kind, uid }: Identity,
      version: EvaluableVersion,
    ): void {
      const key = `${projectId} ${kind} ${uid}`
      const pair = pairs.get(key) ?? { project, kind, uid, before: undefined, after: undefined }
      pair[side] = version
      pairs.set(key, pair)
    },
    /** Those whose sides differ; by project, kind and uid. */
    differing(): Differing[] {
      return [...pairs.values()]
        .filter(({ before, after }) => before?.digest !== after?.digest)
        .sort((a, b) => compareText(a.project.name, b.project.name) || byKindAndUid(a, b))
    },
  }
}

/** The same for versions that come resource by resource: holds one pair, and visits those whose sides differ. */
export function pairNeighbours(visit: (pair: Differing) => void) {
  let last: { readonly key: string; pair: Differing } | undefined
  const end = () => {
    if (last !== undefined && last.pair.before?.digest !== last.pair.after?.digest) visit(last.pair)
    last = undefined
  }
  return {
    add(side: 'before' | 'after', projectId: number, identity: Identity, version: EvaluableVersion): void {
      const key = `${projectId} ${identity.kind} ${identity.uid}`
      if (last?.key !== key) end()
      const { project, kind, uid } = identity
      last ??= { key, pair: { project, kind, uid, before: undefined, after: undefined } }
      last = { key, pair: { ...last.pair, [side]: version } }
    },
    end,
  }
}
