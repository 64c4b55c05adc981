import { EvaluationError } from '@marcbachmann/cel-js'
import { messageOf } from '../../model/errors.ts'
import type { Json } from '../../model/json.ts'
import type { Meter } from '../../rules/engine/rule.ts'
import { compile } from './compile.ts'
import type { Mistake } from './inspect.ts'
import { type Language, payloadLanguage } from './language.ts'
import { freeValue } from './values.ts'

/** What an expression says of a payload. `fails`: it cannot be worked out on this one. `unknown`: it was not tried to the end. */
export type EvaluationResult =
  | { readonly is: 'true' }
  | { readonly is: 'false' }
  | { readonly is: 'fails' | 'unknown'; readonly why: string }

/** `now`: milliseconds since the epoch. */
export type PayloadExpression = (payload: Json, now: number) => EvaluationResult

let language: Language | undefined

/** Compiles an expression over `payload` that says yes or no, or says all that is wrong with it. */
export function compilePayloadExpression(
  text: string,
): { readonly expression: PayloadExpression } | { readonly mistakes: readonly Mistake[] } {
  language ??= payloadLanguage()
  const { evaluation } = language
  const result = compile(text, { language, kind: 'probe', types: ['bool', 'dyn'], expected: 'true or false' })
  if ('mistakes' in result) return result
  return {
    expression: (payload, now) => {
      try {
        const value = freeValue(payload, { items: 0 })
        const answer = evaluation.run(unmetered, { now }, () => result.compiled.evaluate({ payload: value }))
        if (typeof answer === 'boolean') return { is: answer ? 'true' : 'false' }
        return { is: 'fails', why: 'it gives neither true nor false' }
      } catch (error) {
        // The payload's doing; what else ends an evaluation are our limits.
        if (error instanceof EvaluationError) return { is: 'fails', why: error.summary }
        return { is: 'unknown', why: messageOf(error) }
      }
    },
  }
}

/** The steps that one expression may take are limit enough: few expressions are asked, once each. */
const unmetered: Meter = { begin: () => {}, end: () => {}, isSpent: () => false }
