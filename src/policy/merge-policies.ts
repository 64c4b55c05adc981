import type { DueDurations } from '../model/due.ts'
import type { IgnoredPath } from './ignored-paths.ts'

/**
 * Keeps the last of equal items, because later ones win. Keeping all would double the work with each file that is
 * extended in two ways.
 */
export function lastOfEach<Item>(all: readonly Item[]): readonly Item[] {
  return [...new Set(all.toReversed())].reverse()
}

/** Later ones win, severity by severity. */
export function mergeDue(all: readonly (DueDurations | undefined)[]): DueDurations {
  return Object.assign({}, ...all)
}

/** Each path once, as the first file has it. */
export function mergeIgnored(all: readonly (readonly IgnoredPath[])[]): readonly IgnoredPath[] {
  const first = new Map<string, IgnoredPath>()
  for (const one of all.flat()) if (!first.has(one.path)) first.set(one.path, one)
  return [...first.values()]
}
