import stringify from 'safe-stable-stringify'
import { isJsonObject, type Json, pointerStep } from './json.ts'

/**
 * Canonical JSON (RFC 8785): members sorted by UTF-16 code units, no blanks. Two values are equal exactly when their
 * canonical texts are.
 *
 * The engine itself writes a value whose members are in order already, several times faster. The inventory builds its
 * resources that way, so only free-form parts with odd keys take the slow path.
 */
export function canonicalJson(value: Json): string {
  return isInOrder(value) ? JSON.stringify(value) : stringify(value)
}

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

function isInOrder(value: Json): boolean {
  if (typeof value !== 'object' || value === null) return true
  if (!isJsonObject(value)) return value.every(isInOrder)
  let previous: string | undefined
  // for…in makes no list of the members; values are plain objects, with nothing to inherit.
  for (const key in value) {
    if (previous !== undefined && key <= previous) return false
    const member = value[key]
    if (typeof member === 'object' && !isInOrder(member)) return false
    previous = key
  }
  return true
}

function membersOf(value: Json): ReadonlyMap<string, Json> | undefined {
  return Array.isArray(value) || isJsonObject(value) ? new Map(Object.entries(value)) : undefined
}
