import { z } from 'zod'
import { type EventOrigin, type FilterPart, type FilterVerdict, filterParts, verdictOn } from '../../gateway/filters.ts'
import { isJsonObject } from '../../model/json.ts'
import type { EventFilter } from '../engine/attributes.ts'

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
export function filterFaults(
  filter: EventFilter,
  moreOperators: readonly string[],
  origin?: EventOrigin,
): readonly FilterFault[] {
  return readParts(filter, moreOperators, origin).flatMap(({ part, never }) => (never ? [{ part, fault: never }] : []))
}

/** What is certain about the parts of a filter. */
export function readParts(
  filter: EventFilter,
  moreOperators: readonly string[],
  origin?: EventOrigin,
): readonly (FilterVerdict & { readonly part: FilterPart })[] {
  return filterParts.flatMap((part) => {
    const conditions = filter[part]
    if (!isJsonObject(conditions)) return []
    const { never, fails } = verdictOn(part, conditions, { origin, moreOperators })
    return [{ part, ...(never && { never }), ...(fails && { fails }) }]
  })
}
