import { createRequire } from 'node:module'
import type { Duration } from '@marcbachmann/cel-js/evaluator'

export type { Duration }

let loaded: typeof import('@marcbachmann/cel-js') | undefined

/** The language's implementation. Loaded for the first expression: most policies have none. */
export function cel(): typeof import('@marcbachmann/cel-js') {
  loaded ??= createRequire(import.meta.url)('@marcbachmann/cel-js') as typeof import('@marcbachmann/cel-js')
  return loaded
}

let evaluator: typeof import('@marcbachmann/cel-js/evaluator') | undefined

/** A duration as the language has it. */
export function durationOf(seconds: number | bigint, nanoseconds?: number): Duration {
  evaluator ??= createRequire(import.meta.url)(
    '@marcbachmann/cel-js/evaluator',
  ) as typeof import('@marcbachmann/cel-js/evaluator')
  return new evaluator.Duration(seconds, nanoseconds)
}
