import { shownJson } from '../../model/exact-number.ts'
import type { Json } from '../../model/json.ts'
import { driftRule } from '../engine/define-rule.ts'
import { configuredKinds } from '../engine/rule.ts'

export const unexpected = driftRule({
  id: 'drift/unexpected',
  title: 'Something differs from the approved baseline',
  severity: 'medium',
  packs: ['hygiene'],
  kinds: configuredKinds,
  life: 'approved',
  *check({ isApproved, change, fields }) {
    if (!isApproved) return
    if (change === 'added') yield { path: '', message: 'is not in the approved baseline' }
    if (change === 'removed') yield { path: '', message: 'is in the approved baseline, and gone' }
    for (const { path, before, after } of fields) {
      yield { path, message: `${brief(before)} was approved, ${brief(after)} is there` }
    }
  },
})

function brief(value: Json): string {
  if (value === null) return 'none'
  const text = shownJson(value)
  return text.length > 60 ? `${text.slice(0, 59)}…` : text
}
