import { canonicalJson } from '../../model/canonical-json.ts'
import { compareNumbers, shownJson } from '../../model/exact-number.ts'
import { isJsonObject, type Json, type JsonObject, pointerStep } from '../../model/json.ts'

/**
 * Conditions of a filter (MongoDB-like) that surely ask for less than they did, in words. Where a condition was
 * replaced by another, which one lets more through is not known, and nothing is reported.
 */
export function* relaxedConditions(before: JsonObject, after: JsonObject, path: string): Generator<string> {
  const isNarrowedToo = Object.keys(after).some((key) => !Object.hasOwn(before, key))
  for (const [key, old] of Object.entries(before)) {
    const here = `${path}/${pointerStep(key)}`
    const now = Object.hasOwn(after, key) ? after[key] : undefined
    if (now !== undefined) yield* relaxedCondition(key, old, now, here)
    else if (!isNarrowedToo) yield `${here} is gone`
  }
}

function* relaxedCondition(key: string, before: Json, after: Json, path: string): Generator<string> {
  if (isJsonObject(before) && isJsonObject(after)) yield* relaxedConditions(before, after, path)
  else if (isRelaxed(key, before, after)) yield `${path} was ${brief(before)}, is ${brief(after)}`
}

function isRelaxed(operator: string, before: Json, after: Json): boolean {
  if (Array.isArray(before) && Array.isArray(after)) {
    // A list of alternatives lets more through when one comes, a list of demands when one goes.
    if (operator === '$in' || operator === '$or') return holdsAll(after, before) && !holdsAll(before, after)
    if (operator === '$nin' || operator === '$and') return holdsAll(before, after) && !holdsAll(after, before)
    return false
  }
  const sign = compareNumbers(after, before) ?? 0
  if (operator === '$gt' || operator === '$gte') return sign < 0
  return (operator === '$lt' || operator === '$lte') && sign > 0
}

function holdsAll(list: readonly Json[], others: readonly Json[]): boolean {
  const held = new Set(list.map(canonicalJson))
  return others.every((other) => held.has(canonicalJson(other)))
}

function brief(value: Json): string {
  const text = shownJson(value)
  return text.length > 60 ? `${text.slice(0, 59)}…` : text
}
