import { canonicalJson } from './canonical-json.ts'
import { isJsonObject, type Json, pointerStep } from './json.ts'

/** JSON Pointer of the first difference between two different values; empty when they differ as a whole. */
export function firstDifference(before: Json, after: Json): string {
  const [left, right] = [membersOf(before), membersOf(after)]
  if (left === undefined || right === undefined || Array.isArray(before) !== Array.isArray(after)) return ''
  for (const key of [...new Set([...left.keys(), ...right.keys()])].sort()) {
    const [old, now] = [left.get(key), right.get(key)]
    if (old === undefined || now === undefined) return `/${pointerStep(key)}`
    if (canonicalJson(old) !== canonicalJson(now)) return `/${pointerStep(key)}${firstDifference(old, now)}`
  }
  return ''
}

function membersOf(value: Json): ReadonlyMap<string, Json> | undefined {
  return Array.isArray(value) || isJsonObject(value) ? new Map(Object.entries(value)) : undefined
}
