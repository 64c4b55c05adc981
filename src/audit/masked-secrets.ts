import type { ViolationDraft } from '../history/history.ts'
import { bodiesAtOnce, chunks } from '../model/chunks.ts'
import { isJsonObject, type JsonObject, valueAt } from '../model/json.ts'
import { isMasked, type ProjectRef } from '../model/resource.ts'
import type { Finding } from '../model/violation.ts'
import { type Criteria, keyOf } from './reconcile.ts'

/**
 * Whether a violation is about a secret that the service masks, and of a rule that passes over it: whether that is still
 * the same cannot be said. A mask keeps what was known of a secret, but not under another installation key.
 */
export async function readMasked(
  draft: Pick<ViolationDraft, 'run' | 'versionsAt'>,
  project: ProjectRef,
  violations: readonly Finding[],
  { needs, isRemoved }: Pick<Criteria, 'needs' | 'isRemoved'>,
): Promise<(violation: Finding) => boolean> {
  const masked = new Set<string>()
  const concerned = violations.filter(({ rule }) => needs.get(rule)?.skipsMasked === true)
  for (const batch of chunks(concerned, bodiesAtOnce)) {
    const versions = await draft.versionsAt(
      project,
      batch.map(({ kind, uid }) => ({ kind, uid, run: draft.run })),
    )
    for (const [at, violation] of batch.entries()) {
      if (isMaskedAt(versions[at]?.attributes ?? {}, violation.path)) masked.add(keyOf(violation))
    }
  }
  return (violation) => masked.has(keyOf(violation)) && !isRemoved(violation)
}

/** `path`: of a secret, or of the entry of a list that has it as its `value`. */
function isMaskedAt(attributes: JsonObject, path: string): boolean {
  const entry = valueAt(attributes, path.replace(/\/value$/, ''))
  if (!isJsonObject(entry)) return isMasked(entry)
  return isMasked(entry.value) && (entry.deleted_at ?? null) === null
}
