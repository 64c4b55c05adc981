import { z } from 'zod'
import { type FilterPart, filterParts, verdictOn } from '../../gateway/filters.ts'
import { isJsonObject, type JsonObject } from '../../model/json.ts'
import type { EventFilter, Subscription } from '../engine/attributes.ts'
import type { RuleFinding } from '../engine/rule.ts'
import { asksTheSameOf, declaredEvents, deliveredEvents } from './delivered-events.ts'

/** The option of rules that say whether a filter can match. */
export const knownOperators = z
  .array(z.string())
  .default([])
  .describe('Operators that the service supports besides the usual ones')

export interface FilterFault {
  readonly part: FilterPart
  readonly fault: string
}

/** The parts of a filter that can match no event, and why. */
export function filterFaults(filter: EventFilter, moreOperators: readonly string[]): readonly FilterFault[] {
  return faultsOf(filter, (part, conditions) => verdictOn(part, conditions, { moreOperators }).never)
}

/** What is wrong with a part of a filter; undefined where nothing is. */
type FindFault = (part: FilterPart, conditions: JsonObject) => string | undefined

/** A finding for each faulty part of the filters of a subscription. */
export function* findFaults(subscription: Subscription, findFault: FindFault): Iterable<RuleFinding> {
  const reported = new Set<string>()
  for (const { types = [], filter, path } of deliveredEvents(subscription).filters) {
    for (const { part, fault } of faultsOf(filter, findFault)) {
      // The declared filter has a row for each event type: that is one fault.
      const [declared] = declaredEvents(subscription.filter_config).filters
      const isDeclared = declared !== undefined && asksTheSameOf(part, filter, declared.filter)
      const here = `${isDeclared ? declared.path : path}/${part}`
      if (reported.has(here)) continue
      reported.add(here)
      yield { path: here, message: isDeclared ? fault : `filter row of \`${types.join('`, `')}\`: ${fault}` }
    }
  }
}

function faultsOf(filter: EventFilter, findFault: FindFault): readonly FilterFault[] {
  return filterParts.flatMap((part) => {
    const conditions = filter[part]
    const fault = isJsonObject(conditions) ? findFault(part, conditions) : undefined
    return fault === undefined ? [] : [{ part, fault }]
  })
}
