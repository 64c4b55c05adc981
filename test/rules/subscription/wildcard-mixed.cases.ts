import { aSubscription, type Cases } from '../rule-cases.ts'

const types = (...event_types: string[]) => aSubscription({ filter_config: { event_types } })

export const cases: Cases = {
  'finds a name next to the wildcard': {
    sees: [types('*', 'order.created')],
    finds: [
      'low s1/filter_config/event_types: names one event type together with `*`: every event is delivered anyway',
    ],
  },
  'counts names': {
    sees: [types('*', 'order.created', 'order.paid')],
    finds: ['low s1/filter_config/event_types: names 2 event types together with `*`: every event is delivered anyway'],
  },
  'leaves names alone': { sees: [types('order.created', 'order.*')], finds: [] },
  'leaves a wildcard alone': { sees: [types('*'), types()], finds: [] },
}
