import { isScalar } from 'yaml'
import { core, type z } from 'zod'
import { describeIssue, expectationOfIssue, type FileView, type SchemaIssue } from './describe-issue.ts'
import { type Expand, locate, type NodePath, type NodePosition, nodeValues, offsetWithin } from './node-values.ts'
import { type FileLimits, type ParsedYaml, parseYaml } from './parse-yaml.ts'
import { type FileProblem, refuseProblems } from './problem.ts'
import { faultOf } from './value-fault.ts'

/** A file that was read: its decoded value, and the position of each part. */
export interface ReadDocument<T> {
  readonly value: T
  /** Where a key or its value begins; for a path that is not in the file, where its nearest parent begins. */
  at(path: NodePath, where?: 'key' | 'value'): { readonly line: number; readonly column: number }
  /** A problem found later, at its position. `refuseProblems` throws it, `problemLine` makes a warning of it. */
  problem(path: NodePath, text: string, where?: 'key' | 'value'): FileProblem
  /** A problem within a text, `offset` UTF-16 units into the decoded text. */
  problemWithin(path: NodePath, offset: number, text: string): FileProblem
  /** A text as written, with references unexpanded; undefined if it is not a text or not in the file. */
  written(path: NodePath): string | undefined
  /** Paths in the file of faulty parts that the value does not have; empty for a file without problems. */
  readonly omittedPaths: readonly NodePath[]
}

/** A file that was examined: as far as it can be read, and its problems. */
interface ExaminedDocument<T> {
  /** The file without its faulty parts, to find what else is wrong; undefined where they are too many. */
  readonly document: ReadDocument<T> | undefined
  /** Syntax and shape. */
  readonly problems: readonly FileProblem[]
  /** What the checks of the schema found in the document. */
  readonly faults: readonly FileProblem[]
}

interface DocumentOptions<S extends z.ZodType> {
  /** The name of the file in messages. */
  readonly file: string
  /** For a text that is in no file: what messages name instead of the file, for a line of it. */
  readonly variableAt?: (line: number) => string
  readonly schema: S
  /** Applied to every text of the file before the schema; keys stay as they are. */
  readonly expand?: Expand
  /** Whether a number stays as written if a double cannot keep it (`model/exact-number.ts`). */
  readonly isExact?: (path: NodePath) => boolean
  /** Whether mappings may have members of every name: of the service, or of parts that the schema leaves to others. */
  readonly takesAnyName?: boolean
  /** Values that no message may show, even if they are wrong. */
  readonly isSecret?: (path: NodePath) => boolean
  /** Problems that are already known: reported together with the new ones. */
  readonly knownProblems?: readonly FileProblem[]
  /** Default: the limits of files that people write. */
  readonly limits?: FileLimits
  /** The text's `parseYaml`, for a text that several schemas read. */
  readonly parsed?: ParsedYaml
}

/** The search for problems stops here: each takes time, and more do not help. */
export const mostProblems = 400
/** Leaving out a faulty member makes it a missing one, then its owner a faulty entry, and so on. */
const mostRounds = 6

/**
 * Reads a YAML file of the user.
 * @throws AuditError.usage with one line for every problem: its syntax errors, or else all that the schema refuses
 */
export function readDocument<S extends z.ZodType>(
  text: string,
  options: DocumentOptions<S>,
): ReadDocument<z.output<S>> {
  return refuseFaults(examineDocument(text, options))
}

/**
 * The document, if neither the schema nor `more` found a problem.
 * @throws AuditError.usage with one line for every problem
 */
export function refuseFaults<T>(
  { document, problems, faults }: ExaminedDocument<T>,
  more: Iterable<FileProblem> = [],
): ReadDocument<T> {
  refuseProblems([...problems, ...faults, ...more])
  if (document === undefined) throw new Error('a schema refused a value without an issue') // Lets the compiler know.
  return document
}

/**
 * Reads a YAML file of the user for callers that find further problems: faults of the schema do not hide those.
 * @throws AuditError.usage with one line for every syntax error
 */
