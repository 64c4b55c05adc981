import type { JsonObject } from '../../../src/model/json.ts'
import { aSubscription, type Cases, changed } from '../rule-cases.ts'

const types = (...event_types: string[]) => ({ filter_config: { event_types } })
const body = (conditions: JsonObject) => ({
  filter_config: { event_types: ['*'], filter: { body: conditions, headers: {} } },
})
const widened = (before: JsonObject, after: JsonObject) => [changed(aSubscription(before), after)]
const rows = (before: JsonObject, after: JsonObject) => widened({ filters: before }, { filters: after })

export const cases: Cases = {
  'finds event types that came': {
    compares: widened(types('order.paid'), types('order.paid', 'order.refunded')),
    finds: ['medium s1/filter_config/event_types: receives 1 more event type: `order.refunded`'],
  },
  'finds a wildcard where there were names': {
    compares: widened(types('order.paid'), types('*')),
    finds: ['medium s1/filter_config/event_types: receives every event type (was `order.paid`)'],
  },
  'leaves fewer event types alone': { compares: widened(types('a', 'b'), types('a')) },
  'leaves names alone that replace a wildcard': { compares: widened(types('*'), types('a')) },
  'finds a filter that is gone': {
    compares: widened(body({ country: 'DE' }), body({})),
    finds: ['medium s1/filter_config/filter: filter removed: no condition is left'],
  },
  'finds a condition that is gone': {
    compares: widened(body({ country: 'DE', amount: { $gt: 10 } }), body({ country: 'DE' })),
    finds: ['medium s1/filter_config/filter/body: filter widened: condition /filter_config/filter/body/amount removed'],
  },
  'finds relaxed operators, and counts them': {
    compares: widened(
      body({ amount: { $gte: 100, $lt: 500 }, country: { $in: ['DE'] }, city: { $nin: ['Bonn', 'Ulm'] } }),
      body({ amount: { $gte: 10, $lt: 900 }, country: { $in: ['DE', 'AT'] }, city: { $nin: ['Ulm'] } }),
    ),
    finds: [
      'medium s1/filter_config/filter/body: filter widened: /filter_config/filter/body/amount/$gte is 10 (was 100) and 3 more',
    ],
  },
  'compares numbers that exceed a double by value, and shows their digits': {
    compares: widened(
      body({ id: { $gt: 'number:1234567890123456789' } }),
      body({ id: { $gt: 'number:1234567890123456788' } }),
    ),
    finds: [
      'medium s1/filter_config/filter/body: filter widened: /filter_config/filter/body/id/$gt is 1234567890123456788 (was 1234567890123456789)',
    ],
  },
  'leaves stricter operators alone': {
    compares: widened(
      body({ amount: { $gte: 10 }, country: { $in: ['DE', 'AT'] }, $or: [{ a: 1 }, { b: 1 }] }),
      body({ amount: { $gte: 100 }, country: { $in: ['DE'] }, $or: [{ a: 1 }] }),
    ),
  },
  'finds a condition that came: events without the fields of the others pass by it': {
    compares: widened(body({ tenant: 't1' }), body({ tenant: 't1', type: 'paid' })),
    finds: [
      'medium s1/filter_config/filter/body: filter widened: condition on `type` added, by which events without `tenant` pass',
    ],
  },
  'finds a filter that matched nothing, and now does': {
    compares: widened(body({ a: { $exist: false } }), body({ a: { $exist: false }, b: 1 })),
    finds: [
      'medium s1/filter_config/filter/body: filter widened: it matched no event before (`$exist` of `a` is false: conditions on absent fields are skipped)',
    ],
  },
  'leaves alone what matches nothing now': {
    compares: widened(body({ a: { $gt: 10 } }), body({ a: { $gt: 5, $lt: 5 } })),
  },
  'leaves a condition alone that only narrows': {
    compares: [
      ...widened(body({ a: 1 }), body({ a: 1, b: { $exist: false } })),
      ...widened(body({ $or: [{ a: 1 }] }), body({ $or: [{ a: 1 }], b: 2 })),
      ...widened(body({ a: 1 }), body({ a: 1, $or: [{ b: 2 }] })),
    ],
  },
  'does not guess when one condition replaces another': {
    compares: widened(body({ country: 'DE' }), body({ region: 'EU' })),
  },
  'finds rows that came, or were switched on again': {
    compares: [
      ...rows({ a: {} }, { a: {}, b: {}, c: {} }),
      ...rows({ a: {}, b: { enabled_at: null } }, { a: {}, b: { enabled_at: '2026-11-20T00:00:00Z' } }),
    ],
    finds: [
      'medium s1/filters: filter rows let through 2 more event types: `b`, `c`',
      'medium s1/filters: filter rows let through 1 more event type: `b`',
    ],
  },
  'finds a row of the wildcard where there were others, or none': {
    compares: [...rows({ a: {} }, { '*': {} }), ...rows({}, { '*': {}, a: {} })],
    finds: [
      'medium s1/filters: filter rows let every event type through (was `a`)',
      'medium s1/filters: filter rows let every event type through (was none)',
    ],
  },
  'finds conditions of a row that are gone or relaxed': {
    compares: [
      ...rows({ a: { body: { x: 1 } } }, { a: { body: {} } }),
      ...rows({ a: { body: { x: { $gt: 10 } } } }, { a: { body: { x: { $gt: 5 } } } }),
    ],
    finds: [
      'medium s1/filters/a: filter row of `a` widened: no condition is left',
      'medium s1/filters/a/body: filter row of `a` widened: /filters/a/body/x/$gt is 5 (was 10)',
    ],
  },
  'finds an event type that is left to the row of the wildcard, which asks for less': {
    compares: [
      ...rows({ '*': {}, a: { body: { x: 1 } } }, { '*': {} }),
      ...rows(
        { '*': { body: { x: { $gt: 1 } } }, a: { body: { x: { $gt: 5 } } } },
        { '*': { body: { x: { $gt: 1 } } }, a: { body: { x: { $gt: 5 } }, enabled_at: null } },
      ),
    ],
    finds: [
      'medium s1/filters/a: `a` falls back to the filter row of `*`: no condition is left',
      'medium s1/filters/a/body: `a` falls back to the filter row of `*`: /filters/a/body/x/$gt is 1 (was 5)',
    ],
  },
  'finds a row that asks for less than the row of the wildcard did': {
    compares: rows({ '*': { body: { x: 1 } } }, { '*': { body: { x: 1 } }, a: {} }),
    finds: ['medium s1/filters/a: filter row of `a` widened: no condition is left'],
  },
  'leaves rows alone that went, were switched off, or ask for more': {
    compares: [
      ...rows({ a: {}, b: {} }, { a: {} }),
      ...rows({ a: {}, b: {} }, { a: {}, b: { enabled_at: null } }),
      ...rows({ a: {} }, { a: { body: { x: 1 } } }),
      ...rows({ '*': {} }, { a: {} }),
      ...rows({ '*': {} }, { '*': {}, a: {} }),
      ...rows({ a: {} }, {}),
    ],
  },
  'does not take a first reading of rows for a change': {
    compares: [
      changed(aSubscription(types('a')), { ...types('a'), filters: { a: {}, b: {}, '*': {} } }),
      changed(aSubscription({ ...types('a'), filters: {} }), types('a')),
    ],
  },
  'compares what is declared until both sides have rows, and then only rows': {
    compares: [
      changed(aSubscription(types('a')), { ...types('a', 'b'), filters: { a: {} } }),
      changed(aSubscription({ ...types('a'), filters: { a: {} } }), { ...types('a', 'b'), filters: { a: {} } }),
    ],
    finds: ['medium s1/filter_config/event_types: receives 1 more event type: `b`'],
  },
  'is silent where the filter is not shown': {
    compares: widened(body({ country: 'DE' }), { filter_config: { event_types: ['*'] } }),
  },
}
