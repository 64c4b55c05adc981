import { expect, it } from 'vitest'
import { ruleTime } from '../../src/rules/engine/rule.ts'

it('an instant is reached when the run begins, and passed when it begins later', () => {
  const time = ruleTime(1000)
  expect([999, 1000, 1001].map(time.reached)).toEqual([true, true, false])
  expect([999, 1000, 1001].map(time.passed)).toEqual([true, false, false])
})

it('what is not an instant is never reached', () => {
  const time = ruleTime(1000)
  expect([time.reached(Number.NaN), time.passed(Number.NaN)]).toEqual([false, false])
})
