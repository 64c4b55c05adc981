import type { JsonObject } from '../../../src/model/json.ts'
import { aSubscription, type Cases } from '../rule-cases.ts'

const to = (uid: string, event_types: string[], more: JsonObject = {}, filter: JsonObject = { body: {} }) =>
  aSubscription({ endpoint_uid: 'e1', source_uid: null, filter_config: { event_types, filter }, ...more }, uid)
const at = (uid: string, what: string, other: string) =>
  `high ${uid}/filter_config/event_types: subscription ${other} also delivers ${what} to the same endpoint`
const all = 'some of the same events'

/** Subscriptions of everything, with these filter rows. */
const rows = (...all: readonly JsonObject[]) => all.map((filters, index) => to(`s${index + 1}`, ['*'], { filters }))
const atRow = (uid: string, row: string, what: string, other: string) =>
  `high ${uid}/filters/${row}: subscription ${other} also delivers ${what} to the same endpoint`

export const cases: Cases = {
  'finds both of two with an event type in common': {
    sees: [to('s2', ['order.created', 'order.paid']), to('s1', ['order.created'])],
    finds: [at('s1', '`order.created`', 's2'), at('s2', '`order.created`', 's1')],
  },
  'takes a wildcard for every event type, before or after': {
    sees: [to('s1', ['*']), to('s2', ['order.created'])],
    finds: [at('s1', all, 's2'), at('s2', all, 's1')],
  },
  'takes none for every event type': {
    sees: [to('s1', ['order.created']), to('s2', [])],
    finds: [at('s1', all, 's2'), at('s2', all, 's1')],
  },
  'names one for each, however many there are': {
    sees: [
      to('s1', ['a']),
      to('s2', ['b']),
      to('s3', ['b', 'c']),
      to('s4', ['c', 'd']),
      to('s5', ['*']),
      to('s6', ['z']),
    ],
    finds: [...['s1', 's2', 's3', 's4'].map((uid) => at(uid, all, 's5')), at('s5', all, 's1'), at('s6', all, 's5')],
  },
  'names the first that each overlaps, and none without an overlap': {
    sees: [to('s1', ['a']), to('s2', ['b', 'b']), to('s3', ['b', 'c']), to('s4', ['c', 'd'])],
    finds: [at('s2', '`b`', 's3'), at('s3', '`b`', 's2'), at('s4', '`c`', 's3')],
  },
  'compares filters by what they ask': {
    sees: [
      to('s1', ['*'], {}, { body: { b: 1, a: 2 }, headers: null, is_flattened: true }),
      to('s2', ['*'], {}, { body: { a: 2, b: 1 }, headers: {}, is_flattened: false }),
    ],
    finds: [at('s1', all, 's2'), at('s2', all, 's1')],
  },
  'compares what is applied, where rows were read': {
    sees: [to('s1', ['a'], { filters: { b: { body: {} } } }), to('s2', ['b'])],
    finds: [atRow('s1', 'b', '`b`', 's2'), at('s2', '`b`', 's1')],
  },
  'reports what is declared as well where it was before': {
    sees: rows({ '*': {} }, { '*': { body: {}, headers: {} } }),
    finds: [at('s1', all, 's2'), at('s2', all, 's1')],
  },
  'compares each row by what it asks': {
    sees: rows({ a: { body: { x: 1 } }, b: {} }, { a: { body: { x: 2 } }, c: {} }, { a: { body: { x: 2 } } }),
    finds: [atRow('s2', 'a', '`a`', 's3'), atRow('s3', 'a', '`a`', 's2')],
  },
  'takes the row of the wildcard for types without a row': {
    sees: rows({ '*': {}, a: { body: { x: 1 } } }, { a: {} }, { a: {}, b: {} }),
    finds: [at('s1', all, 's3'), atRow('s2', 'a', '`a`', 's3'), atRow('s3', 'b', all, 's1')],
  },
  'reports one that overlaps under two filters once for each place': {
    sees: rows({ '*': {}, a: { body: { x: 1 } } }, { '*': {}, a: { body: { x: 1 } } }),
    finds: [at('s1', all, 's2'), at('s2', all, 's1'), atRow('s1', 'a', '`a`', 's2'), atRow('s2', 'a', '`a`', 's1')],
  },
  'leaves rows alone that are off, and subscriptions without any': {
    sees: rows({ a: { enabled_at: null } }, { a: {} }, {}),
  },
  'leaves different event types alone': { sees: [to('s1', ['a']), to('s2', ['b'])] },
  'leaves different filters alone': { sees: [to('s1', ['*']), to('s2', ['*'], {}, { body: { a: 1 } })] },
  'leaves different endpoints and sources alone': {
    sees: [to('s1', ['*']), to('s2', ['*'], { endpoint_uid: 'e2' }), to('s3', ['*'], { source_uid: 'q1' })],
  },
  'leaves different projects alone': { sees: [to('s1', ['*']), { ...to('s2', ['*']), project: 'other' }] },
  'leaves subscriptions without an endpoint alone': {
    sees: [to('s1', ['*'], { endpoint_uid: null }), to('s2', ['*'], { endpoint_uid: null })],
  },
}
