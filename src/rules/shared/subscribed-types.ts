import type { JsonObject } from '../../model/json.ts'
import type { FilterConfig } from '../engine/attributes.ts'
import { eventTypesOf } from './event-filter.ts'

/** What a subscription says of event types: as declared, and by the rows that deliveries follow (absent: never read). */
interface Subscribing {
  readonly filter_config?: FilterConfig | null
  readonly filters?: JsonObject | null
}

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
export function subscribedTypes({ filter_config, filters }: Subscribing): readonly SubscribedTypes[] {
  const declared = new Set(eventTypesOf(filter_config))
  const applied = new Set(Object.keys(filters ?? {}))
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
