import { describe, expect, it } from 'vitest'
import type { RecordedSpan } from '../../src/history/sql/visit-spans.ts'
import { startTrend } from '../../src/questions/measure-trend.ts'

const day = 86_400_000
const end = Date.parse('2026-11-21T00:00:00.000Z')
/** So many days before the end. */
const ago = (days: number) => new Date(end - days * day).toISOString()

function aSpan(fingerprint: string, from: number, parts: Partial<RecordedSpan> = {}): RecordedSpan {
  return {
    project: 'acme/payments',
    kind: 'endpoint',
    fingerprint,
    rule: 'endpoint/inactive',
    severity: 'high',
    isWaived: false,
    first_seen: ago(from),
    from: ago(from),
    to: null,
    goesOn: false,
    resolution: null,
    ...parts,
  }
}

const trendOf = (spans: readonly RecordedSpan[], days = 14, runs: Parameters<typeof startTrend>[0] = []) => {
  const trend = startTrend(runs, { from: end - days * day, to: end })
  for (const span of spans.toSorted((a, b) => a.fingerprint.localeCompare(b.fingerprint))) trend.add(span)
  return trend.conclude()
}
const weekly = (spans: readonly RecordedSpan[], days = 14) =>
  trendOf(spans, days).weeks.map(({ opened, fixed, removed, closed, open }) => [opened, fixed, removed, closed, open])
const high = (spans: readonly RecordedSpan[]) => trendOf(spans).bySeverity.find(({ severity }) => severity === 'high')

