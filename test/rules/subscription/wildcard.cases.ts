import type { JsonObject } from '../../../src/model/json.ts'
import { aSubscription, type Cases } from '../rule-cases.ts'

const matching = (event_types: string[] | null, filter: JsonObject | null = { body: {}, headers: {} }) =>
  aSubscription({ filter_config: { event_types, filter } })
const everything = 'info s1/filter_config: every event type and no filter: future event types are delivered too'

export const cases: Cases = {
  "finds the service's default": {
    sees: [matching(['*'], { is_flattened: true, body: {}, headers: {}, query: {}, path: {} })],
    finds: [everything],
  },
  'takes no event type for every event type': { sees: [matching([]), matching(null)], finds: [everything, everything] },
  'takes null for no filter': {
    sees: [matching(['*'], null), matching(['*'], { body: null }), aSubscription({ filter_config: null })],
    finds: [everything, everything, everything],
  },
  'finds a wildcard next to names': { sees: [matching(['*', 'order.created'])], finds: [everything] },
  'leaves event types alone': { sees: [matching(['order.created'])] },
  'leaves a wildcard with a filter alone': {
    sees: ['body', 'headers', 'query', 'path'].map((part) => matching(['*'], { [part]: { kind: 'order' } })),
  },
  'says that it is declared as before where rows were read that say the same': {
    sees: [aSubscription({ filter_config: { event_types: ['*'], filter: {} }, filters: { '*': { body: {} } } })],
    finds: [everything],
  },
  'finds rows that deliver everything to a subscription that declares less': {
    sees: [
      aSubscription({
        filter_config: { event_types: ['order.paid'], filter: {} },
        filters: { '*': { body: {}, headers: null, enabled_at: '2026-11-20T00:00:00Z' }, 'order.paid': {} },
      }),
    ],
    finds: ['info s1/filters/*: every event type is applied without a filter: future event types are delivered too'],
  },
  'goes by rows, where they were read': {
    sees: [
      { 'order.paid': {} },
      { '*': { body: { amount: 1 } } },
      { '*': { query: { a: 1 } } },
      { '*': { body: {}, enabled_at: null } },
      {},
    ].map((filters) => aSubscription({ filter_config: { event_types: ['*'], filter: {} }, filters })),
  },
  'is silent where half of it is not shown': {
    sees: [aSubscription({ filter_config: { event_types: ['*'] } }), aSubscription({ filter_config: { filter: {} } })],
  },
}
