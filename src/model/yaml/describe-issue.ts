import { isScalar, isSeq } from 'yaml'
import type { core } from 'zod'
import { nearestName } from '../text/nearest-name.ts'
import { describeName, describeNode, isSecretPath, kindOf } from './describe-value.ts'
import type { NodePath, NodePosition } from './node-values.ts'

/** A schema's complaint in plain words, and the path that it concerns. */
export interface SchemaIssue {
  readonly path: NodePath
  readonly where: 'key' | 'value'
  readonly text: string
}

export interface FileView {
  readonly nodeAt: (path: NodePath) => NodePosition | undefined
  /** The expanded value at a path; used only to see whether it is empty. */
  readonly valueAt: (path: NodePath) => unknown
  readonly isSecret: (path: NodePath) => boolean
}

/**
 * Given to zod for one parse, so that every issue's message says what was expected. The schema is known only here; for
 * unknown keys the message carries the known ones.
 */
export function expectationOfIssue(issue: core.$ZodRawIssue): string {
  const schema = issue.schema ?? issue.inst
  const owner = schema !== undefined && 'def' in schema._zod && 'type' in schema._zod.def ? schema : undefined
  if (issue.code === 'unrecognized_keys') return Object.keys(shapeOf(owner)).join('\n')
  if (issue.code === 'invalid_union' && Array.isArray(issue.options)) return oneOf(issue.options)
  // A schema has a `type` and a check does not; zod's types don't distinguish them.
  return owner === undefined ? 'another value' : expectationOf(owner as core.$ZodType)
}

/** One issue can contain several findings: each unknown key, or all mistakes in the intended branch of a union. */
export function* describeIssue(issue: core.$ZodIssue, around: FileView, prefix: NodePath = []): Generator<SchemaIssue> {
  const path = [...prefix, ...issue.path.map((step) => (typeof step === 'symbol' ? String(step) : step))]
  if (issue.code === 'unrecognized_keys') {
    for (const key of issue.keys) yield { path: [...path, key], where: 'key', text: unknownKey(key, issue.message) }
    return
  }
  if (issue.code === 'invalid_key') {
    yield {
      path,
      where: 'key',
      text: `the name ${describeName(String(path.at(-1)))} does not fit, expected ${issue.issues[0]?.message}`,
    }
    return
  }
  const meant = issue.code === 'invalid_union' ? branchMeant(issue.errors) : undefined
  if (meant !== undefined) {
    for (const inner of meant) yield* describeIssue(inner, around, path)
    return
  }
  yield { path, where: 'value', text: unfitValue(path, issue, around) }
}

/** `` `a`, `b` or `c` `` */
export function oneOf(values: readonly unknown[]): string {
  const quoted = values.map((value) => `\`${String(value)}\``)
  const last = quoted.pop() ?? 'nothing'
  return quoted.length === 0 ? last : `${quoted.join(', ')} or ${last}`
}

function shapeOf(schema: unknown): object {
  const { shape } = (schema as { _zod: { def: { shape?: object } } } | undefined)?._zod.def ?? {}
  return shape ?? {}
}

/**
 * What a schema expects, in words that follow "expected". The `error` of a schema or of one of its checks is used as
 * those words, so a schema with a pattern says `z.string().regex(…, { error: 'a duration such as 5s' })`.
 */
function expectationOf(schema: core.SomeType): string {
  // zod's union of its own schemas, distinguished by `def.type`; SomeType is its wider public name.
  const { def } = (schema as core.$ZodTypes)._zod
  const message = [def, ...checksOf(def)].map(customMessage).find((words) => words !== undefined)
  if (message !== undefined) return message
  switch (def.type) {
    case 'string':
      return isFilled(def) ? 'text that is not empty' : 'text'
    case 'number':
      return `${isWhole(def) ? 'a whole number' : 'a number'}${rangeOf(def)}`
    case 'boolean':
      return 'true or false'
    case 'null':
      return 'nothing'
    case 'enum':
      return oneOf(Object.values(def.entries))
    case 'literal':
      return oneOf(def.values)
    case 'array':
      return isFilled(def) ? 'a list that is not empty' : 'a list'
    case 'object':
    case 'record':
      return 'a mapping'
    case 'union':
      return [...new Set(def.options.map(expectationOf))].join(', or ')
    case 'optional':
    case 'nullable':
    case 'nonoptional':
    case 'default':
    case 'prefault':
    case 'catch':
    case 'readonly':
      return expectationOf(def.innerType)
    case 'pipe':
      return expectationOf(def.in._zod.def.type === 'transform' ? def.out : def.in)
    case 'lazy':
      return expectationOf(def.getter())
    default:
      return 'another value'
  }
}

function checksOf(def: core.$ZodTypeDef): readonly core.$ZodChecks['_zod']['def'][] {
  return (def.checks ?? []).map((check) => (check as core.$ZodChecks)._zod.def)
}

/** These words don't depend on an issue, so none is passed. */
function customMessage({ error }: { error?: unknown }): string | undefined {
  const words: unknown = typeof error === 'function' ? error({}) : undefined
  return typeof words === 'string' ? words : undefined
}

function isFilled(def: core.$ZodTypeDef): boolean {
  return checksOf(def).some(
    (check) => (check.check === 'min_length' || check.check === 'length_equals') && atLeast(check) > 0,
  )
}

function atLeast(check: core.$ZodCheckMinLengthDef | core.$ZodCheckLengthEqualsDef): number {
  return check.check === 'min_length' ? check.minimum : check.length
}