describe('a trend', () => {
  it('has weeks back from its end, the first one shorter', () => {
    const { weeks, from, to } = trendOf([], 17)
    expect([from, to]).toEqual([ago(17), ago(0)])
    expect(weeks.map((week) => [week.from, week.to])).toEqual([
      [ago(17), ago(14)],
      [ago(14), ago(7)],
      [ago(7), ago(0)],
    ])
  })

  it('counts what was opened, and what was open before', () => {
    expect(weekly([aSpan('old', 40), aSpan('a', 10), aSpan('b', 3), aSpan('c', 0)])).toEqual([
      [1, 0, 0, 0, 2],
      [2, 0, 0, 0, 4],
    ])
  })

  it('counts what was pruned of a violation as open between what is left of it', () => {
    const left = { first_seen: ago(20), severity: 'high' } as const
    expect(weekly([aSpan('a', 20, { to: ago(12), goesOn: true }), aSpan('a', 5, { ...left })], 21)).toEqual([
      [1, 0, 0, 0, 1],
      [0, 0, 0, 0, 1],
      [0, 0, 0, 0, 1],
    ])
  })

  it('counts fixed and removed apart from what ended otherwise, and averages the time of what was fixed alone', () => {
    const spans = (['fixed', 'removed', 'policy', 'accepted', 'expired', null] as const).map((resolution, at) =>
      aSpan(`v${at}`, 12, { to: ago(at < 1 ? 8 : 4), resolution }),
    )
    expect(weekly(spans)).toEqual([
      [6, 1, 0, 0, 5],
      [0, 0, 1, 4, 0],
    ])
    expect(high(spans)).toMatchObject({ open: 0, oldest: null, fixed: 1, mean_time_to_fix_ms: 4 * day })
  })

  it('follows a violation through its spans: another wording neither ends nor opens it', () => {
    const spans = [
      aSpan('a', 30, { to: ago(10), goesOn: true }),
      aSpan('a', 30, { from: ago(10), severity: 'low', to: ago(2), resolution: 'fixed' }),
    ]
    expect(weekly(spans)).toEqual([
      [0, 0, 0, 0, 1],
      [0, 1, 0, 0, 0],
    ])
    expect(trendOf(spans).bySeverity.find(({ severity }) => severity === 'low')?.mean_time_to_fix_ms).toBe(28 * day)
  })

  it('takes no incomplete scan for an improvement: what it could not check is open', () => {
    // An unknown violation has a span of its own, which neither ends nor is waived.
    const spans = [aSpan('a', 30, { to: ago(10), goesOn: true }), aSpan('a', 30, { from: ago(10) })]
    const runs = [10, 3].map((days, at) => ({ started_at: ago(days), isCommitted: true, incomplete: 1 - at }))
    const { weeks } = trendOf(spans, 14, [...runs, { started_at: ago(2), isCommitted: false, incomplete: 9 }])
    expect(weeks.map(({ open, fixed, runs, incomplete }) => [open, fixed, runs, incomplete])).toEqual([
      [1, 0, 1, 1],
      [1, 0, 1, 0],
    ])
  })

  it('takes no time, and makes no count negative, where the clock went back between the run that opened and the one that ended', () => {
    const spans = [aSpan('a', 2, { to: ago(10), resolution: 'fixed' }), aSpan('b', 3, { to: ago(12), goesOn: true })]
    expect(weekly([...spans, aSpan('b', 3, { from: ago(12) })])).toEqual([
      [0, 0, 0, 0, 1],
      [2, 1, 0, 0, 1],
    ])
    expect(high(spans)).toMatchObject({ fixed: 1, mean_time_to_fix_ms: 0 })
  })

  it('counts what a run saw whose clock was ahead of that of the last one', () => {
    const spans = [aSpan('a', -2), aSpan('b', -2, { to: ago(-1), resolution: 'fixed' })]
    expect(weekly(spans, 7)).toEqual([[2, 1, 0, 0, 1]])
    expect(high(spans)).toMatchObject({ open: 1, fixed: 1, oldest: ago(0) })
    const runs = [{ started_at: ago(-2), isCommitted: true, incomplete: 1 }]
    expect(trendOf([], 7, runs).weeks).toMatchObject([{ runs: 1, incomplete: 1 }])
  })

  it('counts as open only what is not waived', () => {
    const spans = [
      aSpan('a', 12, { to: ago(5), goesOn: true, isWaived: true }),
      aSpan('a', 12, { from: ago(5) }),
      aSpan('b', 20, { to: ago(9), goesOn: true }),
      aSpan('b', 20, { from: ago(9), isWaived: true }),
    ]
    expect(weekly(spans)).toEqual([
      [0, 0, 0, 0, 0],
      [0, 0, 0, 0, 1],
    ])
    expect(high(spans)).toMatchObject({ open: 1, oldest: ago(12) })
  })

  it('has days of UTC, with what was open at the end of each', () => {
    const { days } = trendOf([aSpan('a', 2), aSpan('b', 30, { to: ago(1), resolution: 'fixed' })], 3)
    expect(days.map(({ date, opened, fixed, open }) => [date, opened, fixed, open.high])).toEqual([
      ['2026-11-18', 0, 0, 1],
      ['2026-11-19', 1, 0, 2],
      ['2026-11-20', 0, 1, 1],
      ['2026-11-21', 0, 0, 1],
    ])
    expect(days.map(({ open }) => open.low)).toEqual([0, 0, 0, 0])
  })

  it('counts what is overdue as other violations are, and leaves it out of the time to fix', () => {
    const overdue = { rule: 'violation/overdue' }
    const spans = [aSpan('a', 3, overdue), aSpan('b', 2, { ...overdue, to: ago(1), resolution: 'fixed' })]
    expect(weekly(spans)).toEqual([
      [0, 0, 0, 0, 0],
      [2, 1, 0, 0, 1],
    ])
    expect(high(spans)).toMatchObject({ open: 1, fixed: 0, mean_time_to_fix_ms: null })
  })

  it('distinguishes violations by project, and one that came back from the one before', () => {
    const spans = [
      aSpan('a', 12, { to: ago(8), resolution: 'fixed' }),
      aSpan('a', 5),
      aSpan('a', 5, { project: 'acme/orders' }),
    ]
    expect(weekly(spans)).toEqual([
      [1, 1, 0, 0, 0],
      [2, 0, 0, 0, 2],
    ])
  })
})
