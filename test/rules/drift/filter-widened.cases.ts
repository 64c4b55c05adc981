import type { JsonObject } from '../../../src/model/json.ts'
import { aSubscription, type Cases, changed } from '../rule-cases.ts'

const types = (...event_types: string[]) => ({ filter_config: { event_types } })
const body = (conditions: JsonObject) => ({
  filter_config: { event_types: ['*'], filter: { body: conditions, headers: {} } },
})
const widened = (before: JsonObject, after: JsonObject) => [changed(aSubscription(before), after)]

export const cases: Cases = {
  'finds event types that came': {
    compares: widened(types('order.paid'), types('order.paid', 'order.refunded')),
    finds: ['medium s1/filter_config/event_types: lets more event types through: order.refunded'],
  },
  'finds a wildcard where there were names': {
    compares: widened(types('order.paid'), types('*')),
    finds: ['medium s1/filter_config/event_types: lets every event type through, where it named some'],
  },
  'leaves fewer event types alone': { compares: widened(types('a', 'b'), types('a')), finds: [] },
  'leaves names alone that replace a wildcard': { compares: widened(types('*'), types('a')), finds: [] },
  'finds a filter that is gone': {
    compares: widened(body({ country: 'DE' }), body({})),
    finds: ['medium s1/filter_config/filter: no longer filters anything'],
  },
  'finds a condition that is gone': {
    compares: widened(body({ country: 'DE', amount: { $gt: 10 } }), body({ country: 'DE' })),
    finds: ['medium s1/filter_config/filter/body: asks for less: /filter_config/filter/body/amount is gone'],
  },
  'finds relaxed operators, and counts them': {
    compares: widened(
      body({ amount: { $gte: 100, $lt: 500 }, country: { $in: ['DE'] }, city: { $nin: ['Bonn', 'Ulm'] } }),
      body({ amount: { $gte: 10, $lt: 900 }, country: { $in: ['DE', 'AT'] }, city: { $nin: ['Ulm'] } }),
    ),
    finds: [
      'medium s1/filter_config/filter/body: asks for less: /filter_config/filter/body/amount/$gte was 100, is 10, and 3 more',
    ],
  },
  'compares numbers that exceed a double by value, and shows their digits': {
    compares: widened(
      body({ id: { $gt: 'number:1234567890123456789' } }),
      body({ id: { $gt: 'number:1234567890123456788' } }),
    ),
    finds: [
      'medium s1/filter_config/filter/body: asks for less: /filter_config/filter/body/id/$gt was 1234567890123456789, is 1234567890123456788',
    ],
  },
  'leaves stricter operators alone': {
    compares: widened(
      body({ amount: { $gte: 10 }, country: { $in: ['DE', 'AT'] }, $or: [{ a: 1 }, { b: 1 }] }),
      body({ amount: { $gte: 100 }, country: { $in: ['DE'] }, $or: [{ a: 1 }] }),
    ),
    finds: [],
  },
  'does not guess when one condition replaces another': {
    compares: widened(body({ country: 'DE' }), body({ region: 'EU' })),
    finds: [],
  },
  'is silent where the filter is not shown': {
    compares: widened(body({ country: 'DE' }), { filter_config: { event_types: ['*'] } }),
    finds: [],
  },
}
