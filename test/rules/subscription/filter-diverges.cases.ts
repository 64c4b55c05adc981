import type { JsonObject } from '../../../src/model/json.ts'
import { aSubscription, type Cases } from '../rule-cases.ts'

const both = (
  event_types: string[] | null,
  filters: JsonObject,
  filter: JsonObject | null = { body: {}, headers: {} },
) => aSubscription({ filter_config: { event_types, filter }, filters })
const differs = (how: string) => `high s1/filters: filter rows differ from the declared filter: ${how}`
const amount = { body: { amount: { $gt: 10 } } }

export const cases: Cases = {
  'finds a declared event type without a row': {
    sees: [both(['a', 'b'], { a: {} }), both(['*'], { a: {} })],
    finds: [differs('no row for `b`'), differs('no row for `*`')],
  },
  'finds rows of event types that are not declared': {
    sees: [both(['a'], { a: {}, b: {} }), both(['a'], { '*': {} })],
    finds: [differs('undeclared rows for `b`'), differs('undeclared rows for `*`')],
  },
  'finds other conditions': {
    sees: [
      both(['a', 'b'], { a: amount, b: { body: { amount: { $gt: 999 } } } }, amount),
      both(['*'], { '*': {}, a: amount }),
      both(['a'], { a: { body: {}, headers: { 'x-region': 'eu' } } }, null),
      both(['a'], { a: { body: {} } }, amount),
    ],
    finds: [
      differs('different conditions for `b`'),
      differs('different conditions for `a`'),
      differs('different conditions for `a`'),
      differs('different conditions for `a`'),
    ],
  },
  'says all of it in one finding': {
    sees: [both(['a', 'b'], { b: { body: {} }, c: {}, d: {} }, amount)],
    finds: [differs('no row for `a`; undeclared rows for `c`, `d`; different conditions for `b`')],
  },
  'leaves rows alone that say the same': {
    sees: [
      both(['a', 'b'], { a: amount, b: { body: { amount: { $gt: 10 } }, headers: {}, query: null } }, amount),
      both(['*'], { '*': { body: {} } }),
      both([], { '*': {} }),
      both(null, { '*': {} }, null),
      both(['*', 'a'], { '*': amount }, amount),
      both(
        ['a'],
        { a: { body: { 'data.amount': { $gt: 10 } } } },
        { is_flattened: true, body: { data: { amount: { $gt: 10 } } } },
      ),
      aSubscription({ filter_config: { event_types: ['a'] }, filters: { a: amount } }),
    ],
  },
  'leaves rows alone that are switched off': {
    sees: [
      both(['a', 'b'], { a: {}, b: { enabled_at: null } }),
      both(['a'], { a: {}, b: { enabled_at: null } }),
      both(['a'], { a: { body: { x: 1 }, enabled_at: null } }),
    ],
  },
  'does not compare parts that rows do not show': {
    sees: [both(['a'], { a: { body: {}, headers: {} } }, { body: {}, query: { page: 1 } })],
  },
  'is silent without any row, and where rows or event types are not known': {
    sees: [
      both(['a'], {}),
      aSubscription({ filter_config: { event_types: ['a'] } }),
      aSubscription({ filter_config: { filter: amount }, filters: { a: {} } }),
    ],
  },
}
