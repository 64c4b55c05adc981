import { canonicalJson } from '../model/canonical-json.ts'
import { displayJson, isExactNumber, numberText } from '../model/exact-number.ts'
import { isJsonObject, type Json, type JsonObject } from '../model/json.ts'
import { findsPattern, patternFault } from './expressions.ts'

/*
 * How the gateway decides whether an event passes a filter: `pkg/flatten`, `pkg/compare` and
 * `worker/task/process_event_creation.go`. Filters look like those of MongoDB, and differ:
 *
 * - Filter and event are flattened: `a.b` is `b` within `a`. Objects are not values; an empty one is. A list of scalars
 *   is a value, a list of objects has members `a.0.b`.
 * - A condition on a field that the event lacks is skipped. A part of which everything was skipped does not match.
 *   `$or`, `$and` and fields with `$.` (a member of a list) are never skipped: without the field they do not match.
 * - The branches of `$or` and `$and` are filters of their own, and all are evaluated.
 * - What is an error for one filter ends the matching of the event, for all subscriptions. A panic is an error too.
 * - Of headers, query and path every value is a text. `$.` never matches there. A path has one field, `path`. Names of
 *   headers are canonical (`X-Region`) where an http source took the request; only there are a query and a path.
 * - Numbers are doubles. `$eq $neq $gt $gte $lt $lte` and a bare value take a text with a number for one; `$in` and
 *   `$nin` do not.
 *
 * Two things are left out: an event may have a field that is named like an operator, such as `$gt`; and a list that
 * begins with a value may hold null, which a bare null matches.
 */

export const filterParts = ['body', 'headers', 'query', 'path'] as const
export type FilterPart = (typeof filterParts)[number]

/** Where events come from; `other`: the API or a queue. */
export type EventOrigin = 'http' | 'other'

/** What is certain about a part of a filter. Without either member, events may match. */
interface FilterVerdict {
  /** Why no event matches. */
  readonly never?: string
  /** Why it is an error, for every event or for every one that has some field. */
  readonly fails?: string
}

/** `origin`: where it is known; `moreOperators`: besides the usual ones, with a meaning that is not known. */
interface FilterContext {
  readonly origin?: EventOrigin | undefined
  readonly moreOperators?: readonly string[]
}

export function verdictOn(part: FilterPart, filter: JsonObject, context: FilterContext): FilterVerdict {
  const branch = flattened(filter)
  if (isEmpty(branch)) return canMatch
  const selector = [...branch.fields.keys()].find((name) => name.split('.').includes('$'))
  if (part !== 'body' && selector !== undefined) return { never: `\`${selector}\`: \`$\` never matches in ${part}` }
  if (part === 'query' && context.origin === 'other') return { never: 'only events of http sources have a query' }
  const { never, fails } = new FilterReader(part, context).read(branch, new Map())
  // A query is compared only where there is one.
  return { ...(never && { never }), ...(fails && (part !== 'query' || context.origin === 'http') && { fails }) }
}

/**
 * Fields of which one is enough: an event that has no other field of the filter passes by its condition alone. None
 * where something is never skipped.
 */
export function sufficientFields(part: FilterPart, filter: JsonObject, context: FilterContext): readonly string[] {
  const { fields, choices } = flattened(filter)
  if (choices.length > 0 || [...fields.keys()].some((name) => name.includes('$.'))) return []
  const reader = new FilterReader(part, context)
  return [...fields].flatMap(([name, own]) => (reader.readField(name, own, own).never === undefined ? [name] : []))
}

