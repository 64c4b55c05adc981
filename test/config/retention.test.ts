import { describe, expect, it } from 'vitest'
import { keepNothing } from '../../src/history/retention.ts'
import { configure, refusal, withService } from './config-fixture.ts'

describe('retention', () => {
  it('is read in the words of prune', () => {
    const words = { keep_last: 3, keep_monthly: 'unlimited', keep_within: '14d' }
    expect(configure(withService({}, { retention: words })).retention).toEqual({
      keep: {
        ...keepNothing,
        last: 3,
        monthly: Number.POSITIVE_INFINITY,
        within: { years: 0, months: 0, days: 14, hours: 0 },
      },
      options: words,
    })
    expect(configure(withService({})).retention).toBeUndefined()
  })

  it.each([
    [{}, 'something to keep'],
    [{ keep_last: 0 }, 'something to keep'],
    [{ keep_last: -1 }, 'expected a whole number from 0'],
    [{ keep_daily: 'all' }, 'a whole number from 0 to 999999999, or `unlimited`'],
    [{ keep_within: '3q' }, 'years, months, days and hours'],
    [{ keep_dayly: 3 }, 'keep_daily'],
  ])('%j is refused', (retention, text) => {
    expect(refusal(withService({}, { retention })).join()).toContain(text)
  })
})
