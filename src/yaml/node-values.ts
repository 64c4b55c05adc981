import { type Alias, isAlias, isMap, isScalar, isSeq, type Node, type YAMLMap } from 'yaml'
import { exactNumber, isExactNumber } from '../model/exact-number.ts'

export type NodePath = readonly (string | number)[]

/** Expands a text of the file before it is checked: another text, or the reason why there is none. */
export type Expand = (text: string, path: NodePath) => { readonly text: string } | { readonly problem: string }

export interface NodeValues {
  readonly value: unknown
  /** The node of each alias. */
  readonly targets: ReadonlyMap<Alias, Node>
  /** Where a mapping has a member `__proto__`. */
  readonly protos: readonly { readonly path: NodePath; readonly offset: number }[]
}

interface NodeReadContext {
  readonly expand: Expand
  /** Whether a number stays as written if a double cannot keep it. */
  readonly isExact: (path: NodePath) => boolean
  /** `lineOf` of an earlier node makes "first in line 3". */
  readonly lineOf: (offset: number) => number
  readonly report: (path: NodePath, offset: number, text: string) => void
  readonly anchors: Map<string, Node>
  readonly targets: Map<Alias, Node>
  readonly protos: { path: NodePath; offset: number }[]
  /** Anchored nodes that are being read, to detect one that contains itself. */
  readonly open: Set<Node>
  /** Nodes read through aliases: the limit against alias bombs. */
  copied: number
}

const maxCopied = 10_000
const maxDepth = 64

/** Converts nodes to values in one pass: expands texts, follows aliases within limits, reports duplicate keys. */
export function nodeValues(
  root: Node | null,
  io: Pick<NodeReadContext, 'expand' | 'isExact' | 'lineOf' | 'report'>,
): NodeValues {
  const reading: NodeReadContext = {
    ...io,
    anchors: new Map(),
    targets: new Map(),
    protos: [],
    open: new Set(),
    copied: 0,
  }
  const value = root === null ? null : readNode(root, [], undefined, reading)
  return { value, targets: reading.targets, protos: reading.protos }
}

/** `alias` is the outermost alias through which the node is read, if any: the place that messages show. */
function readNode(node: Node, path: NodePath, alias: Alias | undefined, reading: NodeReadContext): unknown {
  const offset = node.range?.[0] ?? 0
  if (path.length > maxDepth) {
    reading.report(path, offset, `nested more than ${maxDepth} levels deep, the limit`)
    return null
  }
  if (alias !== undefined && ++reading.copied > maxCopied) {
    const text = `aliases repeat more than ${maxCopied} values, the limit`
    if (reading.copied === maxCopied + 1) reading.report(path, alias.range?.[0] ?? 0, text)
    return null
  }
  if (isAlias(node)) return aliased(node, path, alias ?? node, reading)
  if (alias === undefined && node.anchor !== undefined) reading.anchors.set(node.anchor, node)
  reading.open.add(node)
  const value = contentOf(node, path, alias, reading)
  reading.open.delete(node)
  return value
}

function aliased(alias: Alias, path: NodePath, outermost: Alias, reading: NodeReadContext): unknown {
  const target = reading.targets.get(alias) ?? reading.anchors.get(alias.source)
  const offset = alias.range?.[0] ?? 0
  if (target === undefined) {
    reading.report(path, offset, 'an alias without an anchor before it; a value that begins with * needs quotes')
    return null
  }
  if (reading.open.has(target)) {
    reading.report(path, offset, 'an alias of something that it is part of')
    return null
  }
  reading.targets.set(alias, target)
  return readNode(target, path, outermost, reading)
}

function contentOf(node: Node, path: NodePath, alias: Alias | undefined, reading: NodeReadContext): unknown {
  if (isMap(node)) return members(node, path, alias, reading)
  if (isSeq<Node>(node)) return node.items.map((item, index) => readNode(item, [...path, index], alias, reading))
  if (!isScalar(node)) return null
  if (typeof node.value === 'number' && reading.isExact(path)) return exactValue(node.value, node.source)
  if (typeof node.value !== 'string') return node.value
  const expanded = reading.expand(node.value, path)
  if ('text' in expanded) return expanded.text
  reading.report(path, node.range?.[0] ?? 0, expanded.problem)
  return node.value
}

function exactValue(value: number, source: string | undefined): unknown {
  const exact = source === undefined ? value : exactNumber(source)
  // YAML has more ways to write a number than JSON: `+1`, `0x10`, `.inf`.
  return isExactNumber(exact) ? exact : value
}

function members(map: YAMLMap, path: NodePath, alias: Alias | undefined, reading: NodeReadContext): unknown {
  const offsets = new Map<string, number>()
  const entries: [string, unknown][] = []
  for (const { key, value } of map.items) {
    if (!isScalar(key) || typeof key.value !== 'string') continue // The parser's `stringKeys` reports it.
    const offset = key.range?.[0] ?? 0
    const memberPath = [...path, key.value]
    const earlier = offsets.get(key.value)
    if (earlier !== undefined) {
      reading.report([...memberPath, offset], offset, `a duplicate key, first in line ${reading.lineOf(earlier)}`)
    }
    offsets.set(key.value, offset)
    if (key.value === '__proto__') reading.protos.push({ path: memberPath, offset: alias?.range?.[0] ?? offset })
    entries.push([key.value, isNode(value) ? readNode(value, memberPath, alias, reading) : null])
  }
  return Object.fromEntries(entries) // It defines each member, so a key `__proto__` is ordinary.
}

function isNode(value: unknown): value is Node {
  return isScalar(value) || isMap(value) || isSeq(value) || isAlias(value)
}
