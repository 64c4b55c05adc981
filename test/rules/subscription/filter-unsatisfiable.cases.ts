import type { JsonObject } from '../../../src/model/json.ts'
import { aSubscription, type Cases } from '../rule-cases.ts'

const asking = (body: JsonObject) => aSubscription({ filter_config: { event_types: ['*'], filter: { body } } })
const faulty = (fault: string) => [`high s1/filter_config/filter/body: ${fault}`]
const excluding = (field: string) => faulty(`no value satisfies the conditions on \`${field}\``)
const absent = '`$exist` of `a` is false: conditions on absent fields are skipped'
const nested = (levels: number): JsonObject => (levels === 0 ? { $in: [] } : { a: nested(levels - 1) })

export const cases: Cases = {
  'leaves what is an error to the rule about that': {
    sees: [{ a: { $ne: 1 } }, { $or: { a: 1 } }, { a: { $exist: 'yes' } }, { a: { $regex: '(a' } }].map(asking),
  },
  'finds lists that hold nothing': {
    sees: [asking({ a: { $in: [] } }), asking({ $or: [] })],
    finds: [...faulty('`$in` of `a` is empty, so nothing matches'), ...faulty('`$or` is empty, so nothing matches')],
  },
  'finds values that are compared with nothing': {
    sees: [{ a: null }, { a: [] }, { a: {} }, { a: [1] }].map(asking),
    finds: [
      ...faulty('`a` is compared with null, which only a null within a list matches'),
      ...['[]', '{}', '[1]'].flatMap((value) => faulty(`\`a\` is compared with ${value}, which nothing matches`)),
    ],
  },
  'finds an absent field that is asked for, as that condition is skipped': {
    sees: [asking({ a: { $exist: false } }), asking({ $or: [{ a: { $exist: false } }] })],
    finds: [...faulty(absent), ...faulty(`no branch of \`$or\` can match: ${absent}`)],
  },
  'finds a value that must be two': {
    sees: [
      asking({ $and: [{ a: { $eq: 1 } }, { a: { $eq: 2 } }] }),
      asking({ a: { $eq: 1, $neq: 1 } }),
      asking({ a: { $eq: 'x', $in: ['y', 'z'] } }),
      asking({ a: { $in: ['y', 'z'], $nin: ['z', 'y'] } }),
      asking({ a: { $eq: '5', $neq: 5 } }),
    ],
    finds: ['', '', '', '', ''].flatMap(() => excluding('a')),
  },
  'finds a range with nothing in it': {
    sees: [
      asking({ amount: { $gt: 10, $lt: 5 } }),
      asking({ amount: { $gte: 10, $lt: '10' } }),
      asking({ amount: { $eq: 3, $gte: 10 } }),
      asking({ amount: { $in: [1, 2], $gt: 2 } }),
      asking({ $and: [{ amount: { $gt: 10 } }], amount: { $lt: 5 } }),
    ],
    finds: ['', '', '', '', ''].flatMap(() => excluding('amount')),
  },
  'takes nested fields and dotted ones for the same': {
    sees: [asking({ 'data.amount': { $gt: 10 }, data: { amount: { $lt: 5 } } })],
    finds: excluding('data.amount'),
  },
  'finds a member of a list that must be two': {
    sees: [asking({ 'items.$.sku': { $eq: 'a', $neq: 'a' }, b: 1 })],
    finds: excluding('items.$.sku'),
  },
  'finds alternatives none of which can hold': {
    sees: [asking({ $or: [{ a: { $in: [] } }, { b: { $gt: 2, $lt: 1 } }] })],
    finds: faulty('no branch of `$or` can match: `$in` of `a` is empty, so nothing matches'),
  },
  'leaves alternatives alone one of which can': { sees: [asking({ $or: [{ a: { $in: [] } }, { b: 1 }] })] },
  'leaves a condition that never holds alone next to another field, as an event may lack the first': {
    sees: [
      asking({ a: 1, b: { $in: [] } }),
      asking({ amount: { $gt: 10, $lt: 5 }, type: 'x' }),
      asking({ a: { $exist: false }, b: 1 }),
    ],
  },
  'leaves what can be satisfied alone': {
    sees: [
      {},
      { a: 1, b: { c: 'x' } },
      { amount: { $gte: 10, $lte: 10 } },
      { a: { $eq: 1, $in: [1, 2], $neq: 2, $nin: [3], $gt: 0 } },
      { a: { $eq: 5, $in: ['5'] } },
      { a: { $lt: 'high' } },
      { a: { $in: 'abc' } },
      { $and: [] },
      { a: { $nin: [] } },
      { 'items.$.sku': 'x', '$.type': 'order' },
    ].map(asking),
  },
  'knows that a list may have several members': {
    sees: [
      asking({ $and: [{ tags: 'a' }, { tags: 'b' }] }),
      asking({ $and: [{ 'items.$.sku': { $eq: 'a' } }, { 'items.$.sku': { $eq: 'b' } }] }),
    ],
  },
  'evaluates every part, and knows that all values but those of the body are texts': {
    sees: [
      aSubscription({
        filter_config: {
          filter: {
            body: { a: { $in: [5] } },
            headers: { a: { $in: [5] } },
            query: { 'a.$.b': 'x' },
            path: { way: '/x' },
          },
        },
      }),
    ],
    finds: [
      'high s1/filter_config/filter/headers: no text satisfies the conditions on `a`',
      'high s1/filter_config/filter/query: `a.$.b`: `$` never matches in query',
      'high s1/filter_config/filter/path: a path has no field `way`, only `path`',
    ],
  },
  'compares numbers as the service does, as doubles': {
    sees: [
      asking({ a: { $gt: 'number:1234567890123456789', $lt: 'number:1234567890123456788' } }),
      asking({ a: { $gte: 'number:1e400', $lt: 5 } }),
      asking({ a: { $gt: 9007199254740992, $lte: 'number:9007199254740993' } }),
    ],
    finds: [excluding('a'), excluding('a'), excluding('a')].flat(),
  },
  'does not guess what a sealed value is': { sees: [asking({ a: { $gt: `sealed:${'0'.repeat(32)}` } })] },
  'does not search deeper than filters are': { sees: [asking(nested(1000)), asking(nested(16))] },
  'does not compare long lists with each other': {
    sees: [asking({ a: { $in: Array.from({ length: 5000 }, (_, i) => i), $gt: 9000 } })],
  },
  'evaluates rows, and the declared filter once for all rows that have it': {
    sees: [
      aSubscription({
        filter_config: { event_types: ['a', 'b', 'c', 'd'], filter: { body: { x: { $in: [] } } } },
        filters: {
          a: { body: { x: { $in: [] } } },
          b: { body: { x: { $in: [] } }, headers: {} },
          c: { body: {}, headers: { y: { $in: [] } } },
          d: { body: {}, headers: { y: { $in: [] } }, enabled_at: null },
        },
      }),
    ],
    finds: [
      ...faulty('`$in` of `x` is empty, so nothing matches'),
      'high s1/filters/c/headers: filter row of `c`: `$in` of `y` is empty, so nothing matches',
    ],
  },
  'leaves a declared filter alone that no row has': {
    sees: [{}, { a: { body: {} } }].map((filters) =>
      aSubscription({ filter_config: { event_types: ['a'], filter: { body: { x: { $in: [] } } } }, filters }),
    ),
  },
  'evaluates rows where nothing is declared': {
    sees: [aSubscription({ filters: { 'a/b': { body: { x: { $in: [] } } } } })],
    finds: ['high s1/filters/a~1b/body: filter row of `a/b`: `$in` of `x` is empty, so nothing matches'],
  },
  'is silent where the filter is not shown': {
    sees: [aSubscription({ filter_config: { event_types: ['*'] } }), aSubscription({ filter_config: null })],
  },
}
