import { type Alias, isAlias, isMap, isScalar, isSeq, type Node, type YAMLMap } from 'yaml'
import type { NodePath } from './node-values.ts'

/** A place in a document: the offsets of its key and its value, and the node itself. */
export interface TextPlace {
  readonly keyOffset: number
  readonly valueOffset: number
  /** The node there, with aliases followed. */
  readonly node: Node | null
}

/** Finds the node at a path. A path through an alias leads to the aliased text. */
export function locate(root: Node | null, targets: ReadonlyMap<Alias, Node>, path: NodePath): TextPlace | undefined {
  let place: TextPlace | undefined = { keyOffset: startOf(root) ?? 0, valueOffset: startOf(root) ?? 0, node: root }
  for (const step of path) {
    place = member(place.node, step, targets)
    if (place === undefined) return undefined
  }
  return place
}

function member(parent: Node | null, step: string | number, targets: ReadonlyMap<Alias, Node>): TextPlace | undefined {
  if (isSeq<Node>(parent)) {
    const item = parent.items[Number(step)]
    return item === undefined ? undefined : placeOf(startOf(item) ?? 0, item, targets)
  }
  if (!isMap<Node, Node | null>(parent)) return undefined
  const pair = pairsOf(parent).get(String(step))
  return pair === undefined ? undefined : placeOf(startOf(pair.key) ?? 0, pair.value, targets)
}

type Mapping = YAMLMap<Node, Node | null>

/** By name, the last one of several. Without an index, a search for each mistake would take minutes. */
const indexes = new WeakMap<Mapping, ReadonlyMap<string, Mapping['items'][number]>>()

function pairsOf(map: Mapping): ReadonlyMap<string, Mapping['items'][number]> {
  const known = indexes.get(map)
  if (known !== undefined) return known
  const index = new Map(
    map.items.flatMap((pair) => (isScalar(pair.key) ? [[String(pair.key.value), pair] as const] : [])),
  )
  indexes.set(map, index)
  return index
}

function placeOf(keyOffset: number, node: Node | null, targets: ReadonlyMap<Alias, Node>): TextPlace {
  const target = isAlias(node) ? (targets.get(node) ?? null) : node
  return { keyOffset, valueOffset: startOf(node) ?? keyOffset, node: target }
}

/** An omitted value has an offset after its key, where there is nothing to see: the key's offset replaces it. */
function startOf(node: Node | null): number | undefined {
  const range = node?.range
  if (range === undefined || range === null) return undefined
  return range[0] === range[1] ? undefined : range[0]
}
