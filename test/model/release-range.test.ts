import { describe, expect, it } from 'vitest'
import {
  compareReleases,
  describeReleases,
  intersectReleases,
  isBelow,
  isFrom,
  type ReleaseRange,
} from '../../src/model/release-range.ts'

const shown = 'inferred from the fields that its answers show'

describe('releases', () => {
  it('are compared by number, not as text', () => {
    expect(
      ['v26.10.0', 'v26.9.1', 'v25.12.5', 'v26.9.0'].map((text) => text as 'v26.9.0').sort(compareReleases),
    ).toEqual(['v25.12.5', 'v26.9.0', 'v26.9.1', 'v26.10.0'])
  })

  it.each<[ranges: (ReleaseRange | undefined)[], together: ReleaseRange | undefined]>([
    [[], undefined],
    [[undefined, undefined], undefined],
    [
      [undefined, { from: 'v26.3.7', below: null, contradictory: false }],
      { from: 'v26.3.7', below: null, contradictory: false },
    ],
    [
      [
        { from: 'v26.3.7', below: null, contradictory: false },
        { from: 'v26.6.1', below: 'v26.7.0', contradictory: false },
        { from: null, below: 'v26.6.5', contradictory: false },
      ],
      { from: 'v26.6.1', below: 'v26.6.5', contradictory: false },
    ],
    // No release fits both: instances of two releases answer.
    [
      [
        { from: 'v25.11.1', below: 'v26.6.1', contradictory: false },
        { from: 'v26.6.5', below: 'v26.7.0', contradictory: false },
      ],
      { from: 'v25.11.1', below: 'v26.7.0', contradictory: true },
    ],
    [
      [
        { from: 'v26.6.1', below: null, contradictory: false },
        { from: null, below: 'v26.6.1', contradictory: false },
      ],
      { from: null, below: null, contradictory: true },
    ],
    // One that contradicts itself makes nothing narrower.
    [
      [
        { from: null, below: null, contradictory: true },
        { from: 'v26.6.1', below: 'v26.6.5', contradictory: false },
      ],
      { from: null, below: null, contradictory: true },
    ],
  ])('%j are together %j', (ranges, together) => {
    expect(intersectReleases(ranges)).toEqual(together)
    expect(intersectReleases(ranges.toReversed())).toEqual(together)
  })

  it.each<[ReleaseRange, string]>([
    [{ from: 'v26.3.7', below: 'v26.6.1', contradictory: false }, `v26.3.7 or later, below v26.6.1 (${shown})`],
    [{ from: 'v26.7.1', below: null, contradictory: false }, `v26.7.1 or later (${shown})`],
    [{ from: null, below: 'v25.9.1', contradictory: false }, `below v25.9.1 (${shown})`],
    [
      { from: null, below: null, contradictory: true },
      `unknown (${shown}, which contradict each other as while an upgrade is under way)`,
    ],
  ])('%j read as %s', (range, text) => {
    expect(describeReleases(range)).toBe(text)
  })

  it('are certainly below, or certainly not, or neither', () => {
    const range: ReleaseRange = { from: 'v26.6.5', below: 'v26.7.0', contradictory: false }
    expect([isBelow(range, 'v26.7.0'), isFrom(range, 'v26.7.0')]).toEqual([true, false])
    expect([isBelow(range, 'v26.6.8'), isFrom(range, 'v26.6.8')]).toEqual([false, false])
    expect([isBelow(range, 'v26.6.5'), isFrom(range, 'v26.6.5')]).toEqual([false, true])
    expect([
      isBelow({ from: null, below: null, contradictory: false }, 'v26.6.5'),
      isFrom({ from: null, below: null, contradictory: false }, 'v26.6.5'),
    ]).toEqual([false, false])
  })
})
