import { messageOf } from '../../model/errors.ts'
import type { Json } from '../../model/json.ts'
import type { Meter } from '../../rules/engine/rule.ts'
import type { Expectation } from '../probe.ts'
import { compile, type Mistake } from './compile.ts'
import { cel, freeValue, type Language, payloadLanguage } from './language.ts'

/**
 * The result of an expression on a payload. `fails`: it cannot be evaluated on this one. `unknown`: a limit ended it.
 */
type EvaluationResult =
  | { readonly is: 'true' }
  | { readonly is: 'false' }
  | { readonly is: 'fails' | 'unknown'; readonly why: string }

/** `now`: milliseconds since the epoch. */
type PayloadExpression = (payload: Json, now: number) => EvaluationResult

let language: Language | undefined

/** Compiles a CEL expression over `payload`, or returns all mistakes in it. */
export function expectExpression(
  text: string,
): { readonly expectation: Expectation } | { readonly mistakes: readonly Mistake[] } {
  const result = compilePayloadExpression(text)
  if ('mistakes' in result) return result
  return {
    expectation: {
      evaluate(payload, now) {
        const answer = result.expression(payload, now)
        if (answer.is === 'true') return { is: 'met' }
        if (answer.is === 'unknown') return { is: 'unknown', reason: `\`${text}\` ${answer.why}` }
        const why = answer.is === 'false' ? '' : ` (${answer.why})`
        return { is: 'broken', complaint: `the result does not satisfy \`${text}\`${why}` }
      },
    },
  }
}

/** Compiles a boolean expression over `payload`, or returns all mistakes in it. */
function compilePayloadExpression(
  text: string,
): { readonly expression: PayloadExpression } | { readonly mistakes: readonly Mistake[] } {
  language ??= payloadLanguage()
  const { evaluation } = language
  const result = compile(text, { language, kind: 'probe', types: ['bool', 'dyn'], expected: 'true or false' })
  if ('mistakes' in result) return result
  return {
    expression: (payload, now) => {
      let value: unknown
      try {
        value = freeValue(payload, { items: 0 })
      } catch (error) {
        return { is: 'unknown', why: messageOf(error) }
      }
      try {
        const answer = evaluation.run(unmetered, { now }, () => result.compiled.evaluate({ payload: value }))
        if (typeof answer === 'boolean') return { is: answer ? 'true' : 'false' }
        return { is: 'fails', why: 'it returns neither true nor false' }
      } catch (error) {
        if (evaluation.isStopped) return { is: 'unknown', why: messageOf(error) }
        // The payload caused it.
        return { is: 'fails', why: error instanceof cel().EvaluationError ? error.summary : messageOf(error) }
      }
    },
  }
}

/** The limit of steps suffices: there are few such expressions, evaluated once each. */
const unmetered: Meter = { begin: () => {}, end: () => {}, isSpent: () => false }