export function examineDocument<S extends z.ZodType>(
  text: string,
  options: DocumentOptions<S>,
): ExaminedDocument<z.output<S>> {
  const {
    file,
    variableAt,
    schema,
    expand = (written) => ({ text: written }),
    isExact = () => false,
    isSecret = () => false,
    takesAnyName = false,
    knownProblems = [],
    limits,
    parsed = parseYaml(text, limits),
  } = options
  const { contents, lines, mistakes } = parsed
  const problemAt = (offset: number, problem: string): FileProblem => {
    const position = positionOf(offset)
    if (variableAt === undefined) return { file, ...position, text: problem }
    return { file: variableAt(position.line), line: position.line, column: 0, text: problem }
  }
  refuseProblems(mistakes.map((mistake) => problemAt(mistake.offset, mistake.text)))
  if (contents === null || (isScalar(contents) && contents.value === null)) {
    refuseProblems([problemAt(0, 'the file is empty, expected a mapping')])
  }

  const problemsByPath = new Map<string, FileProblem>()
  const report = (path: NodePath, offset: number, problem: string) => {
    const id = JSON.stringify(path)
    if (!problemsByPath.has(id)) problemsByPath.set(id, problemAt(offset, problem)) // The first problem at a path explains the rest.
  }
  const { value, targets, protos } = nodeValues(contents, {
    expand,
    isExact,
    report,
    lineOf: (offset) => positionOf(offset).line,
  })
  const nodeAt = (path: NodePath) => locate(contents, targets, path)
  const offsetOf = (path: NodePath, where: 'key' | 'value') => offsetIn(nearestPosition(path, nodeAt), where)

  const around = { nodeAt, isSecret, valueAt: (path: NodePath) => valueAt(value, path) }
  const omittedPaths: NodePath[] = []
  let reduced: Reduction | undefined = { value, original: (path) => path }
  let decoded = decode(schema, value)
  for (let round = 0; decoded.misfits.length > 0; round++) {
    const { original } = reduced
    const faults = [...findingsIn(decoded.misfits, around, original).take(mostProblems)]
    // What is missing because a faulty part was left out does not count as a fault.
    if (round === 0) {
      for (const { path, where, text } of faults) report(path, offsetOf(path, where), text)
    }
    omittedPaths.push(...faults.map(({ path }) => ownerOf(path, omittedPaths)))
    reduced = round < mostRounds && omittedPaths.length < mostProblems ? leaveOut(value, omittedPaths) : undefined
    if (reduced === undefined) break
    decoded = decode(schema, reduced.value)
  }
  // A schema drops such a member from a mapping of free names, unseen and unchecked.
  if (!takesAnyName) for (const { path, offset } of protos) report(path, offset, 'the name `__proto__` is reserved')
  const problems = [...knownProblems, ...problemsByPath.values()]
  if (reduced === undefined) return { document: undefined, problems, faults: [] }
  const { original } = reduced
  const document: ReadDocument<z.output<S>> = {
    value: decoded.value,
    at: (path, where = 'value') => positionOf(offsetOf(original(path), where)),
    problem: (path, problem, where = 'value') => problemAt(offsetOf(original(path), where), problem),
    problemWithin: (path, offset, problem) => {
      const position = nodeAt(original(path))
      const start = () => offsetOf(original(path), 'value')
      return problemAt(
        position === undefined ? start() : (offsetWithin(text, position.node, offset) ?? start()),
        problem,
      )
    },
    written: (path) => {
      const node = nodeAt(original(path))?.node
      return isScalar(node) && typeof node.value === 'string' ? node.value : undefined
    },
    omittedPaths,
  }
  return { document, problems, faults: [...faultsIn(decoded.issues, document).take(mostProblems)] }

  function positionOf(offset: number) {
    const { line, col } = lines.linePos(offset)
    return { line: Math.max(line, 1), column: Math.max(col, 1) }
  }
}

interface DecodeResult<T> {
  /** Of the schema's type, unless there are misfits. */
  readonly value: T
  readonly issues: readonly core.$ZodIssue[]
  /** Issues of the shape. */
  readonly misfits: readonly core.$ZodIssue[]
}

/** As `safeParse`, which has no value where a check found a fault. */
function decode<S extends z.ZodType>(schema: S, input: unknown): DecodeResult<z.output<S>> {
  const context = { async: false, error: expectationOfIssue } as const
  const run = schema._zod.run({ value: input, issues: [] }, context)
  if (run instanceof Promise) throw new Error('a schema of a file is checked in one go')
  const issues = run.issues.map((issue) => core.util.finalizeIssue(issue, context, core.config()))
  // as: without misfits, zod has decoded it.
  return { value: run.value as z.output<S>, issues, misfits: issues.filter((issue) => faultOf(issue) === undefined) }
}

/** What checks found, in their sentences. */
function* faultsIn(issues: readonly core.$ZodIssue[], document: ReadDocument<unknown>): Generator<FileProblem> {
  for (const issue of issues) {
    const fault = faultOf(issue)
    if (fault === undefined || document.omittedPaths.some((path) => fault.mayBeDueTo?.(path))) continue
    const path = pathOf(issue)
    const from = path.slice(0, path.length - fault.path.length)
    const text = fault.say({
      at: (other) => document.problem([...from, ...other], ''),
      written: (other) => document.written([...from, ...other]),
    })
    if (text === undefined) continue
    if (fault.offset === undefined) yield document.problem(path, text, fault.where)
    else yield document.problemWithin(path, fault.offset, text)
  }
}

