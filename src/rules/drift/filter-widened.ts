import { z } from 'zod'
import { type FilterPart, filterParts, sufficientFields } from '../../gateway/filters.ts'
import { canonicalJson } from '../../model/canonical-json.ts'
import { compareNumbers, displayJson } from '../../model/exact-number.ts'
import { isJsonObject, type Json, type JsonObject, pointerStep } from '../../model/json.ts'
import { count } from '../../model/text/count.ts'
import type { EventFilter, FilterConfig } from '../engine/attributes.ts'
import { driftRule } from '../engine/define-rule.ts'
import type { RuleFinding } from '../engine/rule.ts'
import {
  type AppliedFilters,
  appliedFilters,
  declaredEvents,
  filterFor,
  filterOf,
  filterRows,
  isEmptyFilter,
  rowPath,
} from '../shared/delivered-events.ts'
import { filterFaults, knownOperators } from '../shared/filter-fault.ts'
import { listed } from '../shared/listed.ts'

export const filterWidened = driftRule({
  id: 'drift/filter-widened',
  title: 'Subscription filter was widened',
  severity: 'medium',
  packs: ['hygiene'],
  acceptedWith: ['/filter_config', '/filters'],
  kinds: ['subscription'],
  options: z.strictObject({ known_operators: knownOperators }),
  *check({ before, after, lostSince }, { options: { known_operators: moreOperators } }) {
    const how = { isLost: lostSince !== undefined, moreOperators }
    // Rows are compared with rows, what is declared with what is declared: a first reading of rows changes nothing.
    const old = before && appliedFilters(filterRows(before))
    const now = old && after && appliedFilters(filterRows(after))
    if (old !== undefined && now !== undefined) yield* widenedRows(old, now, how)
    else yield* widenedDeclaration(before?.filter_config, after?.filter_config, how)
  },
})

type Config = FilterConfig | null | undefined

function* widenedDeclaration(before: Config, after: Config, how: Comparison): Generator<RuleFinding> {
  const [oldTypes, types] = [declaredEvents(before).types, declaredEvents(after).types]
  if (oldTypes !== undefined && types !== undefined && !oldTypes.includes('*')) {
    const path = '/filter_config/event_types'
    const added = types.filter((type) => !oldTypes.includes(type))
    if (types.includes('*')) yield { path, message: `receives every event type (was ${quoted(oldTypes)})` }
    else if (added.length > 0) yield { path, message: `receives ${moreTypes(added)}` }
  }
  const [old, now] = [filterOf(before), filterOf(after)]
  if (old === undefined || now === undefined) return
  for (const { path, asks } of relaxedParts(old, now, '/filter_config/filter', how)) {
    yield { path, message: asks === undefined ? 'filter removed: no condition is left' : `filter widened: ${asks}` }
  }
}

/** By what happens to an event: one of a type without a row falls to the row of `*`. */
function* widenedRows(old: AppliedFilters, now: AppliedFilters, how: Comparison): Generator<RuleFinding> {
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
    for (const { path, asks } of relaxedParts(before, after, rowPath(type), how)) {
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

interface Comparison {
  /** Whether it was widened before: then only what surely asks for as much as it did is not relaxed. */
  readonly isLost: boolean
  readonly moreOperators: readonly string[]
}

interface ComparedFilter {
  readonly path: string
  readonly isLost: boolean
}

function* relaxedParts(
  old: EventFilter,
  now: EventFilter,
  path: string,
  { isLost, moreOperators }: Comparison,
): Generator<RelaxedPart> {
  // A filter that matches nothing lets nothing more through.
  if (isEmptyFilter(old) || filterFaults(now, moreOperators).length > 0) return
  if (isEmptyFilter(now)) {
    yield { path, asks: undefined }
    return
  }
  const faults = new Map(filterFaults(old, moreOperators).map(({ part, fault }) => [part, fault]))
  for (const part of filterParts) {
    const [before, after] = [old[part], now[part]]
    if (before === undefined || after === undefined) continue
    const fault = faults.get(part)
    const [first, ...more] = [
      ...(fault === undefined ? [] : [`it matched no event before (${fault})`]),
      ...relaxedConditions(before ?? {}, after ?? {}, { path: `${path}/${part}`, isLost }),
      ...passedBy(part, before ?? {}, after ?? {}, moreOperators),
    ]
    if (first === undefined) continue
    const others = more.length === 0 ? '' : ` and ${more.length} more`
    yield { path: `${path}/${part}`, asks: `${first}${others}` }
  }
}

/** Conditions that came, if none went: an event that lacks the fields of the others passes by one of these alone. */
function passedBy(part: FilterPart, before: JsonObject, after: JsonObject, moreOperators: readonly string[]): string[] {
  const [old, now] = [before, after].map((filter) => sufficientFields(part, filter, { moreOperators }))
  if (old === undefined || now === undefined || old.length === 0 || !old.every((name) => now.includes(name))) return []
  const without = listed(old.map((name) => `\`${name}\``))
  const added = now.filter((name) => !old.includes(name))
  return added.map((name) => `condition on \`${name}\` added, by which events without ${without} pass`)
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
