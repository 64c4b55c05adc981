import { type Alias, isAlias, isMap, isNode, isScalar, isSeq, type Node, type YAMLMap } from 'yaml'
import { exactNumber, isExactNumber } from '../exact-number.ts'

export type NodePath = readonly (string | number)[]

/** Expands a text of the file before it is checked: another text, or the reason why there is none. */
export type Expand = (text: string, path: NodePath) => { readonly text: string } | { readonly problem: string }

interface NodeValues {
  readonly value: unknown
  /** The node of each alias. */
  readonly targets: ReadonlyMap<Alias, Node>
  /** Where a mapping has a member `__proto__`. */
  readonly protos: readonly { readonly path: NodePath; readonly offset: number }[]
}

interface NodeReader {
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
  io: Pick<NodeReader, 'expand' | 'isExact' | 'lineOf' | 'report'>,
): NodeValues {
  const reading: NodeReader = {
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

/** A position in a document: the offsets of its key and its value, and the node itself. */
export interface NodePosition {
  readonly keyOffset: number
  readonly valueOffset: number
  /** The node there, with aliases followed. */
  readonly node: Node | null
}

/** Finds the node at a path. A path through an alias leads to the aliased text. */
export function locate(root: Node | null, targets: ReadonlyMap<Alias, Node>, path: NodePath): NodePosition | undefined {
  let position: NodePosition | undefined = {
    keyOffset: startOf(root) ?? 0,
    valueOffset: startOf(root) ?? 0,
    node: root,
  }
  for (const step of path) {
    position = member(position.node, step, targets)
    if (position === undefined) return undefined
  }
  return position
}

/**
 * The offset in the file of a position in a decoded text, for every form of text: plain, in quotes with escapes, as a
 * block, folded over lines. Only blanks may differ, so both are walked in parallel. undefined if the node is not a
 * text.
 */
export function offsetWithin(file: string, node: Node | null, offset: number): number | undefined {
  if (!isScalar(node) || typeof node.value !== 'string' || !node.range) return undefined
  const [start, end] = node.range
  const { value, type } = node
  let at = type === 'PLAIN' || type === undefined ? start : firstCharacter(file, start, type)
  const skip = type === 'QUOTE_DOUBLE' ? skipContinuation : (_: string, here: number) => here
  for (let index = 0; index < Math.min(offset, value.length); ) {
    const isText = !isBlank(value[index])
    at = skip(file, isText ? skipBlanks(file, skip(file, at, end), end) : at, end)
    const isInFile = isText || isBlank(file[at]) || (type === 'QUOTE_DOUBLE' && file[at] === '\\')
    if (!isInFile) {
      index++ // A blank from folding.
      continue
    }
    const taken = written(file, at, type)
    at += taken.written
    index += taken.decoded
  }
  at = skip(file, at, end)
  return Math.min(isBlank(value[offset]) ? at : skip(file, skipBlanks(file, at, end), end), end)
}

/** `alias` is the outermost alias through which the node is read, if any: the position that messages show. */
function readNode(node: Node, path: NodePath, alias: Alias | undefined, reading: NodeReader): unknown {
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

function aliased(alias: Alias, path: NodePath, outermost: Alias, reading: NodeReader): unknown {
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

function contentOf(node: Node, path: NodePath, alias: Alias | undefined, reading: NodeReader): unknown {
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

function members(map: YAMLMap, path: NodePath, alias: Alias | undefined, reading: NodeReader): unknown {
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

function exactValue(value: number, source: string | undefined): unknown {
  const exact = source === undefined ? value : exactNumber(source)
  // YAML has more ways to write a number than JSON: `+1`, `0x10`, `.inf`.
  return isExactNumber(exact) ? exact : value
}

/** An omitted value has an offset after its key, where there is nothing to see: the key's offset replaces it. */
function startOf(node: Node | null): number | undefined {
  const range = node?.range
  if (range === undefined || range === null) return undefined
  return range[0] === range[1] ? undefined : range[0]
}

function member(
  parent: Node | null,
  step: string | number,
  targets: ReadonlyMap<Alias, Node>,
): NodePosition | undefined {
  if (isSeq<Node>(parent)) {
    const item = parent.items[Number(step)]
    return item === undefined ? undefined : nodePosition(startOf(item) ?? 0, item, targets)
  }
  if (!isMap<Node, Node | null>(parent)) return undefined
  const pair = pairsOf(parent).get(String(step))
  return pair === undefined ? undefined : nodePosition(startOf(pair.key) ?? 0, pair.value, targets)
}

function nodePosition(keyOffset: number, node: Node | null, targets: ReadonlyMap<Alias, Node>): NodePosition {
  const target = isAlias(node) ? (targets.get(node) ?? null) : node
  return { keyOffset, valueOffset: startOf(node) ?? keyOffset, node: target }
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

/** After the quote, or in the line below the sign of a block. */
function firstCharacter(file: string, start: number, type: string): number {
  if (type.startsWith('QUOTE')) return start + 1
  const line = file.indexOf('\n', start)
  return line < 0 ? start : line + 1
}

/** A backslash at the end of a line joins it with the next, whose indentation does not count. */
function skipContinuation(file: string, at: number, end: number): number {
  const [joint = ''] = /^\\\r?\n/.exec(file.slice(at, at + 3)) ?? []
  return joint === '' ? at : skipBlanks(file, at + joint.length, end)
}

function skipBlanks(file: string, at: number, end: number): number {
  let here = at
  while (here < end && isBlank(file[here])) here++
  return here
}

function isBlank(character: string | undefined): boolean {
  return character === ' ' || character === '\n' || character === '\r' || character === '\t'
}

/** How many characters of the file make how many of the text, at one position. */
function written(file: string, at: number, type: string | undefined): { written: number; decoded: number } {
  if (type === 'QUOTE_SINGLE' && file.startsWith("''", at)) return { written: 2, decoded: 1 }
  if (type !== 'QUOTE_DOUBLE' || file[at] !== '\\') return { written: 1, decoded: 1 }
  const sequence =
    /^\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[\s\S])/.exec(file.slice(at, at + 10))?.[0] ?? '\\'
  const isPair = sequence.startsWith('\\U') && Number.parseInt(sequence.slice(2), 16) > 0xffff
  return { written: sequence.length, decoded: isPair ? 2 : 1 }
}
