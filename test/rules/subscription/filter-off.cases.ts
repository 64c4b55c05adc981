import { aSubscription, type Cases } from '../rule-cases.ts'

export const cases: Cases = {
  'finds rows that are switched off': {
    sees: [
      aSubscription({ filters: { 'a/b': { enabled_at: null }, c: { enabled_at: '2026-11-20T00:00:00Z' } } }),
      aSubscription({ filters: { '*': { enabled_at: null } } }),
    ],
    finds: [
      'medium s1/filters/a~1b/enabled_at: filter row is switched off: `a/b` is not delivered',
      'medium s1/filters/*/enabled_at: filter row is switched off: event types without a row of their own are not delivered',
    ],
  },
  'says where the row of the wildcard takes its place': {
    sees: [aSubscription({ filters: { '*': {}, a: { enabled_at: null } } })],
    finds: ['medium s1/filters/a/enabled_at: filter row is switched off: `a` falls back to the row of `*`'],
  },
  'leaves rows alone that are on, or of which it is not shown': {
    sees: [
      aSubscription({ filters: { a: { enabled_at: '2026-11-20T00:00:00Z' }, b: {} } }),
      aSubscription({ filters: {} }),
    ],
  },
}
