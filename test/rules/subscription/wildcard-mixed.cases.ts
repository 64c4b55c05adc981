import { aSubscription, type Cases } from '../rule-cases.ts'

const types = (...event_types: string[]) => aSubscription({ filter_config: { event_types } })

export const cases: Cases = {
  'finds a name next to the wildcard': {
    sees: [types('*', 'order.created')],
    finds: ['low s1/filter_config/event_types: lists 1 event type next to `*`, which matches every event type'],
  },
  'counts names': {
    sees: [types('*', 'order.created', 'order.paid')],
    finds: ['low s1/filter_config/event_types: lists 2 event types next to `*`, which matches every event type'],
  },
  'says that it is declared as before where rows ask the same': {
    sees: [
      aSubscription({
        filter_config: { event_types: ['*', 'order.created'] },
        filters: { '*': { body: {} }, 'order.created': { body: {} } },
      }),
    ],
    finds: ['low s1/filter_config/event_types: lists 1 event type next to `*`, which matches every event type'],
  },
  'finds rows next to the row of the wildcard that ask the same': {
    sees: [
      aSubscription({
        filter_config: { event_types: ['*'] },
        filters: {
          '*': { body: { 'a.b': 1 } },
          one: { body: { a: { b: 1 } }, headers: {} },
          two: { body: { 'a.b': 1 } },
          three: { body: {} },
        },
      }),
    ],
    finds: ['low s1/filters/*: filter rows of 2 event types repeat the row of `*`'],
  },
  'leaves rows alone that differ from the row of the wildcard, or that are off': {
    sees: [
      { '*': { body: { a: 1 } }, one: { body: {} } },
      { '*': { body: {} }, one: { body: {}, enabled_at: null } },
      { one: {}, two: {} },
      {},
    ].map((filters) => aSubscription({ filter_config: { event_types: ['*', 'one'] }, filters })),
  },
  'leaves names alone': { sees: [types('order.created', 'order.*')] },
  'leaves a wildcard alone': { sees: [types('*'), types()] },
}
