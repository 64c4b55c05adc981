import { canonicalJson } from '../../model/canonical-json.ts'
import type { Json } from '../../model/json.ts'
import { maskedSeal } from '../../model/resource.ts'
import type { Drift } from '../engine/rule.ts'

/** The seals of a value, each once. */
export function sealsIn(value: unknown): string[] {
  return [...new Set(canonicalJson(value as Json).match(/sealed:(?:[0-9a-f]{32}|masked)/g))].sort()
}

/** What to say of a secret that is back after a loss: nothing where it is the same one, or where that cannot be known. */
export function sayOtherSecret(
  what: string,
  [before, after]: readonly [before: unknown, after: unknown],
  { lostSince, areSealsComparable }: Pick<Drift, 'lostSince' | 'areSealsComparable'>,
): string | undefined {
  if (lostSince === undefined || !areSealsComparable) return undefined
  const [old, now] = [sealsIn(before ?? null), sealsIn(after ?? null)]
  const isKnown = old.length > 0 && now.length > 0 && ![...old, ...now].includes(maskedSeal)
  return isKnown && old.join() !== now.join()
    ? `${what} is back, with another value than in run ${lostSince}`
    : undefined
}
