import type { JsonObject } from '../../../src/model/json.ts'
import { aSubscription, type Cases, changed } from '../rule-cases.ts'

const rows = (before: JsonObject, after: JsonObject) =>
  changed(aSubscription({ filter_config: { event_types: ['*'] }, filters: before }), {
    filter_config: { event_types: ['*'] },
    filters: after,
  })
const gone = (what: string) => `high s1/filters: 1 event type no longer delivered: ${what}`
const on = '2026-11-20T00:00:00Z'
const unsatisfiable = { body: { x: { $in: [] } } }

export const cases: Cases = {
  'finds an event type whose row is gone': {
    compares: [rows({ a: {}, b: {} }, { b: {} }), rows({ a: {} }, {})],
    finds: [
      gone('`a` (filter row removed, broadcasts still are)'),
      gone('`a` (filter row removed, broadcasts still are)'),
    ],
  },
  'does not speak of broadcasts where the type is no longer declared': {
    compares: [
      changed(aSubscription({ filters: { a: {} } }), { filter_config: { event_types: ['b'] }, filters: { b: {} } }),
    ],
    finds: [gone('`a` (filter row removed)')],
  },
  'finds one whose row is switched off': {
    compares: [rows({ a: { enabled_at: on } }, { a: { enabled_at: null } })],
    finds: [gone('`a` (filter row switched off)')],
  },
  'finds one that was narrowed to what matches nothing': {
    compares: [rows({ a: { body: {} } }, { a: unsatisfiable })],
    finds: [gone('`a` (conditions match no event)')],
  },
  'names five, and how many more': {
    compares: [rows({ a: {}, b: {}, c: {}, d: {}, e: {}, f: {}, g: {} }, {})],
    finds: [
      `high s1/filters: 7 event types no longer delivered: ${['a', 'b', 'c', 'd', 'e']
        .map((type) => `\`${type}\` (filter row removed, broadcasts still are)`)
        .join(', ')} and 2 more`,
    ],
  },
  'finds the row of the wildcard that is gone, also where rows of event types took its place': {
    compares: [rows({ '*': {} }, { a: {} }), rows({ '*': {}, a: {} }, { a: {} })],
    finds: [
      gone('`*` (filter row removed, broadcasts still are)'),
      gone('`*` (filter row removed, broadcasts still are)'),
    ],
  },
  'finds an event type that a row takes from the row of the wildcard, and that matches nothing': {
    compares: [rows({ '*': {} }, { '*': {}, a: unsatisfiable })],
    finds: [gone('`a` (conditions match no event)')],
  },
  'leaves event types alone that the row of the wildcard still delivers': {
    compares: [rows({ '*': {}, a: {}, b: {} }, { '*': {}, b: { enabled_at: null } })],
  },
  'leaves alone what was not delivered before': {
    compares: [
      rows({ a: { enabled_at: null }, b: unsatisfiable }, {}),
      rows({ a: { enabled_at: null } }, { a: { enabled_at: null } }),
    ],
  },
  'leaves narrower conditions alone, and operators that its option names': {
    compares: [rows({ a: {}, b: {} }, { a: { body: { x: 1 } }, b: { body: { x: { $near: 1 } } } })],
    options: { known_operators: ['$near'] },
  },
  'is silent where one side was never read': {
    compares: [
      changed(aSubscription({ filter_config: { event_types: ['a'] } }), { filters: {} }),
      changed(aSubscription({ filters: { a: {} } }), { filter_config: { event_types: ['a'] } }),
    ],
  },
}
