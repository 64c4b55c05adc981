import { describe, expect, it } from 'vitest'
import { findPeriod, findRun, runBefore } from '../../src/history/find-run.ts'

const run = (number: number, day: string) => {
  return { number, started_at: `2026-11-${day}T03:00:00.000Z`, finished_at: `2026-11-${day}T03:05:00.000Z` }
}
/** The second was interrupted. */
const runs = [run(1, '18'), run(3, '20'), run(4, '21')]
const now = Date.parse('2026-11-22T03:10:00Z')

describe('a run', () => {
  it.each([
    ['latest', 4],
    ['latest~0', 4],
    ['latest~1', 3],
    ['latest~2', 1],
    ['3', 3],
    ['2026-11-21', 4],
    ['2026-11-19', 1],
    ['2026-11-21T03:05:00Z', 4],
    ['2026-11-21T03:04:59', 3],
    ['2026-11-21T04:05:00+01:00', 4],
    ['2026-11-21T03:05', 4],
    ['yesterday', 4],
    ['1d', 4],
    ['2d', 3],
    ['49h', 1],
  ])('is found by %s', (name, number) => {
    expect(findRun(runs, name, now).number).toBe(number)
  })

  it.each([
    ['2', /there is no committed run 2; the history has runs 1 \(.*\) to 4 \(.*\), not all of them: .* pruned/],
    ['latest~3', /there is no committed run latest~3/],
    ['latest~', /is not a run or a time/],
    ['last', /is not a run or a time/],
    ['-1', /is not a run or a time/],
    ['2026-11-17', /no run was committed by 2026-11-17; the history has runs 1/],
    ['2026-02-31', /is not a valid time/],
    ['2026-11-21T25:00:00Z', /is not a valid time/],
    ['2026-1-1', /is not a valid time/],
  ])('is not found by %s', (name, message) => {
    expect(() => findRun(runs, name, now)).toThrow(
      expect.objectContaining({ exitCode: 2, message: expect.stringMatching(message) }),
    )
  })

  it('is not found in an empty history, and the error says so', () => {
    expect(() => findRun([], 'latest', now)).toThrow(/the history has none yet/)
    expect(() => findRun([], '2026-11-21', now)).toThrow(/the history has none yet/)
  })

  it.each([
    ['2026-11-20', 1],
    ['2026-11-18', 0],
    ['2026-11-22', 4],
    ['2026-11-20T03:00:01Z', 3],
    ['yesterday', 3],
    ['3d', 1],
    ['3', 2],
    ['latest', 3],
  ])('since %s begins after run %i', (since, number) => {
    expect(runBefore(runs, since, now)).toBe(number)
  })

  it.each([
    ['2026-11-20', '2026-11-21', '2026-11-20T00:00:00.000Z', '2026-11-21T23:59:59.999Z'],
    ['3', 'latest', '2026-11-20T03:00:00.000Z', '2026-11-21T03:05:00.000Z'],
    ['7d', 'yesterday', '2026-11-15T03:10:00.000Z', '2026-11-21T23:59:59.999Z'],
  ])('makes a period from %s to %s', (from, to, start, end) => {
    const period = findPeriod(runs, { from, to }, now)
    expect([period.start, period.end].map((ms) => new Date(ms).toISOString())).toEqual([start, end])
  })

  it.each([
    ['2026-11-21', '2026-11-20', /--from 2026-11-21 is not before --to 2026-11-20/],
    ['2026-11-19', '2026-11-19', /no run was committed from 2026-11-19 to 2026-11-19/],
    ['2020-01-01', '2020-02-01', /no run was committed by 2020-02-01; the history has runs 1/],
  ])('makes no period from %s to %s', (from, to, message) => {
    expect(() => findPeriod(runs, { from, to }, now)).toThrow(message)
  })
})
