import type { Subscription } from '../engine/attributes.ts'
import { filterRows } from './delivered-events.ts'
import { eventTypesOf } from './event-filter.ts'

export interface SubscribedTypes {
  /** Where they are named. */
  readonly path: '/filter_config/event_types' | '/filters'
  readonly types: readonly SubscribedType[]
}

interface SubscribedType {
  readonly type: string
  readonly how: 'declared' | 'applied' | 'declared and applied'
}

/** Event types of a subscription, without `*`: those that it declares, and those that only its rows name. */
export function subscribedTypes(subscription: Subscription): readonly SubscribedTypes[] {
  const declared = new Set(eventTypesOf(subscription.filter_config))
  const applied = new Set(Object.keys(filterRows(subscription) ?? {}))
  const named = (types: Iterable<string>) => [...types].filter((type) => type !== '*')
  return [
    {
      path: '/filter_config/event_types',
      types: named(declared).map((type) => ({ type, how: applied.has(type) ? 'declared and applied' : 'declared' })),
    },
    {
      path: '/filters',
      types: named(applied).flatMap((type) => (declared.has(type) ? [] : [{ type, how: 'applied' as const }])),
    },
  ]
}

/** The first three of a list of sentences, and how many more there are. */
export function firstOf(sentences: readonly string[]): string {
  const more = sentences.length > 3 ? `; ${sentences.length - 3} more` : ''
  return sentences.slice(0, 3).join('; ') + more
}
