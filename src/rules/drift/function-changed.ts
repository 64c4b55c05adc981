import { z } from 'zod'
import type { Json } from '../../model/json.ts'
import { isNone } from '../engine/attributes.ts'
import { driftRule, openFor } from '../engine/define-rule.ts'

export const functionChanged = driftRule({
  id: 'drift/function-changed',
  title: 'Transformation code changed',
  severity: 'medium',
  packs: ['hygiene'],
  kinds: ['subscription', 'source'],
  options: z.strictObject({ open_for: openFor }),
  *check({ kind, after, fields }) {
    const isIdle = kind === 'source' && after?.type === 'http'
    for (const field of fields) {
      // The value of another field may be unknown: reading it would leave the resource out.
      if (!functions.has(field.path)) continue
      const message = whatHappened(field.before, field.after)
      yield isIdle
        ? { path: field.path, message: `${message} (the service runs no functions of http sources)`, severity: 'info' }
        : { path: field.path, message }
    }
  },
})

const functions = new Set(['/function', '/body_function', '/header_function'])

function whatHappened(before: Json, after: Json): string {
  if (isNone(before)) return `function added (${lengthOf(after)} characters)`
  if (isNone(after)) return `function removed (was ${lengthOf(before)} characters)`
  return `function text changed: ${lengthOf(after)} characters (was ${lengthOf(before)})`
}

function lengthOf(value: Json): number {
  return typeof value === 'string' ? value.length : 0
}
