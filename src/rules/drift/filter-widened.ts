import { canonicalJson } from '../../model/canonical-json.ts'
import { compareNumbers, displayJson } from '../../model/exact-number.ts'
import { isJsonObject, type Json, type JsonObject, pointerStep } from '../../model/json.ts'
import { count } from '../../text/count.ts'
import type { EventFilter, FilterConfig } from '../engine/attributes.ts'
import { driftRule } from '../engine/define-rule.ts'
import type { RuleFinding } from '../engine/rule.ts'
import {
  type AppliedFilters,
  appliedFilters,
  declaredEvents,
  filterFor,
  filterOf,
  filterParts,
  filterRows,
  isEmptyFilter,
  rowPath,
} from '../shared/delivered-events.ts'
import { listed } from '../shared/listed.ts'

export const filterWidened = driftRule({
  id: 'drift/filter-widened',
  title: 'Subscription filter was widened',
  severity: 'medium',
  packs: ['hygiene'],
  acceptedWith: ['/filter_config', '/filters'],
  kinds: ['subscription'],
  *check({ before, after, lostSince }) {
    const isLost = lostSince !== undefined
    // Rows are compared with rows, what is declared with what is declared: a first reading of rows changes nothing.
    const old = before && appliedFilters(filterRows(before))
    const now = old && after && appliedFilters(filterRows(after))
    if (old !== undefined && now !== undefined) yield* widenedRows(old, now, isLost)
    else yield* widenedDeclaration(before?.filter_config, after?.filter_config, isLost)
  },
})

type Config = FilterConfig | null | undefined

function* widenedDeclaration(before: Config, after: Config, isLost: boolean): Generator<RuleFinding> {
  const [oldTypes, types] = [declaredEvents(before).types, declaredEvents(after).types]
  if (oldTypes !== undefined && types !== undefined && !oldTypes.includes('*')) {
    const path = '/filter_config/event_types'
    const added = types.filter((type) => !oldTypes.includes(type))
    if (types.includes('*')) yield { path, message: `receives every event type (was ${quoted(oldTypes)})` }
    else if (added.length > 0) yield { path, message: `receives ${moreTypes(added)}` }
  }
  const [old, now] = [filterOf(before), filterOf(after)]
  if (old === undefined || now === undefined) return
  for (const { path, asks } of relaxedParts(old, now, { path: '/filter_config/filter', isLost })) {
    yield { path, message: asks === undefined ? 'filter removed: no condition is left' : `filter widened: ${asks}` }
  }
}

/** By what happens to an event: one of a type without a row falls to the row of `*`. */
function* widenedRows(old: AppliedFilters, now: AppliedFilters, isLost: boolean): Generator<RuleFinding> {
  const added = [...now.keys()].filter((type) => filterFor(old, type) === undefined)
  const isAll = added.includes('*')
  if (isAll) {
    const was = old.size === 0 ? 'none' : quoted([...old.keys()])
    yield { path: '/filters', message: `filter rows let every event type through (was ${was})` }
  } else if (added.length > 0) {
    yield { path: '/filters', message: `filter rows let through ${moreTypes(added)}` }
  }
  for (const type of new Set([...old.keys(), ...now.keys()])) {
    const [before, after] = [filterFor(old, type), filterFor(now, type)]
    const isLeft = !now.has(type)
    // Where `*` is new, that says it all.
    if (before === undefined || after === undefined || (isLeft && isAll)) continue
    for (const { path, asks } of relaxedParts(before, after, { path: rowPath(type), isLost })) {
      const what = asks === undefined ? 'no condition is left' : asks
      const message = isLeft
        ? `\`${type}\` falls back to the filter row of \`*\`: ${what}`
        : `filter row of \`${type}\` widened: ${what}`
      yield { path, message }
    }
  }
}

interface RelaxedPart {
  readonly path: string
  /** Which conditions it dropped or relaxed; undefined: it has none left. */
  readonly asks: string | undefined
}

/** A filter, and whether it was widened before: then only what surely asks for as much as it did is not relaxed. */
interface ComparedFilter {
  readonly path: string
  readonly isLost: boolean
}

function* relaxedParts(old: EventFilter, now: EventFilter, { path, isLost }: ComparedFilter): Generator<RelaxedPart> {
  if (isEmptyFilter(old)) return
  if (isEmptyFilter(now)) {
    yield { path, asks: undefined }
    return
  }
  for (const part of filterParts) {
    const [before, after] = [old[part], now[part]]
    if (before === undefined || after === undefined) continue
    const [first, ...more] = relaxedConditions(before ?? {}, after ?? {}, { path: `${path}/${part}`, isLost })
    if (first === undefined) continue
    const others = more.length === 0 ? '' : ` and ${more.length} more`
    yield { path: `${path}/${part}`, asks: `${first}${others}` }
  }
}

/**
 * Conditions of a filter (MongoDB-like) that ask for less than they did, in words. Where a condition was replaced by another,
 * which one lets more through is not known: that is reported only of a filter that was widened before.
 */
function* relaxedConditions(before: JsonObject, after: JsonObject, filter: ComparedFilter): Generator<string> {
  const isNarrowedToo = Object.keys(after).some((key) => !Object.hasOwn(before, key))
  for (const [key, old] of Object.entries(before)) {
    const path = `${filter.path}/${pointerStep(key)}`
    const now = Object.hasOwn(after, key) ? after[key] : undefined
    if (now !== undefined) yield* relaxedCondition(key, old, now, { ...filter, path })
    else if (!isNarrowedToo || filter.isLost) yield `condition ${path} removed`
  }
}

function* relaxedCondition(key: string, before: Json, after: Json, filter: ComparedFilter): Generator<string> {
  const { path, isLost } = filter
  if (isJsonObject(before) && isJsonObject(after)) yield* relaxedConditions(before, after, filter)
  else if (isLost ? !asksAsMuch(key, before, after) : isRelaxed(key, before, after)) {
    yield `${path} is ${brief(after)} (was ${brief(before)})`
  }
}

/** Whether a condition surely lets through no more than it did. */
function asksAsMuch(operator: string, before: Json, after: Json): boolean {
  return canonicalJson(before) === canonicalJson(after) || isRelaxed(operator, after, before)
}

function isRelaxed(operator: string, before: Json, after: Json): boolean {
  if (Array.isArray(before) && Array.isArray(after)) {
    // A list of alternatives lets more through when one comes, a list of demands when one goes.
    if (operator === '$in' || operator === '$or') return holdsAll(after, before) && !holdsAll(before, after)
    if (operator === '$nin' || operator === '$and') return holdsAll(before, after) && !holdsAll(after, before)
    return false
  }
  const sign = compareNumbers(after, before) ?? 0
  if (operator === '$gt' || operator === '$gte') return sign < 0
  return (operator === '$lt' || operator === '$lte') && sign > 0
}

function holdsAll(list: readonly Json[], others: readonly Json[]): boolean {
  const held = new Set(list.map(canonicalJson))
  return others.every((other) => held.has(canonicalJson(other)))
}

/** `2 more event types: \`a\`, \`b\``. */
function moreTypes(added: readonly string[]): string {
  return `${count(added.length, 'more event type')}: ${quoted(added)}`
}

function quoted(types: readonly string[]): string {
  return listed(types.map((type) => `\`${type}\``))
}

function brief(value: Json): string {
  const text = displayJson(value)
  return text.length > 60 ? `${text.slice(0, 59)}…` : text
}
