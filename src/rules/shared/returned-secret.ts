import { canonicalJson } from '../../model/canonical-json.ts'
import { isWithinPointer, type Json } from '../../model/json.ts'
import { maskedSeal } from '../../model/resource.ts'
import type { Drift, RuleFinding } from '../engine/rule.ts'

/** The seals of a value, each once. */
export function sealsIn(value: Json): string[] {
  return [...new Set(canonicalJson(value).match(/sealed:(?:[0-9a-f]{32}|masked)/g))].sort()
}

/**
 * Finds secrets that are back after a loss, with another value than before it. `names`: what is back, by JSON Pointer.
 * Silent where there was no loss, and where it cannot be known.
 */
export function* findReturned(
  names: Readonly<Record<string, string>>,
  { fields, lostSince, areSealsComparable }: Pick<Drift, 'fields' | 'lostSince' | 'areSealsComparable'>,
): Iterable<RuleFinding> {
  if (lostSince === undefined || !areSealsComparable) return
  for (const { path, before, after } of fields) {
    const name = Object.keys(names).find((pointer) => isWithinPointer(path, pointer))
    const [old, now] = [sealsIn(before), sealsIn(after)]
    if (name === undefined || old.length === 0 || now.length === 0 || [...old, ...now].includes(maskedSeal)) continue
    yield { path, message: `${names[name]} is back, with another value than in run ${lostSince}`, severity: 'low' }
  }
}
