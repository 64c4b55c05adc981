import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ruleTime } from '../../src/rules/engine/rule.ts'

describe('the time of a run', () => {
  it('knows when the first of its answers changes', () => {
    const time = ruleTime(1000)
    expect(time.reached(1000)).toBe(true)
    expect(time.passed(999.5)).toBe(true)
    expect(time.takeNextChange()).toBe(Number.POSITIVE_INFINITY)
    expect(time.reached(2000)).toBe(false)
    expect(time.passed(1500)).toBe(false)
    expect(time.takeNextChange()).toBe(1501)
    expect(time.takeNextChange()).toBe(Number.POSITIVE_INFINITY)
  })

  it('says that answers made of the time itself hold for no other run', () => {
    const time = ruleTime(1000)
    expect(time.now).toBe(1000)
    expect(time.reached(5000)).toBe(false)
    expect(time.takeNextChange()).toBe(Number.NEGATIVE_INFINITY)
  })

  it('never reaches an instant that is not one', () => {
    const time = ruleTime(1000)
    expect([time.reached(Number.NaN), time.passed(Number.NaN)]).toEqual([false, false])
    expect(time.takeNextChange()).toBe(Number.POSITIVE_INFINITY)
  })

  it('gives the same answers at every later time before the change', () => {
    const instant = fc.double({ min: 0, max: 10_000, noNaN: true })
    const asked = fc.array(fc.record({ how: fc.constantFrom('reached' as const, 'passed' as const), instant }))
    fc.assert(
      fc.property(asked, fc.nat(10_000), fc.nat(10_000), (questions, now, later) => {
        const time = ruleTime(now)
        const answers = questions.map(({ how, instant }) => time[how](instant))
        const change = time.takeNextChange()
        const then = ruleTime(now + later)
        const answersThen = questions.map(({ how, instant }) => then[how](instant))
        expect(answersThen.join() === answers.join()).toBe(now + later < change)
      }),
    )
  })
})
