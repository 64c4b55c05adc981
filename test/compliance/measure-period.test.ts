import { describe, expect, it } from 'vitest'
import { measurePeriod, mostGapOf } from '../../src/report/compliance/gather-compliance.ts'

const hour = 3_600_000
const start = Date.parse('2026-11-01T00:00:00.000Z')
const at = (hours: number) => new Date(start + hours * hour).toISOString()
const runAt = (number: number, hours: number) => ({ number, started_at: at(hours), finished_at: at(hours + 0.05) })
const measure = (
  [first, ...later]: readonly [number, ...number[]],
  end: number,
  before?: number,
  incomplete: readonly number[] = [],
  scans: readonly (readonly number[])[] = [],
) =>
  measurePeriod(
    { start, end: start + end * hour },
    [runAt(2, first), ...later.map((one, index) => runAt(index + 3, one))],
    {
      before: before === undefined ? undefined : runAt(1, before),
      mostGapMs: 25 * hour,
      incomplete: new Set(incomplete),
      scans: scans.map((hours) => hours.map((one) => Date.parse(at(one)))),
    },
  )

describe('how well runs cover a period', () => {
  it('counts from the first run on, and three minutes of ninety days are three minutes', () => {
    const { evidence, covered_ms, gaps, longest_gap } = measure([90 * 24 - 0.05], 90 * 24)
    expect(evidence).toMatchObject({ from: at(90 * 24 - 0.05), to: at(90 * 24) })
    expect(evidence.share).toBeCloseTo(0.05 / (90 * 24), 10)
    expect([Math.round(covered_ms / 60_000), gaps]).toEqual([3, 1])
    expect(longest_gap).toMatchObject({ from: at(0), to: at(90 * 24 - 0.05) })
  })

  it('counts from the start where an earlier run is near enough, and not where it is not', () => {
    expect(measure([10, 34, 48], 48.05, -12)).toMatchObject({ gaps: 0, evidence: { from: at(0), share: 1 } })
    expect(measure([10, 34, 48], 48.05, -16)).toMatchObject({ gaps: 0, evidence: { from: at(10) } })
  })

  it('leaves out times without a run that are too long, and counts them, also the one to the end', () => {
    const { evidence, covered_ms, gaps } = measure([0, 24, 60, 84], 120)
    expect(gaps).toBe(2)
    expect(covered_ms).toBeCloseTo((24.05 + 24.05) * hour, -1)
    expect(evidence).toEqual({ from: at(0), to: at(84.05), share: covered_ms / (120 * hour) })
  })

  it('is also a matter of the longest time without a complete run', () => {
    const { gaps, longest_gap, longest_incomplete } = measure([0, 24, 48, 72], 72.05, undefined, [3, 4])
    expect([gaps, longest_gap.ms / hour]).toEqual([0, 24])
    expect(longest_incomplete).toEqual({ from: at(0), to: at(72), ms: 72 * hour })
    expect(measure([0, 24], 24.05, undefined, [2, 3]).longest_incomplete).toEqual({
      from: at(0),
      to: at(24.05),
      ms: 24.05 * hour,
    })
  })

  it('is also a matter of the longest time without a complete scan of one project', () => {
    const { gaps, longest_incomplete } = measure(
      [0, 24, 48, 72],
      72.05,
      undefined,
      [],
      [
        [0, 24, 48, 72],
        [24, 72],
      ],
    )
    expect([gaps, longest_incomplete]).toEqual([0, { from: at(24), to: at(72), ms: 48 * hour }])
  })

  it('is never more than the whole', () => {
    expect(measure([-0.04, 10, 23.96], 24).evidence.share).toBe(1)
  })
})

describe('the longest time without a run that leaves no gap', () => {
  it('is 25 h without a schedule, and with a daily one', () => {
    expect(mostGapOf([])).toBe(25 * hour)
    expect(mostGapOf([{ intervalMs: null }])).toBe(25 * hour)
    expect(mostGapOf([{ intervalMs: 24 * hour }])).toBe(25 * hour)
  })

  it('follows the longest interval of the schedules, with five minutes at least for runs that begin late', () => {
    expect(mostGapOf([{ intervalMs: hour / 4 }])).toBe(hour / 4 + hour / 12)
    expect(mostGapOf([{ intervalMs: hour }, { intervalMs: 168 * hour }])).toBe(175 * hour)
  })
})
