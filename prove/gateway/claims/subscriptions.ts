import type { EventFilterRow, SourceRow, SubscriptionRow } from '../../../src/demo/rows.ts'
import type { JsonObject } from '../../../src/model/json.ts'
import type { Claim, Configuration } from '../claim.ts'

const compare = 'read v26.7.3 pkg/compare/compare.go'
const creation = 'read v26.7.3 worker/task/process_event_creation.go'
const tried = 'tried v26.3.6'

const failing = 'subscription/filter-failing'
const unsatisfiable = 'subscription/filter-unsatisfiable'
const unreachable = 'subscription/filter-unreachable'
const aboutFilters = [failing, unsatisfiable, unreachable]

interface Conditions {
  readonly body?: JsonObject
  readonly headers?: JsonObject
  readonly query?: JsonObject
  readonly path?: JsonObject
}

/** A subscription to `paid` whose one row has what is declared. */
function asking({ body = {}, headers = {}, query = {}, path = {} }: Conditions): Partial<SubscriptionRow> {
  return { filter_config: { event_types: ['paid'], filter: { is_flattened: true, headers, body, query, path } } }
}

const body = (conditions: JsonObject): Configuration => ({ subscriptions: [asking({ body: conditions })] })
const at = (part: string) => `0/filter_config/filter/${part}`
const never = [`high ${unsatisfiable} ${at('body')}`]
const fails = [`critical ${failing} ${at('body')}`]

const on = '2026-11-01T00:00:00Z'

/** Rows of these event types, without conditions unless some are given. */
function rows(...types: readonly (string | Partial<EventFilterRow>)[]): readonly EventFilterRow[] {
  return types.map((given, index) => {
    const row = {
      uid: `01M0000000000000000000R${index}00`,
      event_type: 'paid',
      headers: {},
      body: {},
      query: {},
      path: {},
    }
    return { ...row, enabled_at: on, ...(typeof given === 'string' ? { event_type: given } : given) }
  })
}

/** An incoming project with one source, whose subscription has these rows. */
function incoming(source: Partial<SourceRow>, subscription: Partial<SubscriptionRow>): Configuration {
  return { type: 'incoming', sources: [{ type: 'http', ...source }], subscriptions: [subscription] }
}

const declaring = (event_types: readonly string[], filters: readonly EventFilterRow[]): Partial<SubscriptionRow> => ({
  filter_config: { event_types, filter: { is_flattened: true, headers: {}, body: {} } },
  filters,
})

