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
