import { z } from 'zod'
import { canonicalJson } from '../../model/canonical-json.ts'
import { compareNumbers, isExactNumber } from '../../model/exact-number.ts'
import { isJsonObject, type Json, type JsonObject } from '../../model/json.ts'
import type { EventFilter } from '../engine/attributes.ts'
import { filterParts, isOperator } from './delivered-events.ts'

const operators = '$eq $neq $gt $gte $lt $lte $in $nin $regex $exist $or $and'.split(' ')

/** Filters are a few levels deep and have few conditions for a field; what goes beyond is not evaluated. */
const deepest = 16
const mostOperands = 200

type Condition = readonly [operator: string, operand: Json]

/** The option of rules that say whether a filter can match. */
export const knownOperators = z
  .array(z.string())
  .default([])
  .describe('Operators that the service supports besides the usual ones')

export interface FilterFault {
  readonly part: (typeof filterParts)[number]
  readonly fault: string
}

/** The parts of a filter that can match no event, and why. */
export function filterFaults(filter: EventFilter, moreOperators: readonly string[]): readonly FilterFault[] {
  return filterParts.flatMap((part) => {
    const conditions = filter[part]
    const fault = isJsonObject(conditions) ? filterFault(conditions, moreOperators) : undefined
    return fault === undefined ? [] : [{ part, fault }]
  })
}

/**
 * Why a filter can match no event: it is malformed, or what it asks for excludes itself. Only what is certain counts.
 * Filters are MongoDB-like; `a.b` is the same as `b` within `a`. `moreOperators`: besides the usual ones.
 */
function filterFault(filter: JsonObject, moreOperators: readonly string[]): string | undefined {
  return malformationOf(filter, moreOperators, deepest) ?? contradictionIn(filter, deepest)
}

function malformationOf(filter: JsonObject, moreOperators: readonly string[], depth: number): string | undefined {
  if (depth === 0) return undefined
  for (const [key, value] of Object.entries(filter)) {
    const fault = isOperator(key) ? operandFault(key, value, moreOperators) : undefined
    if (fault !== undefined) return fault
    for (const part of [value].flat().filter(isJsonObject)) {
      const within = malformationOf(part, moreOperators, depth - 1)
      if (within !== undefined) return within
    }
  }
  return undefined
}

function operandFault(operator: string, operand: Json, moreOperators: readonly string[]): string | undefined {
  switch (operator) {
    case '$or':
    case '$and':
      return Array.isArray(operand) ? undefined : `\`${operator}\` requires a list`
    case '$exist':
      return typeof operand === 'boolean' ? undefined : '`$exist` requires true or false'
    case '$regex': {
      const isText = typeof operand === 'string' && !isExactNumber(operand)
      const fault = isText ? regExpFault(operand) : 'it is not a string'
      return fault && `\`$regex\` does not compile: ${fault}`
    }
    default:
      return operators.includes(operator) || moreOperators.includes(operator)
        ? undefined
        : `unknown operator \`${operator}\``
  }
}

function contradictionIn(filter: JsonObject, depth: number): string | undefined {
  if (depth === 0) return undefined
  const { fields, choices } = gather(filter, '', depth, { fields: new Map(), choices: [] })
  for (const [field, conditions] of fields) {
    if (conditions.some(([operator, operand]) => operator === '$in' && isEmptyList(operand))) {
      return `\`$in\` of \`${field}\` is empty, so nothing matches`
    }
    // Of members of a list (`items.$.sku`), one may satisfy one condition, and another the next.
    if (conditions.length > 1 && !field.includes('$.') && excludesItself(conditions))
      return `the conditions on \`${field}\` contradict each other`
  }
  for (const branches of choices) {
    const faults = branches.map((branch) => (isJsonObject(branch) ? contradictionIn(branch, depth - 1) : undefined))
    if (branches.length === 0) return '`$or` is empty, so nothing matches'
    if (faults.every((fault) => fault !== undefined)) return `no branch of \`$or\` can match: ${faults[0]}`
  }
  return undefined
}

interface FilterConditions {
  /** All conditions of a field, from operators in one object and from `$and`. */
  readonly fields: Map<string, Condition[]>
  /** The branches of each `$or`. */
  readonly choices: (readonly Json[])[]
}

function gather(filter: JsonObject, prefix: string, depth: number, into: FilterConditions): FilterConditions {
  if (depth === 0) return into
  for (const [key, value] of Object.entries(filter)) {
    if (key === '$or') into.choices.push(listOf(value))
    else if (key === '$and') {
      for (const branch of listOf(value)) if (isJsonObject(branch)) gather(branch, prefix, depth - 1, into)
    } else if (isOperator(key)) {
      const conditions = into.fields.get(prefix)
      if (conditions === undefined) into.fields.set(prefix, [[key, value]])
      else conditions.push([key, value])
    } else if (isJsonObject(value)) gather(value, prefix === '' ? key : `${prefix}.${key}`, depth - 1, into)
    // A bare value is left out: where an event holds a list it asks for a member, and a list may have many.
  }
  return into
}

function listOf(value: Json): readonly Json[] {
  return Array.isArray(value) ? value : []
}

function isEmptyList(value: Json): boolean {
  return Array.isArray(value) && value.length === 0
}