/** What becomes of one event: of its body, or of another part, whose values are texts. An empty filter lets all through. */
export function outcomeOf(part: FilterPart, filter: JsonObject, event: Json): Outcome {
  const branch = flattened(filter)
  if (isEmpty(branch)) return true
  const values = new Map([...flattened(event).fields].map(([name, [condition]]) => [name, condition?.[1] ?? null]))
  // Names of groups change nothing, and Go takes one twice.
  const finds = (pattern: string, text: string) => findsPattern(pattern.replaceAll(/\(\?P?<\w{1,400}>/g, '('), text)
  return new FilterReader(part, {}, finds).outcomeOf(branch, values)
}

/** `$.` steps into a list. */
export function isOperator(key: string): boolean {
  return key.startsWith('$') && !key.startsWith('$.')
}

/** `''`: a bare value. */
type Condition = readonly [operator: string, operand: Json]

interface Branch {
  readonly fields: Map<string, Condition[]>
  readonly choices: { readonly operator: string; readonly branches: readonly Branch[] }[]
  /** What is an error for every event. */
  readonly faults: string[]
}

type Fields = ReadonlyMap<string, readonly Condition[]>

const canMatch: FilterVerdict = {}
const operators = '$eq $neq $gt $gte $lt $lte $in $nin $regex $exist $or $and'.split(' ')

/** Filters are a few levels deep and have few conditions for a field; what goes beyond is not evaluated. */
const deepest = 16
const mostOperands = 200
const longestOperand = 400

function flattened(value: Json, depth = deepest): Branch {
  const branch: Branch = { fields: new Map(), choices: [], faults: [] }
  flattenInto(branch, '', value, depth)
  return branch
}

function flattenInto(branch: Branch, prefix: string, value: Json, depth: number): void {
  if (!isJsonObject(value)) {
    if (Array.isArray(value) && !isValue(value)) {
      for (const [index, member] of value.entries()) {
        if (isJsonObject(member)) flattenInto(branch, joined(prefix, String(index)), member, depth - 1)
      }
    } else if (prefix !== '') addField(branch, prefix, ['', value])
    return
  }
  if (depth === 0) {
    // What is too deep may ask for anything.
    addField(branch, joined(prefix, '…'), ['$exist', true])
    return
  }
  const entries = Object.entries(value)
  if (entries.length === 0 && prefix !== '') addField(branch, prefix, ['', value])
  for (const [key, operand] of entries) {
    if (!isOperator(key)) {
      if (joined(prefix, key) === '' && isJsonObject(operand) && Object.keys(operand).length === 0) {
        branch.faults.push('a field has no name')
      }
      flattenInto(branch, joined(prefix, key), operand, depth - 1)
      continue
    }
    const isChoice = key === '$or' || key === '$and'
    if (prefix !== '' || !isChoice) addField(branch, prefix || key, [prefix === '' ? '' : key, operand])
    else if (Array.isArray(operand)) {
      branch.choices.push({ operator: key, branches: operand.map((one) => flattened(one, depth - 1)) })
    } else branch.faults.push(`\`${key}\` requires a list`)
  }
}

function joined(prefix: string, key: string): string {
  return prefix === '' ? key : `${prefix}.${key}`
}

/** Whether a list is compared as it is: its first member decides. */
function isValue([first]: readonly Json[]): boolean {
  return first === undefined || (first !== null && typeof first !== 'object')
}

function addField({ fields, faults }: Branch, name: string, condition: Condition): void {
  const known = fields.get(name)
  if (known === undefined) fields.set(name, [condition])
  // Written twice, and only one of the two counts.
  else if ([...known, condition].some(([one]) => one === '') || known.some(([one]) => one === condition[0]))
    fields.set(name, [['$exist', true]])
  else known.push(condition)
  if (name.endsWith('.$')) faults.push(`\`${name}\` ends with \`.$\``)
  if (name.split('$.').length > 4) faults.push(`\`${name}\` has more than three \`$.\``)
}

function isEmpty({ fields, choices, faults }: Branch): boolean {
  return fields.size + choices.length + faults.length === 0
}

/** Whether a branch consists of fields alone, which an empty object lacks. */
function isSkipped({ fields, choices }: Branch): boolean {
  return fields.size > 0 && choices.length === 0
}

/** Reads one part of a filter. */
class FilterReader {
  readonly #part: FilterPart
  readonly #origin: EventOrigin | undefined
  readonly #moreOperators: readonly string[]
  readonly #finds: (pattern: string, text: string) => boolean

  /** By itself, which texts an expression finds does not matter: there are some. */
  constructor(
    part: FilterPart,
    { origin, moreOperators = [] }: FilterContext,
    finds = (_: string, __: string) => true,
  ) {
    this.#finds = finds
    this.#part = part
    this.#origin = origin
    this.#moreOperators = moreOperators
  }

  /** `above`: conditions that hold besides those of the branch, where their field is there. */
  read(branch: Branch, above: Fields): FilterVerdict {
    const [fault] = branch.faults
    if (fault !== undefined) return { never: fault, fails: fault }
    if (isEmpty(branch)) return canMatch
    const all = gather(branch, new Map(above))
    const fields = [...branch.fields].map(([name, own]) => this.readField(name, own, all.get(name) ?? own))
    const choices = branch.choices.map(({ operator, branches }) => this.#readChoice(operator, branches, all))
    const needed = [...choices, ...fields.filter((_, index) => [...branch.fields.keys()][index]?.includes('$.'))]
    const isSkippable = needed.length === 0 && fields.some(({ never }) => never === undefined)
    const never = isSkippable ? undefined : (needed.length > 0 ? needed : fields).find((one) => one.never !== undefined)
    const fails = [...fields, ...choices].find((one) => one.fails !== undefined)
    return { ...(never?.never && { never: never.never }), ...(fails?.fails && { fails: fails.fails }) }
  }

  /** Of an event with these fields. */
  outcomeOf({ fields, choices, faults }: Branch, event: ReadonlyMap<string, Json>): Outcome {
    if (faults.length > 0) return 'error'
    const ofFields = [...fields].flatMap(([name, conditions]): Outcome[] => {
      if (!name.includes('$.')) {
        const value = event.get(name)
        return value === undefined ? [] : [this.#outcome(conditions, value)]
      }
      const members = [...event].filter(([field]) => field.replaceAll(/(?<=^|\.)\d{1,9}(?=\.)/g, '$') === name)
      return [anyOf(members.map(([, value]) => this.#outcome(conditions, value)))]
    })
    const ofChoices = choices.map(({ operator, branches }) => {
      const outcomes = branches.map((one) => isEmpty(one) || this.outcomeOf(one, event))
      return operator === '$or' ? anyOf(outcomes) : allOf([true, ...outcomes])
    })
    return allOf([...ofFields, ...ofChoices])
  }

  #readChoice(operator: string, branches: readonly Branch[], above: Fields): FilterVerdict {
    if (operator === '$or' && branches.length === 0) return { never: '`$or` is empty, so nothing matches' }
    const read = branches.map((branch) => this.read(branch, above))
    const dead = read.filter(({ never }) => never !== undefined)
    const fails = read.find((one) => one.fails !== undefined)?.fails
    const isDead = operator === '$or' ? dead.length === read.length : dead.length > 0
    const never = operator === '$or' ? `no branch of \`$or\` can match: ${dead[0]?.never}` : dead[0]?.never
    return { ...(isDead && never && { never: fails ?? never }), ...(fails && { fails }) }
  }

  /** `all`: its own conditions, and others that hold where it is there. */
  readField(name: string, own: readonly Condition[], all: readonly Condition[]): FilterVerdict {
    const nameFault = this.#nameFault(name)
    if (nameFault !== undefined) return { never: nameFault }
    // Of members of a list, one may satisfy one condition, and another the next.
    const conditions = name.includes('$.') ? own : all
    const operands = conditions.flatMap(([, operand]) => operand)
    if (operands.length > mostOperands || operands.some(isUnsure)) return canMatch
    const outcomesOf = (some: readonly Condition[]) => {
      // An object that is not empty is not a value, and an empty one is rare.
      const isCommon = (value: Json, outcome: Outcome) => outcome === true || !isJsonObject(value)
      return this.#candidates(some).flatMap((value) => {
        const outcome = this.#outcome(some, value)
        return isCommon(value, outcome) ? [outcome] : []
      })
    }
    if (outcomesOf(conditions).includes(true)) return canMatch
    const why = this.#reason(name, conditions)
    return outcomesOf(own).every((outcome) => outcome === 'error') ? { never: why, fails: why } : { never: why }
  }

  /** Why no event has a field of this name. */
  #nameFault(name: string): string | undefined {
    if (isOperator(name)) return operators.includes(name) ? `\`${name}\` has no field` : `unknown operator \`${name}\``
    if (this.#part === 'path' && name !== 'path') return `a path has no field \`${name}\`, only \`path\``
    if (this.#part !== 'headers' || this.#origin !== 'http') return undefined
    const canonical = canonicalHeader(name)
    if (name === 'Host') return 'the header `Host` never arrives'
    return name === canonical ? undefined : `the header \`${name}\` never arrives: it is \`${canonical}\` there`
  }

  /** Values among which there is one that satisfies the conditions, if any does. */
  #candidates(conditions: readonly Condition[]): readonly Json[] {
    if (this.#part === 'path' && this.#origin === 'other') return ['']
    const operands = conditions.flatMap(([, operand]) => [operand, ...listOf(operand)])
    const scalars = operands.map(double).filter((one) => typeof one !== 'object' || one === null)
    const bounds = [...scalars.flatMap((one) => numberOf(one) ?? []), 0].sort((a, b) => a - b)
    const between = bounds.flatMap((bound, index) => [bound, bound / 2 + (bounds[index + 1] ?? bound) / 2])
    const numbers = [-Number.MAX_VALUE, ...bounds.flatMap((n) => [n - 1, n + 1]), ...between, Number.MAX_VALUE]
    const texts = [...numbers.filter(Number.isFinite).map(String), '~', '', 'NaN', 'Inf', '-Inf']
    const all = [...scalars, ...numbers.filter(Number.isFinite), ...texts]
    if (this.#part !== 'body') return all.filter((one) => typeof one === 'string')
    const members = scalars.filter((one) => one !== null)
    const lists = operands.filter((one) => Array.isArray(one) && isValue(one))
    return [...all, true, false, null, {}, [], ['~', ...members], ['~~', ...members], ...lists]
  }

  #outcome(conditions: readonly Condition[], value: Json): Outcome {
    const outcomes = conditions.map(([operator, operand]) => this.#holds(operator, operand, value))
    if (outcomes.includes('error')) return 'error'
    return !outcomes.includes(false) && outcomes.includes(true)
  }

  #holds(operator: string, operand: Json, value: Json): Outcome | 'skipped' {
    switch (operator) {
      case '':
        if (value === null || isJsonObject(operand)) return 'skipped'
        return Array.isArray(value) ? isIn(value, operand) : isEqual(value, operand)
      case '$eq':
      case '$neq':
        return isEqual(value, operand) === (operator === '$eq')
      case '$gt':
      case '$lte': {
        const [one, other] = [numberOf(value), numberOf(operand)]
        return one === undefined || other === undefined ? 'error' : one > other === (operator === '$gt')
      }
      case '$gte':
      case '$lt':
        return (numberOf(value) ?? Number.NaN) >= (numberOf(operand) ?? Number.NaN) === (operator === '$gte')
      case '$in':
      case '$nin': {
        const found = isIn(value, operand)
        return found === 'error' ? found : found === (operator === '$in')
      }
      case '$or':
      case '$and': {
        if (!isJsonObject(value) || !Array.isArray(operand)) return 'error'
        const passes = operand.map((one) => !isSkipped(flattened(one)))
        return operator === '$and' ? !passes.includes(false) : passes.includes(true)
      }
      case '$exist':
        return typeof operand === 'boolean' ? operand : 'error'
      case '$regex':
        if (typeof value !== 'string' || typeof operand !== 'string' || regexFault(operand) !== undefined)
          return 'error'
        return this.#finds(operand, value)
      default:
        return this.#moreOperators.includes(operator) ? true : 'error'
    }
  }

  /** Why no value of a field does. */
  #reason(name: string, conditions: readonly Condition[]): string {
    for (const [operator, operand] of conditions) {
      const what = `\`${operator}\` of \`${name}\``
      if (operator === '$or' || operator === '$and') return `${what} belongs above the field`
      if (operator === '' && (typeof operand === 'object' || operand === null)) {
        const value = displayJson(operand)
        return `\`${name}\` is compared with ${value}, ${operand === null ? 'which only a null within a list matches' : 'which nothing matches'}`
      }
      if (operator === '$exist' && typeof operand !== 'boolean') return `${what} requires true or false`
      if (operator === '$exist' && !operand) return `${what} is false: conditions on absent fields are skipped`
      if (/^\$(?:gte?|lte)$/.test(operator) && numberOf(operand) === undefined) return `${what} requires a number`
      if (operator === '$in' && !Array.isArray(operand)) return `${what} requires a list`
      if (operator === '$in' && listOf(operand).length === 0) return `${what} is empty, so nothing matches`
      const fault = operator === '$regex' ? regexFault(operand) : undefined
      if (fault !== undefined) return `${what} does not compile: ${fault}`
      if (operator !== '' && !operators.includes(operator) && !this.#moreOperators.includes(operator))
        return `unknown operator \`${operator}\``
    }
    return `no ${this.#part === 'body' ? 'value' : 'text'} satisfies the conditions on \`${name}\``
  }
}

type Outcome = boolean | 'error'

function anyOf(outcomes: readonly Outcome[]): Outcome {
  return outcomes.includes('error') ? 'error' : outcomes.includes(true)
}

/** Nothing at all is not a match. */
function allOf(outcomes: readonly Outcome[]): Outcome {
  return outcomes.includes('error') ? 'error' : outcomes.length > 0 && !outcomes.includes(false)
}

/** All conditions that hold where a field is there: those of the branch and of what `$and` adds. */
function gather({ fields, choices }: Branch, into: Map<string, readonly Condition[]>): Fields {
  for (const [name, conditions] of fields) into.set(name, [...(into.get(name) ?? []), ...conditions])
  for (const { operator, branches } of choices) if (operator === '$and') for (const one of branches) gather(one, into)
  return into
}

/** Whether it is not known what an operand is: it is sealed, long, or a number in a form that is not evaluated. */
function isUnsure(operand: Json): boolean {
  return typeof operand === 'string' && (operand.length > longestOperand || /^(?:sealed:|[+-]?0x)/i.test(operand))
}

function listOf(value: Json): readonly Json[] {
  return Array.isArray(value) ? value : []
}

function double(value: Json): Json {
  return isExactNumber(value) ? Number(numberText(value)) : value
}

/** What Go's `strconv.ParseFloat` makes of a value as text. */
function numberOf(value: Json): number | undefined {
  const plain = double(value)
  if (typeof plain !== 'string') return typeof plain === 'number' ? plain : undefined
  if (/^nan$/i.test(plain)) return Number.NaN
  if (/^[+-]?inf(?:inity)?$/i.test(plain)) return plain.startsWith('-') ? -Infinity : Infinity
  const digits = plain.replaceAll(/(?<=\d)_(?=\d)/g, '')
  const number = /^[+-]?(?:\d{1,400}\.?\d{0,400}|\.\d{1,400})(?:e[+-]?\d{1,400})?$/i.test(digits)
    ? Number(digits)
    : undefined
  return Number.isFinite(number) ? number : undefined
}

function isEqual(one: Json, other: Json): boolean {
  const [a, b] = [numberOf(one) ?? one, numberOf(other) ?? other]
  return typeof a === 'object' && typeof b === 'object' ? canonicalJson(a) === canonicalJson(b) : a === b
}

/** A value in the operand's list, or the operand in a value that is a list. */
function isIn(value: Json, operand: Json): Outcome {
  const [list, member] = Array.isArray(operand) ? [operand, value] : [value, operand]
  if (!Array.isArray(list)) return 'error'
  for (const one of list) {
    // Go panics when it compares two lists or two objects.
    if (isContainer(one) && isContainer(member) && Array.isArray(one) === Array.isArray(member)) return 'error'
    if (double(one) === double(member)) return true
  }
  return false
}

function isContainer(value: Json): boolean {
  return typeof value === 'object' && value !== null
}

function regexFault(operand: Json): string | undefined {
  if (typeof operand !== 'string' || isExactNumber(operand)) return 'it is not a string'
  const fault = patternFault(operand)
  // Go takes it, and names both groups.
  return fault?.startsWith('duplicate capture group name') ? undefined : fault
}

/** Go's `textproto.CanonicalMIMEHeaderKey`. */
export function canonicalHeader(name: string): string {
  if (!/^[\w!#$%&'*+.^`|~-]{1,400}$/.test(name)) return name
  return name.toLowerCase().replaceAll(/(?:^|-)[a-z]/g, (start) => start.toUpperCase())
}
