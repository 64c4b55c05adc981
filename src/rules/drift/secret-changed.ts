import { z } from 'zod'
import type { FieldChange } from '../../model/change.ts'
import { isJsonObject } from '../../model/json.ts'
import { isSealedWhole, maskedSeal } from '../../model/resource.ts'
import { isNone } from '../engine/attributes.ts'
import { driftRule, openFor } from '../engine/define-rule.ts'
import { sealsIn } from '../shared/secret-strength.ts'

export const secretChanged = driftRule({
  id: 'drift/secret-changed',
  title: 'Secret was added, removed or replaced',
  severity: 'info',
  packs: ['secrets'],
  kinds: ['endpoint', 'source', 'project'],
  takesText: 'any',
  isLost: true,
  options: z.strictObject({ open_for: openFor }),
  *check({ fields, areSealsComparable }) {
    for (const field of fields) {
      if (/_function$/.test(field.path)) continue
      const what = whatHappened(field, areSealsComparable)
      if (what !== undefined) yield { path: field.path, message: `secret ${what}` }
    }
  },
})

/** undefined when no secret is concerned, or when it cannot be known. */
function whatHappened({ path, before, after }: FieldChange, areSealsComparable: boolean): string | undefined {
  if (/^\/secrets\/[^/]+\/deleted_at$/.test(path)) return isNone(before) && !isNone(after) ? 'removed' : undefined
  // What is something else than a list or an object now does not show what was in it.
  if (isJsonObject(before) && !isNone(after) && !isJsonObject(after)) return undefined
  const [old, now] = [sealsIn(before), sealsIn(after)]
  if (old.length === 0) return now.length === 0 ? undefined : 'added'
  if (now.length === 0) return 'removed'
  if (!areSealsComparable || [...old, ...now].includes(maskedSeal)) return undefined
  if (old.join() === now.join()) return undefined
  return isSealedWhole(after) ? 'replaced, or the text around it changed' : 'replaced'
}
