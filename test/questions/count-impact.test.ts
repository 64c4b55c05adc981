import { describe, expect, it } from 'vitest'
import type { GatewayDelivery, GatewayEvent } from '../../src/gateway/service/service-client.ts'
import type { JsonObject } from '../../src/model/json.ts'
import { countImpact, matchOf, reachOfEvents, type WindowRows } from '../../src/questions/count-impact.ts'

const window = { from: 1000, to: 9000 }
const all = {
  filter_config: { event_types: ['*'], filter: { body: {}, headers: {} } },
  endpoint_uid: 'A',
  source_uid: null,
}
const orders: JsonObject = { ...all, filter_config: { event_types: ['order'], filter: { body: {}, headers: {} } } }
const asking: JsonObject = { ...all, filters: { order: { body: { amount: 5 } } } }

const event = (uid: string, more: Partial<GatewayEvent> = {}): GatewayEvent => ({
  uid,
  type: 'order',
  endpoints: ['A'],
  sourceId: '',
  isDuplicate: false,
  isMatched: true,
  channel: 'named',
  createdAt: 5000,
  ...more,
})
const delivery = (
  eventId: string,
  status: GatewayDelivery['status'],
  more: Partial<GatewayDelivery> = {},
): GatewayDelivery => {
  return { uid: `d${eventId}`, eventId, endpointId: 'A', subscriptionId: 's', status, createdAt: 5000, ...more }
}
const rows = (more: Partial<WindowRows> = {}): WindowRows => ({
  window,
  deliveries: [],
  later: [],
  events: [],
  areAllEvents: true,
  isKept: true,
  reasons: [],
  ...more,
})
const endpoint = (former: JsonObject | undefined, more: object = {}) => ({
  uid: 'A',
  subscriptions: [{ former, isChanged: true }],
  hasOtherOwner: false,
  peers: new Set(['P']),
  traceless: [],
  ...more,
})

describe('events without a delivery', () => {
  it.each<[string, JsonObject | undefined, Partial<WindowRows>, number | null, RegExp?, object?]>([
    [
      'none, where no subscription changed',
      all,
      { events: undefined },
      0,
      /^$/,
      { subscriptions: [{ former: all, isChanged: false }] },
    ],
    ['events that name the endpoint', all, { events: [event('1'), event('2')] }, 2],
    [
      'not those that have a delivery',
      all,
      { events: [event('1'), event('2')], deliveries: [delivery('1', 'Failure')] },
      1,
    ],
    ['not those that got one after the window', all, { events: [event('1')], later: [delivery('1', 'Success')] }, 0],
    [
      'not those that another endpoint got alone',
      all,
      { events: [event('1')], deliveries: [delivery('1', 'Success', { endpointId: 'B' })] },
      1,
    ],
    ['never duplicates', all, { events: [event('1', { isDuplicate: true, isMatched: false })] }, 0],
    [
      'not those before or after the window',
      all,
      { events: [event('1', { createdAt: 999 }), event('2', { createdAt: 9001 })] },
      0,
    ],
    ['not types that were not delivered before', orders, { events: [event('1'), event('2', { type: 'user' })] }, 1],
    ['nothing, where it led nowhere before', undefined, { events: [event('1')] }, 0],
    ['not what is not matched yet', all, { events: [event('1', { isMatched: false })] }, 0, /not matched yet/],
    ['unknown, where contents decided', asking, { events: [event('1')] }, null, /conditions on their contents/],
    [
      'unknown, with a broadcast',
      all,
      { events: [event('1'), event('2', { endpoints: [], channel: 'broadcast' })] },
      null,
      /broadcasts/,
    ],
    [
      'unknown, where the gateway does not show how an event came',
      all,
      { events: [event('2', { endpoints: ['B'], channel: undefined })] },
      null,
      /broadcasts/,
    ],
    ['known, with a broadcast that names it', all, { events: [event('2', { channel: 'broadcast' })] }, 1],
    [
      'known, with a broadcast of another type',
      orders,
      { events: [event('2', { endpoints: [], channel: 'broadcast', type: 'user' })] },
      0,
    ],
    [
      'known, with events for other endpoints and owners',
      all,
      { events: [event('2', { endpoints: ['B'] }), event('3', { endpoints: ['B'], channel: 'owner' })] },
      0,
    ],
    [
      'unknown, with an event for its owner, which others have, too',
      all,
      { events: [event('3', { endpoints: ['P'], channel: 'owner' })] },
      null,
      /for an owner/,
    ],
    [
      'unknown, with an event for an owner, where its own changed',
      all,
      { events: [event('3', { endpoints: [], channel: 'owner' })] },
      null,
      /owner/,
      { hasOtherOwner: true },
    ],
    ['unknown, where not all events were read', all, { events: [], areAllEvents: false }, null, /Not all events/],
    ['unknown, where none was read', all, { events: undefined, reasons: ['Not counted: 502.'] }, null, /502/],
    ['unknown, where they left no trace', all, { events: [event('1')] }, null, /^gone$/, { traceless: ['gone'] }],
    ['unknown, where the gateway keeps less', all, { isKept: false }, null, /may have deleted/],
    [
      'events of a source that led to it',
      { ...all, source_uid: 'S' },
      {
        events: [
          event('1', { sourceId: 'S', endpoints: [], channel: 'owner' }),
          event('2', { sourceId: 'T', endpoints: [] }),
        ],
      },
      1,
    ],
  ])('%s', (_, former, some, undelivered, reasons = /^$/, more = {}) => {
    const counted = countImpact(endpoint(former, more), rows(some))
    expect(counted.undelivered).toBe(undelivered)
    expect(counted.reasons.join('\n')).toMatch(reasons)
  })

  it('are named where that is certain, also when there may be more', () => {
    const some = [event('1'), event('2', { endpoints: [], channel: 'broadcast' })]
    expect(countImpact(endpoint(all), rows({ events: some })).lost).toEqual(['1'])
  })
})

