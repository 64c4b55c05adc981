import stringify from 'safe-stable-stringify'
import type { Json } from './json.ts'

/**
 * Canonical JSON (RFC 8785): members sorted by UTF-16 code units, no blanks. Two values are equal exactly when
 * their canonical texts are.
 *
 * A value whose members already stand in order is written by the engine itself, which is several times faster;
 * the inventory builds its resources that way, so the slow path is left to free-form parts with odd keys.
 */
export function canonicalJson(value: Json): string {
  return isInOrder(value) ? JSON.stringify(value) : stringify(value)
}

function isInOrder(value: Json): boolean {
  if (typeof value !== 'object' || value === null) return true
  if (Array.isArray(value)) return value.every(isInOrder)
  let previous: string | undefined
  for (const [key, member] of Object.entries(value)) {
    if (previous !== undefined && key <= previous) return false
    if (!isInOrder(member)) return false
    previous = key
  }
  return true
}
