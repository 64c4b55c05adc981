import type { JsonObject } from '../../../src/model/json.ts'
import { aSubscription, type Cases } from '../rule-cases.ts'

const asking = (body: JsonObject) => aSubscription({ filter_config: { event_types: ['*'], filter: { body } } })
const faulty = (fault: string) => [`high s1/filter_config/filter/body: ${fault}`]
const excluding = (field: string) => faulty(`the conditions on \`${field}\` contradict each other`)
const expression = (fault: string) => faulty(`\`$regex\` does not compile: ${fault}`)
const nested = (levels: number): JsonObject => (levels === 0 ? { $ne: 1 } : { a: nested(levels - 1) })

export const cases: Cases = {
  'finds an unknown operator in any position': {
    sees: [
      asking({ amount: { $ne: 1 } }),
      asking({ a: { b: { $ne: 1 } } }),
      asking({ $or: [{ a: 1 }, { b: { $ne: 1 } }] }),
    ],
    finds: ['', '', ''].flatMap(() => faulty('unknown operator `$ne`')),
  },
  'knows operators that its option names': {
    sees: [asking({ amount: { $ne: 1 } })],
    options: { known_operators: ['$ne'] },
  },
  'finds operands of the wrong kind': {
    sees: [asking({ $or: { a: 1 } }), asking({ a: { $exist: 'yes' } }), asking({ a: { $regex: 5 } })],
    finds: [
      ...faulty('`$or` requires a list'),
      ...faulty('`$exist` requires true or false'),
      ...expression('it is not a string'),
    ],
  },
  'finds lists that hold nothing': {
    sees: [asking({ a: { $in: [] } }), asking({ $or: [] })],
    finds: [...faulty('`$in` of `a` is empty, so nothing matches'), ...faulty('`$or` is empty, so nothing matches')],
  },
  'finds an expression that RE2 does not know': {
    sees: ['^(?!test)', '(?<=a)b', '(a)\\1'].map(($regex) => asking({ a: { $regex } })),
    finds: [
      ...expression('RE2 does not support `(?!`'),
      ...expression('RE2 does not support `(?<=`'),
      ...expression('RE2 does not support back-references (`\\1`)'),
    ],
  },
  'finds an expression that no engine supports': {
    sees: ['(a', 'a)', '[a', '*a', 'a|*', 'a**', 'a{3}+', 'a{2,1}', 'a{1001}', 'a\\'].map(($regex) =>
      asking({ a: { $regex } }),
    ),
    finds: [
      ...expression('`(` is not closed'),
      ...expression('`)` has no `(`'),
      ...expression('`[` is not closed'),
      ...expression('`*` has nothing to repeat'),
      ...expression('`*` has nothing to repeat'),
      ...expression('`*` follows another quantifier'),
      ...expression('`+` follows another quantifier'),
      ...expression('`{2,1}` is out of range'),
      ...expression('`{1001}` is out of range'),
      ...expression('it ends with a backslash'),
    ],
  },
  'leaves expressions alone that RE2 knows': {
    sees: [
      '^ord_[0-9a-f]{8,16}$',
      '(?i)order|(?:a|b)+?c*',
      '(?P<name>x)(?P<other>y)',
      '[[:alpha:]]+[^]a][]b]',
      '\\Q(*[\\E\\d\\pL\\x{10FFFF}\\.',
      'a{,2}{|}]',
      '(|a)(?s:.)\\(\\)',
      '',
    ].map(($regex) => asking({ a: { $regex } })),
  },
  'finds a value that must be two': {
    sees: [
      asking({ $and: [{ a: { $eq: 1 } }, { a: { $eq: 2 } }] }),
      asking({ a: { $eq: 1, $neq: 1 } }),
      asking({ a: { $eq: 'x', $in: ['y', 'z'] } }),
      asking({ a: { $in: ['y', 'z'], $nin: ['z', 'y'] } }),
    ],
    finds: ['', '', '', ''].flatMap(() => excluding('a')),
  },
  'finds a range with nothing in it': {
    sees: [
      asking({ amount: { $gt: 10, $lt: 5 } }),
      asking({ amount: { $gte: 10, $lt: 10 } }),
      asking({ amount: { $eq: 3, $gte: 10 } }),
      asking({ amount: { $in: [1, 2], $gt: 2 } }),
    ],
    finds: ['', '', '', ''].flatMap(() => excluding('amount')),
  },
  'finds a value of a field that must not exist': {
    sees: [
      asking({ a: { $exist: false, $eq: 1 } }),
      asking({ $and: [{ a: { $exist: false } }, { a: { $exist: true } }] }),
    ],
    finds: [...excluding('a'), ...excluding('a')],
  },
  'takes nested fields and dotted ones for the same': {
    sees: [asking({ 'data.amount': { $gt: 10 }, data: { amount: { $lt: 5 } } })],
    finds: excluding('data.amount'),
  },
  'finds alternatives none of which can hold': {
    sees: [asking({ $or: [{ a: { $in: [] } }, { b: { $gt: 2, $lt: 1 } }] })],
    finds: faulty('no branch of `$or` can match: `$in` of `a` is empty, so nothing matches'),
  },
  'leaves alternatives alone one of which can': { sees: [asking({ $or: [{ a: { $in: [] } }, { b: 1 }] })] },
  'leaves what can be satisfied alone': {
    sees: [
      {},
      { a: 1, b: { c: 'x' } },
      { amount: { $gte: 10, $lte: 10 } },
      { a: { $eq: 1, $in: [1, 2], $neq: 2, $nin: [3], $gt: 0 } },
      { a: { $exist: false, $neq: 1 } },
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
  'evaluates every part': {
    sees: [
      aSubscription({
        filter_config: {
          filter: Object.fromEntries(['body', 'headers', 'query', 'path'].map((part) => [part, { $x: 1 }])),
        },
      }),
    ],
    finds: ['body', 'headers', 'query', 'path'].map(
      (part) => `high s1/filter_config/filter/${part}: unknown operator \`$x\``,
    ),
  },
  'compares numbers that no double holds by their values': {
    sees: [
      asking({ a: { $gt: 'number:1234567890123456789', $lt: 'number:1234567890123456788' } }),
      asking({ a: { $gt: 'number:1234567890123456789', $lte: 'number:1234567890123456789' } }),
      asking({ a: { $gte: 'number:1e400', $lt: 5 } }),
      asking({ a: { $eq: 'number:-1e400', $gt: 0 } }),
      asking({ a: { $gt: 'number:1234567890123456788', $lt: 'number:1234567890123456789' } }),
      asking({ a: { $gt: 9007199254740992, $lte: 'number:9007199254740993' } }),
    ],
    finds: [excluding('a'), excluding('a'), excluding('a'), excluding('a')].flat(),
  },
  'does not treat a number as an expression, however large': {
    sees: [asking({ a: { $regex: 'number:1e400' } })],
    finds: expression('it is not a string'),
  },
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
    sees: [aSubscription({ filters: { 'a/b': { body: { x: { $ne: 1 } } } } })],
    finds: ['high s1/filters/a~1b/body: filter row of `a/b`: unknown operator `$ne`'],
  },
  'is silent where the filter is not shown': {
    sees: [aSubscription({ filter_config: { event_types: ['*'] } }), aSubscription({ filter_config: null })],
  },
}
