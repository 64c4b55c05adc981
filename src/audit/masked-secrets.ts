import { isJsonObject, type JsonObject, valueAt } from '../model/json.ts'
import { isMasked } from '../model/resource.ts'
import type { Finding } from '../model/violation.ts'
import type { AsLeft } from './policy-endings.ts'
import type { Criteria } from './reconcile.ts'

/**
 * Whether a violation is about a secret that the service masks, and of a rule that passes over it: whether that is still
 * the same cannot be said. A mask keeps what was known of a secret, but not under another installation key.
 */
export function isAboutMasked(
  violation: Finding,
  asLeft: AsLeft,
  { needs, isRemoved }: Pick<Criteria, 'needs' | 'isRemoved'>,
): boolean {
  if (needs.get(violation.rule)?.skipsMasked !== true || isRemoved(violation)) return false
  return isMaskedAt(asLeft(violation)?.attributes ?? {}, violation.path)
}

/** `path`: of a secret, or of the entry of a list that has it as its `value`. */
function isMaskedAt(attributes: JsonObject, path: string): boolean {
  const entry = valueAt(attributes, path.replace(/\/value$/, ''))
  if (!isJsonObject(entry)) return isMasked(entry)
  return isMasked(entry.value) && (entry.deleted_at ?? null) === null
}
