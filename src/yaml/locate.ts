import { type Alias, isAlias, isMap, isScalar, isSeq, type Node, type YAMLMap } from 'yaml'
import type { NodePath } from './node-values.ts'

/** A place of a document: where its key and its value begin, and the node itself. */
export interface TextPlace {
  readonly keyOffset: number
  readonly valueOffset: number
  /** What stands there, aliases followed. */
  readonly node: Node | null
}

/** Finds what stands at a path. A path through an alias leads to the text that the alias stands for. */
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

/** By name, the last of several: looking through a large mapping for each of its mistakes would take minutes. */
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

/** A value left out has a place behind its key that nobody would look at: the key stands for it. */
function startOf(node: Node | null): number | undefined {
  const range = node?.range
  if (range === undefined || range === null) return undefined
  return range[0] === range[1] ? undefined : range[0]
}
