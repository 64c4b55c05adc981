import { isScalar, isSeq } from 'yaml'
import { core, type z } from 'zod'
import { describeIssue, expectationOfIssue, type FileView, type SchemaIssue } from './describe-issue.ts'
import { type Expand, locate, type NodePath, type NodePosition, nodeValues, offsetWithin } from './node-values.ts'
import { type FileLimits, type ParsedYaml, parseYaml } from './parse-yaml.ts'
import { type FileProblem, refuseProblems } from './problem.ts'
import { faultOf } from './value-fault.ts'

/** A file that was read: its decoded value, and the position of each part. */
export interface ReadDocument<T> {
  readonly value: T
  /** Before the schema: references are filled in, and defaults are not. */
  readonly given: unknown
  /** Where a key or its value begins; for a path that is not in the file, where its nearest parent begins. */
  at(path: NodePath, where?: 'key' | 'value'): { readonly line: number; readonly column: number }
  /** A problem found later, at its position. `refuseProblems` throws it, `problemLine` makes a warning of it. */
  problem(path: NodePath, text: string, where?: 'key' | 'value'): FileProblem
  /** A problem within a text, `offset` UTF-16 units into the decoded text. */
  problemWithin(path: NodePath, offset: number, text: string): FileProblem
  /** A text as written, with references unexpanded; undefined if it is not a text or not in the file. */
  written(path: NodePath): string | undefined
  /** Faulty parts that the value does not have; empty for a file without problems. Entries behind those of a list moved up. */
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
  /** The schema of what is left without faulty parts. Default: the same. */
  readonly rest?: z.ZodType<z.output<S>>
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
    rest,
    expand = (written) => ({ text: written }),
    isExact = () => false,
    isSecret = () => false,
    takesAnyName = false,
    knownProblems = [],
    limits,
    parsed = parseYaml(text, limits),
  } = options
  const { contents, lines, mistakes } = parsed
  const problemAt = (offset: number, text: string, path: NodePath = []): FileProblem => {
    const position = positionOf(offset)
    if (variableAt === undefined) return { file, path, ...position, text }
    return { file: variableAt(position.line), path, line: position.line, column: 0, text }
  }
  refuseProblems(mistakes.map(({ offset, text }) => problemAt(offset, text)))
  if (contents === null || (isScalar(contents) && contents.value === null)) {
    refuseProblems([problemAt(0, 'the file is empty, expected a mapping')])
  }

  const problemsByPath = new Map<string, FileProblem>()
  const report = (path: NodePath, offset: number, problem: string) => {
    const id = JSON.stringify(path)
    if (!problemsByPath.has(id)) problemsByPath.set(id, problemAt(offset, problem, path)) // The first problem at a path explains the rest.
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
  let decoded = decode<z.output<S>>(schema, value)
  for (let round = 0; decoded.misfits.length > 0; round++) {
    const faults = [...findingsIn(decoded.misfits, around).take(mostProblems)]
    // What is missing because a faulty part was left out does not count as a fault.
    if (round === 0) {
      for (const { path, where, text } of faults) report(path, offsetOf(path, where), text)
    }
    omittedPaths.push(...faults.map(({ path }) => nearestThere(value, path)))
    const isTooMuch = round === mostRounds || omittedPaths.length >= mostProblems
    if (isTooMuch || (rest === undefined && omittedPaths.some(({ length }) => length === 0))) break
    leaveOut(value, omittedPaths.slice(-faults.length), nodeAt)
    decoded = decode<z.output<S>>(rest ?? schema, value)
  }
  // A schema drops such a member from a mapping of free names, unseen and unchecked.
  if (!takesAnyName) for (const { path, offset } of protos) report(path, offset, 'the name `__proto__` is reserved')
  const problems = [...knownProblems, ...problemsByPath.values()]
  if (decoded.misfits.length > 0) return { document: undefined, problems, faults: [] }
  const document: ReadDocument<z.output<S>> = {
    value: decoded.value,
    given: value,
    at: (path, where = 'value') => positionOf(offsetOf(path, where)),
    problem: (path, problem, where = 'value') => problemAt(offsetOf(path, where), problem, path),
    problemWithin(path, offset, problem) {
      const node = nodeAt(path)?.node ?? null
      return problemAt(offsetWithin(text, node, offset) ?? offsetOf(path, 'value'), problem, path)
    },
    written(path) {
      const node = nodeAt(path)?.node
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
function decode<T>(schema: z.ZodType, input: unknown): DecodeResult<T> {
  const context = { async: false, error: expectationOfIssue } as const
  const run = schema._zod.run({ value: input, issues: [] }, context)
  if (run instanceof Promise) throw new Error('a schema of a file is checked in one go')
  const issues = run.issues.map((issue) => core.util.finalizeIssue(issue, context, core.config()))
  // as: without misfits, zod has decoded it to the output of the schema.
  return { value: run.value as T, issues, misfits: issues.filter((issue) => faultOf(issue) === undefined) }
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

/** Takes parts out of a value. The entries of a list move up, and its nodes with them: a path leads to both. */
function leaveOut(value: unknown, paths: readonly NodePath[], nodeAt: FileView['nodeAt']): void {
  const indices = new Map<unknown[], Set<number>>()
  for (const path of paths.filter(({ length }) => length > 0)) {
    const [owner, node] = [valueAt(value, path.slice(0, -1)), nodeAt(path.slice(0, -1))?.node]
    if (!Array.isArray(owner)) {
      Reflect.deleteProperty(Object(owner), path.at(-1) ?? '')
      continue
    }
    for (const list of [owner, ...(isSeq(node) ? [node.items] : [])]) {
      indices.set(list, (indices.get(list) ?? new Set()).add(Number(path.at(-1))))
    }
  }
  for (const [list, gone] of indices) for (const index of [...gone].sort((a, b) => b - a)) list.splice(index, 1)
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

function* findingsIn(issues: readonly core.$ZodIssue[], around: FileView): Generator<SchemaIssue> {
  for (const issue of issues) yield* describeIssue(issue, around)
}

function pathOf({ path }: core.$ZodIssue): NodePath {
  return path.map((step) => (typeof step === 'symbol' ? String(step) : step))
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
