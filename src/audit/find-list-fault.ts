import { type Members, wireSchema } from '../gateway/fields.ts'
import { isJsonObject, type Json, type JsonObject } from '../model/json.ts'
import type { Kind } from '../model/resource.ts'

/** An endpoint has a handful of secrets. Each entry costs findings, facts and rows of its own. */
const longestList = 1000
/** It becomes a part of JSON Pointers, as the uid of an item does of reports. */
const longestKey = 1000

/**
 * Why a keyed list of an item (`gateway/fields.ts`) cannot be taken: two entries with one uid would become one, and the
 * other would be compared with nothing and evaluated by no rule.
 */
export function findListFault(kind: Kind, item: JsonObject): string | undefined {
  for (const path of keyedLists[kind]) {
    const value = valueWithin(item, path)
    if (typeof value !== 'object' || value === null) continue
    const list = Array.isArray(value) ? value : [value]
    if (list.length > longestList) return `has more than ${longestList} entries in ${path.join('.')}`
    if (list.some((entry) => keyOf(entry, 0).length > longestKey))
      return `has an entry with a uid of more than ${longestKey} characters in ${path.join('.')}`
    if (list.length > 1 && new Set(list.map(keyOf)).size < list.length)
      return `has two entries with one uid in ${path.join('.')}`
  }
  return undefined
}

/** How many entries the keyed lists of an item have: what is kept of each is several times as large as its text. */
export function countEntries(kind: Kind, item: JsonObject): number {
  let count = 0
  for (const path of keyedLists[kind]) {
    const value = valueWithin(item, path)
    if (Array.isArray(value)) count += value.length
  }
  return count
}

/** The key that the normal form gives an entry: its index, where it has no uid. */
function keyOf(entry: Json, index: number): string {
  return isJsonObject(entry) && typeof entry.uid === 'string' && entry.uid !== '' ? entry.uid : `#${index}`
}

function valueWithin(item: JsonObject, path: readonly string[]): Json | undefined {
  let here: Json | undefined = item
  for (const step of path) {
    if (!isJsonObject(here)) return undefined
    here = here[step]
  }
  return here
}

type Path = readonly string[]

function pathsIn(members: Members): readonly Path[] {
  return Object.entries(members).flatMap(([name, field]): Path[] => {
    // What has a list of its own is checked where that is read.
    if (field.type === 'keyed') return field.by === undefined ? [[name]] : []
    return field.type === 'struct' ? pathsIn(field.members).map((path) => [name, ...path]) : []
  })
}

/** Worked out once: most kinds have none. */
const keyedLists: Readonly<Record<Kind, readonly Path[]>> = {
  endpoint: pathsIn(wireSchema.endpoint),
  subscription: pathsIn(wireSchema.subscription),
  source: pathsIn(wireSchema.source),
  event_type: pathsIn(wireSchema.event_type),
  device: pathsIn(wireSchema.device),
  project: pathsIn(wireSchema.project),
  probe: pathsIn(wireSchema.probe),
  service: [],
  policy: pathsIn(wireSchema.policy),
}