function isWhole(def: core.$ZodNumberDef): boolean {
  const formats = checksOf(def).flatMap((check) => (check.check === 'number_format' ? [check.format] : []))
  return [...formats, 'format' in def ? String(def.format) : ''].some((format) => format.includes('int'))
}

interface ValueBound {
  readonly value: number
  readonly isOpen: boolean
}

/** An exclusive bound of a whole number is written as the next number. */
function rangeOf(def: core.$ZodNumberDef): string {
  const step = isWhole(def) ? 1 : 0
  let least: ValueBound | undefined
  let most: ValueBound | undefined
  for (const check of checksOf(def)) {
    if (check.check !== 'greater_than' && check.check !== 'less_than') continue
    const isLower = check.check === 'greater_than'
    const shift = check.inclusive ? 0 : step
    const bound = { value: Number(check.value) + (isLower ? shift : -shift), isOpen: !check.inclusive && step === 0 }
    if (isLower) least = bound
    else most = bound
  }
  if (least !== undefined && most !== undefined && !least.isOpen && !most.isOpen) {
    return ` from ${least.value} to ${most.value}`
  }
  const lower = least === undefined ? [] : [`${least.isOpen ? 'above' : 'of at least'} ${least.value}`]
  const upper = most === undefined ? [] : [`${most.isOpen ? 'below' : 'of at most'} ${most.value}`]
  return [...lower, ...upper].length === 0 ? '' : ` ${[...lower, ...upper].join(' and ')}`
}

/** Longer lists of what is expected say nothing. */
const mostNamed = 40

function unknownKey(key: string, knownKeys: string): string {
  const names = knownKeys.split('\n').filter((name) => name !== '')
  const nearest = nearestName(key, names)
  if (nearest !== undefined) return `${describeName(key)} is unknown, did you mean \`${nearest}\`?`
  const hint = key.includes(':') ? '; check for a missing space after the colon' : ''
  const expected =
    names.length > mostNamed ? `one of ${names.length} names such as ${oneOf(names.slice(0, 2))}` : oneOf(names)
  return `${describeName(key)} is unknown, expected ${names.length === 0 ? 'no members' : expected}${hint}`
}

/** The branch whose own type fits; of several, the one with the fewest mistakes. */
function branchMeant(branches: readonly (readonly core.$ZodIssue[])[]): readonly core.$ZodIssue[] | undefined {
  return branches.filter((issues) => issues.every(isWithin)).toSorted((a, b) => a.length - b.length)[0]
}

/** Whether the value is of the type that was expected, and what is wrong is in it: a member, or how many there are. */
function isWithin(issue: core.$ZodIssue): boolean {
  if (issue.path.length > 0 || issue.code === 'unrecognized_keys') return true
  return (issue.code === 'too_big' || issue.code === 'too_small') && issue.origin === 'array'
}

function unfitValue(path: NodePath, issue: core.$ZodIssue, around: FileView): string {
  const label = labelOf(path)
  const position = around.nodeAt(path)
  if (position === undefined) return `${label} is missing, expected ${issue.message}`
  if (issue.code === 'too_big' && issue.origin === 'array' && isSeq(position.node)) {
    return `${label} has ${position.node.items.length} entries, the limit is ${issue.maximum}: remove some or split the list`
  }
  if (issue.code === 'too_big' && issue.origin === 'string') {
    return `${label} has more than ${issue.maximum} characters, the limit: shorten it`
  }
  const kind = kindOf(position.node)
  if (kind === 'a text' && around.valueAt(path) === '') {
    return `${label} is empty once ${referencesIn(position.node)} filled in, expected ${issue.message}`
  }
  const isValue = ['a text', 'a number', 'true or false'].includes(kind)
  if (isValue && (around.isSecret(path) || isSecretPath(path))) {
    return `${label} has a value that does not fit (not shown), expected ${issue.message}`
  }
  const description = describeNode(position.node, path)
  const needsQuotes = issue.code === 'invalid_type' && issue.expected === 'string' && kind !== 'a text'
  const hint = needsQuotes && isValue && description !== kind ? ' (in quotes)' : ''
  return `${label} is ${description}, expected ${issue.message}${hint}${suggestValue(position.node, issue.message)}`
}

/** `concurrency`, `projects[1]`: the position shows the rest. */
function labelOf(path: NodePath): string {
  const start = path.findLastIndex((step) => typeof step === 'string')
  if (start < 0) return path.length === 0 ? 'the file' : `the file's entry ${path.map((step) => `[${step}]`).join('')}`
  const [name, ...indices] = path.slice(start)
  const label = describeName(String(name)).replaceAll('`', '')
  return `${label}${indices.map((index) => `[${index}]`).join('')}`
}

/** Names of variables and paths of files are not secret; the text around them may be. */
function referencesIn(node: unknown): string {
  const written = isScalar(node) && typeof node.value === 'string' ? node.value : ''
  const names = [...written.matchAll(/\$\{(?:file:[^}]{1,200}|[A-Za-z_]\w*)/g)].map(([name]) => `\`${name}}\``)
  return names.length === 0 ? 'its references are' : `${names.join(', ')} ${names.length === 1 ? 'is' : 'are'}`
}

/** Which of the values that a message names was probably meant. */
function suggestValue(node: unknown, expected: string): string {
  if (!isScalar(node) || typeof node.value !== 'string' || expected.includes('did you mean')) return ''
  const names = expected.split('`').filter((_, at) => at % 2 === 1)
  const nearest = nearestName(node.value, names)
  return nearest === undefined || nearest === node.value ? '' : `; did you mean \`${nearest}\`?`
}
