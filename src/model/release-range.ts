import { z } from 'zod'

/** A release of a service, such as `v26.6.8`: year, month and number. */
export type Release = `v${number}.${number}.${number}`

const releaseName = z.custom<Release>(() => true).meta({ type: 'string' })

/** It is never what `/healthz` says: that names another release in many of them. */
export const releaseRange = z
  .object({
    from: releaseName.nullable().describe('This release or a later one; null: not known.'),
    below: releaseName.nullable().describe('An earlier release than this; null: not known.'),
    contradictory: z.boolean().describe('Whether answers contradict each other, as while an upgrade is under way.'),
  })
  .describe('Between which releases the service runs, inferred from the fields that its answers show.')
export type ReleaseRange = z.infer<typeof releaseRange>

/** Negative where `a` came before `b`. */
export function compareReleases(a: Release, b: Release): number {
  const [left, right] = [numbersOf(a), numbersOf(b)]
  for (const [index, number] of left.entries()) {
    const difference = number - (right[index] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}

function numbersOf(release: Release): readonly number[] {
  return release.slice(1).split('.').map(Number)
}

/**
 * What several answers of one service show together. Where no release fits all of them, the range that has room for
 * each. undefined: none shows anything.
 */
export function intersectReleases(ranges: Iterable<ReleaseRange | undefined>): ReleaseRange | undefined {
  const knownRanges = [...ranges].filter((range) => range !== undefined)
  const [first, ...others] = knownRanges
  if (first === undefined || others.length === 0) return first
  const froms = knownRanges.flatMap(({ from }) => from ?? []).sort(compareReleases)
  const belows = knownRanges.flatMap(({ below }) => below ?? []).sort(compareReleases)
  const from = froms.at(-1) ?? null
  const below = belows[0] ?? null
  const isImpossible = from !== null && below !== null && compareReleases(from, below) >= 0
  if (!isImpossible && !knownRanges.some(({ contradictory }) => contradictory))
    return { from, below, contradictory: false }
  return {
    from: knownRanges.every((range) => range.from !== null) ? (froms[0] ?? null) : null,
    below: knownRanges.every((range) => range.below !== null) ? (belows.at(-1) ?? null) : null,
    contradictory: true,
  }
}

/** Whether a service that runs one of these runs an earlier release than that for certain. */
export function isBelow({ below }: ReleaseRange, release: Release): boolean {
  return below !== null && compareReleases(below, release) <= 0
}

/** Whether it runs that release or a later one for certain. */
export function isFrom({ from }: ReleaseRange, release: Release): boolean {
  return from !== null && compareReleases(from, release) >= 0
}

/** `v26.3.7 or later, below v26.6.1 (inferred from the fields that its answers show)` */
export function describeReleases({ from, below, contradictory }: ReleaseRange): string {
  const bounds = [...(from === null ? [] : [`${from} or later`]), ...(below === null ? [] : [`below ${below}`])]
  const range = bounds.length === 0 ? 'unknown' : bounds.join(', ')
  const doubt = contradictory ? ', which contradict each other as while an upgrade is under way' : ''
  return `${range} (inferred from the fields that its answers show${doubt})`
}
