import { canonicalJson } from '../model/canonical-json.ts'
import { firstDifference } from '../model/first-difference.ts'
import type { Json } from '../model/json.ts'
import type { Mistake } from './cel/inspect.ts'
import { compilePayloadExpression } from './cel/payload-expression.ts'

/** What a probe's result must be. */
export interface Expectation {
  /**
   * Checks a result; `unknown` where it could not be evaluated. `now`: milliseconds since the epoch.
   */
  evaluate(result: Json, now: number): ExpectationOutcome
}

export type ExpectationOutcome =
  | { readonly is: 'met' }
  | { readonly is: 'broken'; readonly complaint: string }
  | { readonly is: 'unknown'; readonly reason: string }

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
        return { is: 'broken', complaint: `the result breaks \`${text}\`${why}` }
      },
    },
  }
}

/** This JSON value and no other; the order of members means nothing. */
export function expectJson(expected: Json): Expectation {
  const wanted = canonicalJson(expected)
  return {
    evaluate(result) {
      if (canonicalJson(result) === wanted) return { is: 'met' }
      const where = firstDifference(expected, result)
      const place = where === '' ? 'it is another value' : `it differs at ${where}`
      return { is: 'broken', complaint: `the result is not the JSON that is expected: ${place}` }
    },
  }
}