/** Whether no value satisfies all that is asked of one field. */
function excludesItself(conditions: readonly Condition[]): boolean {
  if (conditions.reduce((sum, [, operand]) => sum + 1 + listOf(operand).length, 0) > mostOperands) return false
  if (conditions.some(([operator, operand]) => operator === '$exist' && operand === false)) {
    return conditions.some(([operator, operand]) => (operator === '$exist' ? operand === true : isAboutValue(operator)))
  }
  const candidates = candidatesOf(conditions)
  if (candidates === undefined) return isEmptyRange(conditions)
  return candidates.every((candidate) => conditions.some((condition) => excludes(condition, candidate)))
}

/** Whether it takes a value to satisfy an operator. */
function isAboutValue(operator: string): boolean {
  return ['$eq', '$gt', '$gte', '$lt', '$lte', '$in', '$regex'].includes(operator)
}

/** The only values that can do, where they are named. */
function candidatesOf(conditions: readonly Condition[]): readonly Json[] | undefined {
  const [, equal] = conditions.find(([operator]) => operator === '$eq') ?? []
  if (equal !== undefined) return [equal]
  const [, listed] = conditions.find(([operator, operand]) => operator === '$in' && Array.isArray(operand)) ?? []
  return listed === undefined ? undefined : listOf(listed)
}

function excludes([operator, operand]: Condition, candidate: Json): boolean {
  const isIt = (other: Json) => canonicalJson(other) === canonicalJson(candidate)
  switch (operator) {
    case '$eq':
      return !isIt(operand)
    case '$neq':
      return isIt(operand)
    case '$in':
      return Array.isArray(operand) && !operand.some(isIt)
    case '$nin':
      return listOf(operand).some(isIt)
    default:
      return isEmptyRange([
        [operator, operand],
        ['$gte', candidate],
        ['$lte', candidate],
      ])
  }
}

/** Whether comparisons with numbers leave no number. */
function isEmptyRange(conditions: readonly Condition[]): boolean {
  let low: Condition | undefined
  let high: Condition | undefined
  for (const condition of conditions) {
    const [operator, operand] = condition
    if (compareNumbers(operand, operand) === undefined) continue
    if (operator.startsWith('$gt') && isNarrower(condition, low, 1)) low = condition
    if (operator.startsWith('$lt') && isNarrower(condition, high, -1)) high = condition
  }
  if (low === undefined || high === undefined) return false
  const gap = compareNumbers(low[1], high[1]) ?? 0
  return gap > 0 || (gap === 0 && (low[0] === '$gt' || high[0] === '$lt'))
}

/** Of two bounds on the same side; `sign`: 1 where the larger one leaves less. */
function isNarrower([operator, operand]: Condition, than: Condition | undefined, sign: 1 | -1): boolean {
  if (than === undefined) return true
  const gap = (compareNumbers(operand, than[1]) ?? 0) * sign
  return gap > 0 || (gap === 0 && !operator.endsWith('e'))
}

const tokens =
  /\\Q[\s\S]*?(?:\\E|$)|\\[1-9][0-7]?|\\[\s\S]|\[\^?\]?(?:\[:\w+:\]|\\[\s\S]|[^\]\\])*\]|\(\?(?:<?[=!]|>|#)|\(\?[a-zA-Z-]*\)|\((?:\?(?:P?<\w*>|[a-zA-Z-]*:))?|\{\d+(?:,\d*)?\}|[\s\S]/g

/** Longer patterns are not checked: this finds mistakes, and must never take long. */
const longestPattern = 1000

/**
 * Why a pattern surely does not compile in RE2, the syntax of the service's expressions; undefined when nothing is
 * surely wrong. RE2 knows neither lookaround nor references back, which other engines do.
 */
function regExpFault(pattern: string): string | undefined {
  if (pattern.length > longestPattern) return undefined
  let depth = 0
  let previous: 'nothing' | 'something' | 'quantifier' = 'nothing'
  for (const [token] of pattern.matchAll(tokens)) {
    if (/^\(\?(?:<?[=!]|>|#)$/.test(token)) return `RE2 does not support \`${token}\``
    if (/^\\[1-9]$/.test(token)) return `RE2 does not support back-references (\`${token}\`)`
    if (token === '\\') return 'it ends with a backslash'
    if (token === '[') return '`[` is not closed'
    if (/^[*+?]$/.test(token)) {
      if (previous === 'nothing') return `\`${token}\` has nothing to repeat`
      // One `?` after a quantifier makes it lazy; `previous` stays, and the next is one too many.
      if (previous === 'quantifier' && token !== '?') return `\`${token}\` follows another quantifier`
      previous = 'quantifier'
    } else if (token.startsWith('{') && token.length > 1) {
      const [least = 0, most = least] = (token.match(/\d+/g) ?? []).map(Number)
      if (Math.max(least, most) > 1000 || least > most) return `\`${token}\` is out of range`
      previous = 'quantifier'
    } else if (token.startsWith('(') && !token.endsWith(')')) {
      depth += 1
      previous = 'nothing'
    } else if (token === ')') {
      if (depth === 0) return '`)` has no `(`'
      depth -= 1
      previous = 'something'
    } else previous = token === '|' ? 'nothing' : 'something'
  }
  return depth > 0 ? '`(` is not closed' : undefined
}