export const claims: readonly Claim[] = [
  {
    given: 'a filter of `$exist: false` alone',
    does: 'matches neither an event without the field nor one with it',
    known: [tried, compare],
    has: body({ deleted: { $exist: false } }),
    asks: aboutFilters,
    says: never,
  },
  {
    given: '`$exist: false` next to another field',
    does: 'matches an event that lacks the first and has the other',
    known: [tried, compare],
    has: body({ deleted: { $exist: false }, type: 'x' }),
    asks: aboutFilters,
    says: [],
  },
  {
    given: 'a field that is compared with an empty list',
    does: 'matches nothing, not even an empty list',
    known: [tried, compare],
    has: body({ tags: [] }),
    asks: aboutFilters,
    says: never,
  },
  {
    given: 'a field that is compared with null',
    does: 'does not match an event with null there',
    known: [tried, compare],
    has: body({ deleted: null }),
    asks: aboutFilters,
    says: never,
  },
  {
    given: 'an empty `$in`',
    does: 'matches no value',
    known: [tried, compare],
    has: body({ country: { $in: [] } }),
    asks: aboutFilters,
    says: never,
  },
  {
    given: 'an empty `$in` next to another field',
    does: 'matches an event without the first field',
    known: [tried, compare],
    has: body({ country: { $in: [] }, type: 'x' }),
    asks: aboutFilters,
    says: [],
  },
  {
    given: 'a range with nothing in it',
    does: 'matches no number',
    known: [tried, compare],
    has: body({ amount: { $gt: 10, $lt: 5 } }),
    asks: aboutFilters,
    says: never,
  },
  {
    given: 'a range with nothing in it next to another field',
    does: 'matches an event without an amount',
    known: [tried, compare],
    has: body({ amount: { $gt: 10, $lt: 5 }, type: 'x' }),
    asks: aboutFilters,
    says: [],
  },
  {
    given: '`$eq` of a number and `$in` of the same number as a text',
    does: 'matches the text, which `$eq` takes for a number',
    known: [tried, compare],
    has: body({ amount: { $eq: 5, $in: ['5'] } }),
    asks: aboutFilters,
    says: [],
  },
  {
    given: 'a member of a list that must be two things',
    does: 'never matches, also next to another field, because such a condition is not skipped',
    known: [tried, compare],
    has: body({ 'items.$.n': { $gt: 10, $lt: 5 }, type: 'x' }),
    asks: aboutFilters,
    says: never,
  },
  {
    given: 'a member of a list',
    does: 'matches an event that has it',
    known: [tried, compare],
    has: body({ 'items.$.sku': 'a' }),
    asks: aboutFilters,
    says: [],
  },
  {
    given: 'a name that ends with `.$`',
    does: 'is an error for every event',
    known: [tried, compare, creation],
    has: body({ 'tags.$': 'urgent' }),
    asks: aboutFilters,
    says: fails,
  },
  {
    given: 'more than three `$.`',
    does: 'is an error for every event',
    known: [tried, compare],
    has: body({ 'a.$.b.$.c.$.d.$.e': 1 }),
    asks: aboutFilters,
    says: fails,
  },
  {
    given: '`$gt` of a date, next to another field',
    does: 'is an error for every event that has the first field',
    known: [tried, compare],
    has: body({ created: { $gt: '2024-01-01' }, type: 'x' }),
    asks: aboutFilters,
    says: fails,
  },
  {
    given: '`$gte` of a date',
    does: 'matches nothing, and is not an error',
    known: [tried, compare],
    has: body({ created: { $gte: '2024-01-01' } }),
    asks: aboutFilters,
    says: never,
  },
  {
    given: '`$lt` of a date',
    does: 'matches everything that has the field',
    known: [tried, compare],
    has: body({ created: { $lt: '2024-01-01' } }),
    asks: aboutFilters,
    says: [],
  },
  {
    given: 'an expression that Go does not compile',
    does: 'is an error for every event that has the field',
    known: [tried, compare],
    has: body({ name: { $regex: '^(?!test)' } }),
    asks: aboutFilters,
    says: fails,
  },
  {
    given: 'an expression that names two groups alike',
    does: 'is compiled by Go',
    known: [tried, compare],
    has: body({ name: { $regex: '(?P<n>x)(?P<n>y)' } }),
    asks: aboutFilters,
    says: [],
  },
  {
    given: 'an `$exist` that is a text',
    does: 'panics for every event that has the field',
    known: [tried, compare],
    has: body({ name: { $exist: 'yes' } }),
    asks: aboutFilters,
    says: fails,
  },
  {
    given: '`$or` below a field',
    does: 'is an error for every scalar and list',
    known: [tried, compare],
    has: body({ amount: { $or: [{ $gt: 10 }, { $lt: 5 }] } }),
    asks: aboutFilters,
    says: fails,
  },
  {
    given: '`$in` with a value that is not a list',
    does: 'matches a list that has it',
    known: [tried, compare],
    has: body({ tags: { $in: 'urgent' } }),
    asks: aboutFilters,
    says: [],
  },
  {
    given: '`true` for a header',
    does: 'matches nothing, because headers are texts',
    known: [compare],
    has: { subscriptions: [asking({ headers: { 'X-Test': true } })] },
    asks: aboutFilters,
    says: [`high ${unsatisfiable} ${at('headers')}`],
  },
  {
    given: 'a header in small letters, over an http source',
    does: 'never matches: the name is stored as `X-Region`',
    known: [tried, 'read v26.7.3 api/ingest.go'],
    has: incoming({}, { ...asking({ headers: { 'x-region': 'eu' } }) }),
    asks: aboutFilters,
    says: [`high ${unreachable} ${at('headers')}`],
  },
  {
    given: 'the same header as Go writes it',
    does: 'matches',
    known: [tried, compare],
    has: incoming({}, asking({ headers: { 'X-Region': 'eu' } })),
    asks: aboutFilters,
    says: [],
  },
  {
    given: 'a header in small letters in an outgoing project',
    does: 'matches the header that the event was sent with',
    known: ['read v26.7.3 worker/task/process_event_creation.go'],
    has: { subscriptions: [asking({ headers: { 'x-region': 'eu' } })] },
    asks: aboutFilters,
    says: [],
  },
  {
    given: 'a row of the sender’s type on an http source',
    does: 'lets nothing through: every event has the mask id as its type',
    known: [tried, 'read v26.3.6 api/ingest.go'],
    has: incoming({ mask_id: 'MaskOfSource1234' }, declaring(['invoice.paid'], rows('invoice.paid'))),
    asks: ['subscription/event-type-unreachable'],
    says: ['high subscription/event-type-unreachable 0/filters'],
  },
  {
    given: 'rows of the mask id and of another type',
    does: 'let the source’s events through',
    known: [tried],
    has: incoming(
      { mask_id: 'MaskOfSource1234' },
      declaring(['MaskOfSource1234', 'other'], rows('MaskOfSource1234', 'other')),
    ),
    asks: ['subscription/event-type-unreachable'],
    says: [],
  },
  {
    given: 'a row of `*` on an http source',
    does: 'lets the source’s events through',
    known: [tried],
    has: incoming({ mask_id: 'MaskOfSource1234' }, declaring(['*'], rows('*'))),
    asks: ['subscription/event-type-unreachable'],
    says: [],
  },
  {
    given: 'no filter row',
    does: 'lets broadcast and dynamic events through, and no others',
    known: [tried, creation],
    has: { subscriptions: [declaring(['paid'], [])] },
    asks: ['subscription/no-filter', 'subscription/filter-diverges'],
    says: ['high subscription/no-filter 0/filters'],
  },
  {
    given: 'a row of a type that is not declared',
    does: 'lets events to the endpoint through, and no broadcast of the type; the next update deletes it',
    known: [tried],
    has: { subscriptions: [declaring(['a'], rows('a', 'b'))] },
    asks: ['subscription/filter-diverges'],
    says: ['high subscription/filter-diverges 0/filters'],
  },
  {
    given: 'rows as declared',
    does: 'let the declared types through',
    known: [tried],
    has: { subscriptions: [declaring(['a', 'b'], rows('a', 'b'))] },
    asks: ['subscription/filter-diverges', 'subscription/no-filter'],
    says: [],
  },
  {
    given: 'two types that differ in case',
    does: 'are two types: an event of one does not match the row of the other',
    known: [tried],
    has: { subscriptions: [declaring(['Order.Paid', 'order.paid'], rows('Order.Paid', 'order.paid'))] },
    asks: ['subscription/event-type-odd'],
    says: [],
  },
  {
    given: 'a type with a blank at its end',
    does: 'does not match events of the type without it',
    known: ['read v26.7.3 api/handlers/event.go'],
    has: { subscriptions: [declaring(['order.paid '], rows('order.paid '))] },
    asks: ['subscription/event-type-odd'],
    says: ['medium subscription/event-type-odd 0/filter_config/event_types'],
  },
  {
    given: 'at-most-once delivery',
    does: 'does not try again after an answer of 500',
    known: [tried, 'read v26.7.3 worker/task/process_event_delivery.go'],
    has: { subscriptions: [{ delivery_mode: 'at_most_once' }] },
    asks: ['subscription/at-most-once'],
    says: ['medium subscription/at-most-once 0/delivery_mode'],
  },
  {
    given: 'two subscriptions of one source and one endpoint',
    does: 'deliver each event twice',
    known: [tried],
    has: {
      type: 'incoming',
      sources: [{ type: 'http' }],
      subscriptions: [declaring(['*'], rows('*')), declaring(['*'], rows('*'))],
    },
    asks: ['subscription/duplicate'],
    says: [
      'high subscription/duplicate 0/filter_config/event_types',
      'high subscription/duplicate 1/filter_config/event_types',
    ],
  },
  {
    given: 'a subscription without an endpoint',
    does: 'is passed over; from v26.7.3 on, its events fail for all',
    known: [tried, 'read v26.7.3 worker/task/process_event_channel.go'],
    has: { subscriptions: [{ endpoint_id: null }] },
    asks: ['subscription/target-missing'],
    says: ['high subscription/target-missing 0/endpoint_uid'],
  },
  {
    given: 'a paused endpoint',
    does: 'has its events discarded',
    known: [tried, creation],
    has: { endpoints: [{ status: 'paused' }] },
    asks: ['subscription/target-not-active'],
    says: ['high subscription/target-not-active 0/endpoint_uid'],
  },
  {
    given: 'a subscription of an inactive endpoint',
    does: 'has its events discarded, which is said of the endpoint alone',
    known: [creation],
    has: { endpoints: [{ status: 'inactive' }] },
    asks: ['subscription/target-not-active'],
    says: [],
  },
  {
    given: 'a function that logs the payload',
    does: 'leaves no log: the worker drops it',
    known: [creation],
    has: { subscriptions: [{ function: 'function transform(payload) { console.log(payload); return payload }' }] },
    asks: ['subscription/function-suspicious'],
    says: [],
  },
  {
    given: 'a condition that is added next to another one',
    does: 'lets events through that lack the first field',
    known: [tried, compare],
    had: body({ tenant: 't1' }),
    has: body({ tenant: 't1', type: 'x' }),
    asks: ['drift/filter-widened'],
    says: ['medium drift/filter-widened 0/filters/paid/body'],
  },
  {
    given: 'a branch that is added next to `$or`',
    does: 'narrows, because `$or` is never skipped',
    known: [compare],
    had: body({ $or: [{ tenant: 't1' }] }),
    has: body({ $or: [{ tenant: 't1' }], type: 'x' }),
    asks: ['drift/filter-widened'],
    says: [],
  },
  {
    given: 'a filter that matched nothing, and gets a condition that can hold',
    does: 'lets some events through',
    known: [tried, compare],
    had: body({ deleted: { $exist: false } }),
    has: body({ deleted: { $exist: false }, type: 'x' }),
    asks: ['drift/filter-widened'],
    says: ['medium drift/filter-widened 0/filters/paid/body'],
  },
  {
    given: 'a row that was deleted',
    does: 'lets no event of its type through to the endpoint',
    known: [tried],
    had: { subscriptions: [declaring(['a', 'b'], rows('a', 'b'))] },
    has: { subscriptions: [declaring(['a', 'b'], rows('b'))] },
    asks: ['drift/filter-removed'],
    says: ['high drift/filter-removed 0/filters'],
  },
]
