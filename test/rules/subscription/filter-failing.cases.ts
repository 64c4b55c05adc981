import type { JsonObject } from '../../../src/model/json.ts'
import { aSubscription, type Cases } from '../rule-cases.ts'

const asking = (body: JsonObject) => aSubscription({ filter_config: { event_types: ['*'], filter: { body } } })
const faulty = (fault: string) => [`critical s1/filter_config/filter/body: ${fault}`]
const expression = (fault: string) => faulty(`\`$regex\` of \`a\` does not compile: ${fault}`)

export const cases: Cases = {
  'finds names that the service refuses with every event': {
    sees: [
      asking({ 'tags.$': 'urgent' }),
      asking({ $or: [{ 'tags.$': 'urgent' }, { a: 1 }] }),
      asking({ 'a.$.b.$.c.$.d.$.e': 1 }),
    ],
    finds: [
      ...faulty('`tags.$` ends with `.$`'),
      ...faulty('`tags.$` ends with `.$`'),
      ...faulty('`a.$.b.$.c.$.d.$.e` has more than three `$.`'),
    ],
  },
  'finds operands that are an error for every event with the field, also next to other fields': {
    sees: [
      asking({ at: { $gt: '2024-01-01' } }),
      asking({ at: { $lte: '2024-01-01' }, a: 1 }),
      asking({ $and: [{ at: { $gt: 'x' } }, { at: 1 }] }),
      asking({ a: { $exist: 'yes' } }),
      asking({ a: { $regex: 5 } }),
      asking({ $or: { a: 1 } }),
      asking({ a: { $or: [{ $gt: 10 }, { $lt: 5 }] } }),
    ],
    finds: [
      ...faulty('`$gt` of `at` requires a number'),
      ...faulty('`$lte` of `at` requires a number'),
      ...faulty('`$gt` of `at` requires a number'),
      ...faulty('`$exist` of `a` requires true or false'),
      ...expression('it is not a string'),
      ...faulty('`$or` requires a list'),
      ...faulty('`$or` of `a` belongs above the field'),
    ],
  },
  'finds an unknown operator, unless its option names it': {
    sees: [asking({ a: { $ne: 1 } }), asking({ $or: [{ a: 1 }, { b: { $near: 1 } }] })],
    options: { known_operators: ['$near'] },
    finds: faulty('unknown operator `$ne`'),
  },
  'finds an expression that RE2 does not know': {
    sees: ['^(?!test)', '(a)\\1', 'abc\\Z', '(a', 'a{2,1}', 'a\\'].map(($regex) => asking({ a: { $regex } })),
    finds: [
      ...expression('invalid or unsupported Perl syntax: `(?!`'),
      ...expression('invalid escape sequence: `\\1`'),
      ...expression('invalid escape sequence: `\\Z`'),
      ...expression('missing closing ): `(a`'),
      ...expression('invalid repeat count: `{2,1}`'),
      ...expression('trailing backslash at end of expression'),
    ],
  },
  'leaves expressions alone that Go knows': {
    sees: ['^ord_[0-9a-f]{8,16}$', '(?i)order', '(?P<n>x)(?P<n>y)', '[[:alpha:]]+[^]a]', '(?<n>a)', ''].map(($regex) =>
      asking({ a: { $regex } }),
    ),
  },
  'finds a list that headers need, and knows that only http sources have a query': {
    sees: [aSubscription({ filter_config: { filter: { headers: { a: { $in: 'x' } }, query: { a: { $in: 'x' } } } } })],
    finds: ['critical s1/filter_config/filter/headers: `$in` of `a` requires a list'],
  },
  'finds a row by its event type': {
    sees: [aSubscription({ filters: { a: { body: { 'x.$': 1 } }, b: { body: { 'x.$': 1 }, enabled_at: null } } })],
    finds: ['critical s1/filters/a/body: filter row of `a`: `x.$` ends with `.$`'],
  },
  'leaves alone what is an error for some values only, or matches nothing': {
    sees: [{ a: { $gt: 10 } }, { a: { $in: 5 } }, { a: { $regex: 'x' } }, { a: { $in: [] } }, { a: { $lt: 'x' } }].map(
      asking,
    ),
  },
  'does not treat a number as an expression, however large': {
    sees: [asking({ a: { $regex: 'number:1e400' } })],
    finds: expression('it is not a string'),
  },
}
