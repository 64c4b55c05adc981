import { aSubscription, type Cases } from '../rule-cases.ts'

export const cases: Cases = {
  'finds a subscription without any row': {
    sees: [aSubscription({ filter_config: { event_types: ['*'] }, filters: {} })],
    finds: ['high s1/filters: no filter row: of all events it receives only broadcast and dynamic ones'],
  },
  'leaves a subscription with a row alone': {
    sees: [aSubscription({ filters: { '*': {} } }), aSubscription({ filters: { a: { enabled_at: null } } })],
  },
  'is silent where rows were never read': { sees: [aSubscription({ filter_config: { event_types: [] } })] },
}
