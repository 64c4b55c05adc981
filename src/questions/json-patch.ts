import { isJsonObject, type Json, type JsonObject, pointerStep } from '../model/json.ts'

/** One operation of RFC 6902. */
export type PatchOperation =
  | { readonly op: 'add' | 'replace'; readonly path: string; readonly value: Json }
  | { readonly op: 'remove'; readonly path: string }

/**
 * The patch from `before` to `after`: objects member by member, everything else as a whole. It is in the order of
 * paths, so the same two sides always give the same patch.
 */
export function patchBetween(before: JsonObject, after: JsonObject, path = ''): PatchOperation[] {
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort()
  return keys.flatMap((key): PatchOperation[] => {
    const here = `${path}/${pointerStep(key)}`
    const [old, now] = [ownOf(before, key), ownOf(after, key)]
    if (now === undefined) return [{ op: 'remove', path: here }]
    if (old === undefined) return [{ op: 'add', path: here, value: now }]
    if (isJsonObject(old) && isJsonObject(now)) return patchBetween(old, now, here)
    return JSON.stringify(old) === JSON.stringify(now) ? [] : [{ op: 'replace', path: here, value: now }]
  })
}

function ownOf(object: JsonObject, key: string): Json | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined
}
