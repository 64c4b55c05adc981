import { ignoredIn } from '../../gateway/fields.ts'
import type { FieldChange } from '../../model/change.ts'
import { displayJson } from '../../model/exact-number.ts'
import { isWithinPointer, type Json } from '../../model/json.ts'
import { isNone } from '../engine/attributes.ts'
import { driftRule } from '../engine/define-rule.ts'
import { configuredKinds } from '../engine/rule.ts'
import { listed } from '../shared/listed.ts'

/** One violation a resource, so that one edit is not as many as the fields that it changes. */
export const unexpected = driftRule({
  id: 'drift/unexpected',
  title: 'Resource differs from the approved baseline',
  severity: 'medium',
  packs: ['hygiene'],
  kinds: configuredKinds,
  takesText: 'any',
  life: 'approved',
  *check({ kind, isApproved, change, fields, after }) {
    if (!isApproved) return
    if (change === 'added') yield { path: '', message: 'added: the approved baseline does not have it' }
    if (change === 'removed') yield { path: '', message: 'removed: the approved baseline still has it' }
    const [first, ...others] = fields.map(describe)
    if (first === undefined) return
    const all = listed([first, ...others])
    const howMany = others.length === 0 ? '1 field differs' : `${others.length + 1} fields differ`
    const ignored = ignoredIn(kind, after !== undefined && 'type' in after ? after.type : undefined)
    const isWithoutEffect = fields.every(({ path }) => ignored.some(([outer]) => isWithinPointer(path, outer)))
    const message = `${howMany} from the approved baseline: ${all}`
    yield { path: '', message, ...(isWithoutEffect && { severity: 'info' }) }
  },
})

/** `/status is "inactive" (approved: "active")`. */
function describe({ path, before, after }: FieldChange): string {
  const approved = isSeal(before) && isSeal(after) ? 'another secret' : brief(before)
  return `${path} is ${brief(after)} (approved: ${approved})`
}

function brief(value: Json): string {
  if (isNone(value)) return 'none'
  if (isSeal(value)) return 'a secret'
  const text = displayJson(value)
  return text.length > 40 ? `${text.slice(0, 39)}…` : text
}

function isSeal(value: Json): boolean {
  return typeof value === 'string' && value.startsWith('sealed:')
}
