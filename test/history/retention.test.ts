import { describe, expect, it } from 'vitest'
import {
  keepNothing,
  keepsSomething,
  type RetentionRules,
  readSpan,
  reasonsToKeep,
} from '../../src/history/retention.ts'

/** Runs at these times, numbered from 1. */
function kept(times: readonly string[], keep: Partial<RetentionRules>) {
  const runs = times.map((time, index) => ({ number: index + 1, started_at: `${time}Z`, finished_at: `${time}Z` }))
  return Object.fromEntries(reasonsToKeep(runs, { ...keepNothing, ...keep }))
}

const days = ['2026-01-01', '2026-01-02', '2026-01-02', '2026-01-04'].map((day, index) => `${day}T0${index}:00:00`)

describe('retention', () => {
  it('keeps the last N runs', () => {
    expect(kept(days, { last: 2 })).toEqual({ 3: ['last'], 4: ['last'] })
    expect(Object.keys(kept(days, { last: Number.POSITIVE_INFINITY }))).toHaveLength(4)
  })

  it('keeps the newest run of each day that has one, and skips days without one', () => {
    expect(kept(days, { daily: 2 })).toEqual({ 3: ['daily'], 4: ['daily'] })
  })

  it('keeps the oldest run while part of a count is left', () => {
    expect(kept(days, { daily: 9 })).toEqual({ 1: ['daily'], 3: ['daily'], 4: ['daily'] })
    const oneDay = ['2026-01-01T01:00:00', '2026-01-01T02:00:00', '2026-01-01T03:00:00']
    expect(kept(oneDay, { daily: 2 })).toEqual({ 1: ['oldest daily'], 3: ['daily'] })
  })

  it('names every reason to keep a run', () => {
    expect(kept(days, { last: 1, daily: 1, monthly: 1, yearly: 1 })).toEqual({
      4: ['last', 'daily', 'monthly', 'yearly'],
    })
  })

  it('counts hours, ISO weeks, months and years in UTC', () => {
    const times = [
      '2025-12-28T23:59:59',
      '2025-12-29T00:00:00',
      '2026-01-04T10:00:00',
      '2026-01-04T10:59:00',
      '2026-01-05T00:00:00',
    ]
    expect(kept(times, { hourly: 2 })).toEqual({ 4: ['hourly'], 5: ['hourly'] })
    expect(kept(times, { weekly: 3 })).toEqual({ 1: ['weekly'], 4: ['weekly'], 5: ['weekly'] })
    expect(kept(times, { monthly: 2 })).toEqual({ 2: ['monthly'], 5: ['monthly'] })
    expect(kept(times, { yearly: 1 })).toEqual({ 5: ['yearly'] })
  })

  it('keeps all runs within a period before the newest, excluding its edge', () => {
    const times = ['2026-01-31T00:00:00', '2026-03-01T12:00:00', '2026-03-01T12:00:01', '2026-03-31T12:00:00']
    expect(kept(times, { within: readSpan('30d') })).toEqual({ 3: ['within'], 4: ['within'] })
    expect(Object.keys(kept(times, { within: readSpan('1y') }))).toHaveLength(4)
    expect(kept(times, { within: readSpan('1h') })).toEqual({ 4: ['within'] })
  })

  it('keeps nothing of nothing', () => {
    expect(kept([], { last: 3, within: readSpan('1d') })).toEqual({})
  })
})

describe('retention of runs', () => {
  it('numbers runs by their order, not by that of the list', () => {
    const runs = [2, 1, 3].map((number) => ({
      number,
      started_at: `2026-01-0${number}T00:00:00Z`,
      finished_at: `2026-01-0${number}T00:00:00Z`,
    }))
    expect([...reasonsToKeep(runs, { ...keepNothing, last: 1 })]).toEqual([[3, ['last']]])
    expect([...reasonsToKeep(runs, { ...keepNothing, daily: 9 }).keys()]).toEqual([3, 2, 1])
  })

  it('keeps runs younger than years, months, days and hours together', () => {
    const times = [
      '2024-12-30T22:30:14.999',
      '2024-12-30T22:30:15.000',
      '2024-12-30T22:30:15.001',
      '2026-01-31T23:30:15.000',
    ]
    expect(kept(times, { within: { years: 1, months: 1, days: 1, hours: 1 } })).toEqual({
      3: ['within'],
      4: ['within'],
    })
  })

  it('groups a week from Monday to Sunday', () => {
    const times = [
      '2026-03-01T12:00:00',
      '2026-03-02T12:00:00',
      '2026-03-05T12:00:00',
      '2026-03-08T23:59:59',
      '2026-03-09T00:00:00',
    ]
    expect(kept(times, { weekly: 2 })).toEqual({ 4: ['weekly'], 5: ['weekly'] })
  })

  it('treats equal week numbers of two years as two weeks', () => {
    expect(kept(['2025-01-06T00:00:00', '2026-01-05T00:00:00'], { weekly: 2 })).toEqual({
      1: ['weekly'],
      2: ['weekly'],
    })
  })
})

describe('keep options', () => {
  it.each<[Partial<RetentionRules>, boolean]>([
    [{}, false],
    [{ last: 1 }, true],
    [{ yearly: Number.POSITIVE_INFINITY }, true],
    [{ within: readSpan('1h') }, true],
  ])('%j keep something: %s', (keep, isSomething) => {
    expect(keepsSomething({ ...keepNothing, ...keep })).toBe(isSomething)
  })
})

describe('a duration', () => {
  it.each([
    ['14d', { years: 0, months: 0, days: 14, hours: 0 }],
    ['1y6m14d12h', { years: 1, months: 6, days: 14, hours: 12 }],
    ['9999m', { years: 0, months: 9999, days: 0, hours: 0 }],
    ['0d1h', { years: 0, months: 0, days: 0, hours: 1 }],
    ['1y1m', { years: 1, months: 1, days: 0, hours: 0 }],
    ['1m1d', { years: 0, months: 1, days: 1, hours: 0 }],
    ['1d1h', { years: 0, months: 0, days: 1, hours: 1 }],
    ['12h1y', { years: 1, months: 0, days: 0, hours: 12 }],
  ])('%s is read', (text, span) => {
    expect(readSpan(text)).toEqual(span)
  })

  const wrong = '14 d 1d1d 0d -1d 1.5d 2w 99999d 1d2h3m4y5d 1h2h 0y0m0d0h'.split(' ')
  it.each(['', '14 d', '1d ', ' 1d', ...wrong])('"%s" is refused', (text) => {
    expect(readSpan(text)).toBeUndefined()
  })
})