/** A value without its faulty parts. */
interface Reduction {
  readonly value: unknown
  /** The path in the file of a path in the value: entries that were left out make the others move up. */
  original(path: NodePath): NodePath
}

/**
 * Leaves parts out of a value. A part that is not there is missing: then its parent goes. Paths are those of the file.
 * Returns undefined where nothing would be left.
 */
export function leaveOut(value: unknown, paths: readonly NodePath[]): Reduction | undefined {
  const root = treeOf(paths.map((path) => nearestThere(value, path)))
  if (root.isOut) return undefined
  const moved = new Map<string, readonly number[]>()
  const reduced = reduce(value, root, [], moved)
  return {
    value: reduced,
    original(path) {
      const originalPath: (string | number)[] = []
      for (const [at, step] of path.entries()) {
        const movedTo = typeof step === 'number' ? moved.get(JSON.stringify(path.slice(0, at))) : undefined
        originalPath.push(typeof step === 'number' ? (movedTo?.[step] ?? step) : step)
      }
      return originalPath
    },
  }
}

function offsetIn(position: NodePosition | undefined, where: 'key' | 'value'): number {
  return (where === 'key' ? position?.keyOffset : position?.valueOffset) ?? 0
}

function nearestPosition(
  path: NodePath,
  nodeAt: (path: NodePath) => NodePosition | undefined,
): NodePosition | undefined {
  for (let length = path.length; length > 0; length--) {
    const position = nodeAt(path.slice(0, length))
    // A missing member belongs to its parent's content, for `key` as for `value`.
    if (position !== undefined)
      return length === path.length ? position : { ...position, keyOffset: position.valueOffset }
  }
  return nodeAt([])
}

function valueAt(value: unknown, path: NodePath): unknown {
  let current = value
  for (const step of path) {
    if (typeof current !== 'object' || current === null) return undefined
    current = Object.getOwnPropertyDescriptor(current, step)?.value
  }
  return current
}

/** Findings with paths in the file. */
function* findingsIn(
  issues: readonly core.$ZodIssue[],
  around: FileView,
  original: Reduction['original'],
): Generator<SchemaIssue> {
  for (const issue of issues) {
    for (const finding of describeIssue({ ...issue, path: [...original(pathOf(issue))] }, around)) yield finding
  }
}

function pathOf({ path }: core.$ZodIssue): NodePath {
  return path.map((step) => (typeof step === 'symbol' ? String(step) : step))
}

/** What was left out is missing now: then the fault is its owner's. */
function ownerOf(path: NodePath, omittedPaths: readonly NodePath[]): NodePath {
  const isOut = omittedPaths.some(
    (other) => other.length === path.length && other.every((step, at) => step === path[at]),
  )
  return isOut && path.length > 0 ? ownerOf(path.slice(0, -1), omittedPaths) : path
}

interface Tree {
  isOut: boolean
  readonly below: Map<string | number, Tree>
}

function treeOf(paths: readonly NodePath[]): Tree {
  const root: Tree = { isOut: false, below: new Map() }
  for (const path of paths) {
    let tree = root
    for (const step of path) {
      const next = tree.below.get(step) ?? { isOut: false, below: new Map() }
      tree.below.set(step, next)
      tree = next
    }
    tree.isOut = true
  }
  return root
}

/** The path itself, or that of the object in which its end is missing. */
function nearestThere(value: unknown, path: NodePath): NodePath {
  let here = value
  for (const [at, step] of path.entries()) {
    if (typeof here !== 'object' || here === null || !Object.hasOwn(here, step)) return path.slice(0, at)
    here = Object.getOwnPropertyDescriptor(here, step)?.value
  }
  return path
}

function reduce(value: unknown, tree: Tree, path: NodePath, moved: Map<string, readonly number[]>): unknown {
  if (tree.below.size === 0 || typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).filter(([name]) => childOf(tree, name, value)?.isOut !== true)
  if (Array.isArray(value))
    moved.set(
      JSON.stringify(path),
      entries.map(([index]) => Number(index)),
    )
  const members = entries.map(([name, member], index) => {
    const child = childOf(tree, name, value)
    const step = Array.isArray(value) ? index : name
    return [name, child === undefined ? member : reduce(member, child, [...path, step], moved)] as const
  })
  return Array.isArray(value) ? members.map(([, member]) => member) : Object.fromEntries(members)
}

function childOf({ below }: Tree, name: string, owner: object): Tree | undefined {
  return below.get(Array.isArray(owner) ? Number(name) : name)
}
