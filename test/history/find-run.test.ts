import { describe, expect, it } from 'vitest'
import { findRun, findRunAt, runBefore } from '../../src/history/find-run.ts'

const run = (number: number, day: string) => {
  return { number, startedAt: `2026-11-${day}T03:00:00.000Z`, finishedAt: `2026-11-${day}T03:05:00.000Z` }
}
/** The second was interrupted. */
const runs = [run(1, '18'), run(3, '20'), run(4, '21')]

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
  ])('is found by %s', (name, number) => {
    expect(findRun(runs, name).number).toBe(number)
  })

  it.each([
    ['2', /there is no sealed run 2; the history holds 1 \(.*\) to 4 \(.*\), not all of them: .* pruned/],
    ['latest~3', /there is no sealed run latest~3/],
    ['latest~', /names no run/],
    ['last', /names no run/],
    ['-1', /names no run/],
    ['2026-11-17', /no run was sealed by 2026-11-17; the history holds 1/],
    ['2026-02-31', /is no time/],
    ['2026-11-21T25:00:00Z', /is no time/],
    ['2026-1-1', /is no time/],
  ])('is not found by %s', (name, message) => {
    expect(() => findRun(runs, name)).toThrow(
      expect.objectContaining({ exitCode: 2, message: expect.stringMatching(message) }),
    )
  })

  it('is not found in an empty history, which says so', () => {
    expect(() => findRun([], 'latest')).toThrow(/the history holds none yet/)
    expect(() => findRunAt([], '2026-11-21')).toThrow(/the history holds none yet/)
  })

  it.each([
    ['2026-11-20', 1],
    ['2026-11-18', 0],
    ['2026-11-22', 4],
    ['2026-11-20T03:00:01Z', 3],
    ['3', 2],
    ['latest', 3],
  ])('since %s begins behind run %i', (since, number) => {
    expect(runBefore(runs, since)).toBe(number)
  })
})