describe('deliveries', () => {
  it('are counted by their status, and those of the endpoint alone', () => {
    const deliveries = [
      delivery('1', 'Failure'),
      delivery('2', 'Discarded'),
      delivery('3', 'Retry'),
      delivery('4', 'Success'),
      delivery('5', 'Failure', { endpointId: 'B' }),
    ]
    const later = [delivery('1', 'Success'), delivery('2', 'Scheduled'), delivery('6', 'Failure')]
    const { reached, ...counted } = countImpact(endpoint(all, { subscriptions: [] }), rows({ deliveries, later }))
    expect(counted).toEqual({
      deliveries: { Scheduled: 0, Processing: 0, Discarded: 1, Failure: 1, Success: 1, Retry: 1 },
      undelivered: 0,
      failed: [
        { eventId: '1', subscriptionId: 's', status: 'Failure' },
        { eventId: '2', subscriptionId: 's', status: 'Discarded' },
      ],
      lost: [],
      pending: 1,
      reasons: [],
    })
    expect([...(reached ?? [])].sort()).toEqual(['1', '2', '3', '4'])
  })

  it('are not known to be none, where the gateway may have deleted some, or has a status that is not known', () => {
    const unsure = { Scheduled: null, Processing: null, Discarded: null, Failure: 1, Success: null, Retry: null }
    const deliveries = [delivery('1', 'Failure')]
    expect(countImpact(endpoint(all), rows({ deliveries, isKept: false })).deliveries).toEqual(unsure)
    const strange = rows({ deliveries: [...deliveries, delivery('2', undefined)] })
    expect(countImpact(endpoint(all), strange).deliveries).toEqual(unsure)
  })

  it('are not known to have arrived since, where that could not be read', () => {
    expect(countImpact(endpoint(all), rows({ later: undefined })).reached).toBeUndefined()
  })
})

it.each<[JsonObject, string, string]>([
  [all, 'order', 'always'],
  [orders, 'order', 'always'],
  [orders, 'user', 'never'],
  [{ filter_config: { event_types: [], filter: {} } }, 'order', 'always'],
  [{ filter_config: { event_types: ['*'], filter: { body: { a: 1 } } } }, 'order', 'maybe'],
  [{ filter_config: {} }, 'order', 'maybe'],
  [{}, 'order', 'maybe'],
  [{ filter_config: { event_types: ['sealed:masked'] } }, 'order', 'maybe'],
  // Rows decide, where they were read.
  [{ ...all, filters: {} }, 'order', 'never'],
  [{ ...orders, filters: { '*': {} } }, 'user', 'always'],
  [{ ...all, filters: { order: { body: { a: 1 } }, '*': {} } }, 'order', 'maybe'],
  [{ ...all, filters: { order: { enabled_at: null } } }, 'order', 'never'],
  [{ ...all, filters: { '#0': {} } }, 'order', 'maybe'],
])('a subscription %j delivers the type %s: %s', (subscription, type, expected) => {
  expect(matchOf(subscription, type)).toBe(expected)
})

it('a replay reaches the endpoints that match now: of those that an event names, or of its source', () => {
  const to = (endpoint: string, more: JsonObject = {}) => ({ ...all, endpoint_uid: endpoint, ...more })
  const subscriptions = [to('A'), to('B'), to('B'), to('C', { filters: {} }), to('D', { source_uid: 'S' }), to('gone')]
  const events = [
    event('1', { endpoints: ['A', 'B', 'C'] }),
    event('2', { endpoints: ['A', 'gone'] }),
    event('3', { sourceId: 'S', endpoints: ['gone'] }),
    event('4', { endpoints: [] }),
  ]
  const reachOf = reachOfEvents(events, { subscriptions, deleted: new Set(['gone']) })
  expect(['1', '2', '3', '4', '5'].map(reachOf)).toEqual([['A', 'B'], 'nowhere', ['D'], [], undefined])
})
