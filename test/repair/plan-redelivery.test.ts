import { describe, expect, it } from 'vitest'
import { type LostDeliveries, planRedelivery, type ReachOf } from '../../src/gateway/repair/plan-redelivery.ts'

const failed = (eventId: string, more: Partial<LostDeliveries['failed'][number]> = {}) => {
  return { eventId, subscriptionId: 's', status: 'Failure' as const, ...more }
}
const discarded = (eventId: string) => failed(eventId, { status: 'Discarded' })

const lost = (more: Partial<LostDeliveries> = {}): LostDeliveries => ({
  uid: 'A',
  name: 'endpoint A',
  window: 'w',
  failed: [],
  undelivered: [],
  reached: new Set(),
  pending: 0,
  status: 'active',
  headers: 'accepted',
  isSwitchedOff: false,
  blocked: undefined,
  restoring: [],
  ...more,
})

/** Every event reaches the endpoints of these rows. */
const reaching =
  (...uids: readonly string[]): ReachOf =>
  () =>
    uids

const retry = (...statuses: readonly string[]) => ({ endpoints: ['A'], statuses })
const replay = (...events: readonly string[]) => ({ events, alsoReaches: [] })

interface Expected {
  readonly retry?: object
  readonly replay?: object
  readonly activate?: readonly string[]
  readonly reasons?: RegExp
}

/** Drifts, and what brings one endpoint what they cost it. */
const cases: readonly (readonly [drift: string, row: Partial<LostDeliveries>, expected: Expected])[] = [
  ['nothing was lost', {}, {}],
  ['what was paused and is not', { failed: [discarded('1')] }, { retry: retry('Discarded') }],
  [
    'what is still paused: a retry delivers all the same',
    { failed: [discarded('1')], status: 'paused' },
    { retry: retry('Discarded'), reasons: /paused: a retry delivers all the same/ },
  ],
  [
    'what is still inactive',
    { failed: [discarded('1')], status: 'inactive' },
    { retry: retry('Discarded'), activate: ['A'], reasons: /inactive: activate it first/ },
  ],
  [
    'what the service switched off after the last retry',
    { failed: [failed('1'), discarded('2')], status: 'inactive' },
    { retry: retry('Failure', 'Discarded'), activate: ['A'], reasons: /activate it first/ },
  ],
  ['a receiver that refused, with the URL put back', { failed: [failed('1')] }, { retry: retry('Failure') }],
  [
    'authentication that was lost and put back',
    { failed: [failed('1'), failed('2')], headers: 'changed' },
    { replay: replay('1', '2'), reasons: /headers from when it was made/ },
  ],
  [
    'authentication by a token that ends',
    { failed: [failed('1')], headers: 'expired' },
    { replay: replay('1'), reasons: /OAuth2/ },
  ],
  [
    'authentication of which it is not known',
    { failed: [failed('1')], headers: 'unknown' },
    { replay: replay('1'), reasons: /is not known/ },
  ],
  [
    'a replay to what is paused, where a retry would do',
    { failed: [failed('1')], headers: 'changed', status: 'paused' },
    { replay: replay('1'), activate: ['A'], reasons: /paused: activate it first/ },
  ],
  [
    'authentication that is not put back',
    { failed: [failed('1')], blocked: 'Put it back.' },
    { reasons: /^Put it back\.$/ },
  ],
  ['no row for the type of the event, put back', { undelivered: ['1', '2'] }, { replay: replay('1', '2') }],
  [
    'some failed, and some were never made',
    { failed: [failed('1')], undelivered: ['2'] },
    { retry: retry('Failure'), replay: replay('2') },
  ],
  ['a deleted endpoint', { failed: [failed('1')], status: 'gone' }, { reasons: /deleted.*none is printed/ }],
  ['a deleted endpoint that lost nothing', { status: 'gone' }, {}],
  ['what is still tried', { pending: 3 }, { reasons: /^3 deliveries are still tried: Convoy goes on by itself\.$/ }],
  [
    'what arrived since',
    { failed: [failed('1'), failed('2')], reached: new Set(['1']) },
    { replay: replay('2'), reasons: /1 failed delivery of events that arrived since/ },
  ],
  [
    'a project that switches endpoints off after the last attempt',
    { failed: [failed('1'), discarded('2')], isSwitchedOff: true },
    { replay: replay('1', '2'), reasons: /disable_endpoint/ },
  ],
  [
    'the same where nothing was attempted',
    { failed: [discarded('2')], isSwitchedOff: true },
    { retry: retry('Discarded') },
  ],
  ['what all arrived since', { failed: [failed('1')], reached: new Set(['1']) }, { reasons: /arrived since/ }],
  ['what never was delivered, and was replayed since', { undelivered: ['1'], reached: new Set(['1']) }, {}],
  [
    'what failed twice, because a person replayed it too early',
    { failed: [failed('1'), failed('1'), failed('2')] },
    { replay: replay('1', '2'), reasons: /failed more than once/ },
  ],
  [
    'an event that two subscriptions of the endpoint deliver',
    { failed: [failed('1'), failed('1', { subscriptionId: 't' })] },
    { retry: retry('Failure') },
  ],
  ['what arrived since cannot be read', { failed: [failed('1')], reached: undefined }, { reasons: /none is printed/ }],
  [
    'ids of events that are no part of an address',
    { undelivered: ['../../x', 'a b', "';rm -rf", '1'] },
    { replay: replay('1'), reasons: /3 events whose ids no address can name/ },
  ],
]

describe('the redelivery of what an endpoint lost', () => {
  it.each(cases)('%s', (_, row, { retry = null, replay = null, activate = [], reasons = /^$/ }) => {
    const [plan] = planRedelivery([lost(row)], reaching('A'))
    const { deliveries: __, ...shown } = plan?.retry ?? { deliveries: 0 }
    expect(plan).toMatchObject({ replay, activate })
    expect(plan?.retry === null ? null : shown).toEqual(retry)
    expect(plan?.reasons.join('\n')).toMatch(reasons)
  })

  it('has a way for each row of one project, and delivers nothing twice', () => {
    const b = { uid: 'B', name: 'endpoint B' }
    const plans = (rows: readonly LostDeliveries[], reachOf: ReachOf = reaching('A', 'B')) =>
      planRedelivery(rows, reachOf).map(({ retry, replay, reasons }) => ({ retry, replay, said: reasons.join(' ') }))

    expect(plans([lost({ failed: [discarded('1')] }), lost({ ...b, failed: [failed('2')] })])).toEqual([
      { retry: { endpoints: ['A', 'B'], statuses: ['Failure', 'Discarded'], deliveries: 2 }, replay: null, said: '' },
      { retry: null, replay: null, said: expect.stringContaining('Retried by the request of endpoint A') },
    ])
    expect(plans([lost({ failed: [failed('1')] }), lost({ ...b, window: 'v', failed: [failed('2')] })])).toEqual([
      { retry: { endpoints: ['A'], statuses: ['Failure'], deliveries: 1 }, replay: null, said: '' },
      {
        retry: { endpoints: ['B'], statuses: ['Failure'], deliveries: 1 },
        replay: null,
        said: expect.stringContaining('Send the retry when that of endpoint A has ended'),
      },
    ])
    // A broadcast that both lost is replayed once, and reaches both.
    expect(plans([lost({ undelivered: ['1'] }), lost({ ...b, undelivered: ['1', '2'] })])).toEqual([
      { retry: null, replay: { events: ['1'], alsoReaches: [] }, said: '' },
      {
        retry: null,
        replay: { events: ['2'], alsoReaches: ['A'] },
        said: expect.stringContaining('1 event that is replayed with those of endpoint A'),
      },
    ])
    // What a replay for one brings the other must not be retried there.
    expect(
      plans([
        lost({ failed: [failed('1')], headers: 'changed' }),
        lost({ ...b, failed: [discarded('1'), discarded('2')] }),
      ]),
    ).toMatchObject([
      { retry: null, replay: { events: ['1'], alsoReaches: [] } },
      { retry: null, replay: { events: ['2'], alsoReaches: ['A'] } },
    ])
    expect(
      plans([lost({ failed: [failed('1')], headers: 'changed' }), lost({ ...b, failed: [discarded('2')] })], (event) =>
        event === '1' ? ['A', 'C'] : ['B'],
      ),
    ).toMatchObject([
      { retry: null, replay: { events: ['1'], alsoReaches: ['C'] }, said: expect.stringContaining('1 other endpoint') },
      { retry: { endpoints: ['B'] }, replay: null },
    ])
  })

  it('activates all endpoints that requests serve before these', () => {
    const stopped = { status: 'inactive', failed: [discarded('1')] }
    const rows = [lost(stopped), lost({ ...stopped, uid: 'B', name: 'endpoint B' })]
    expect(planRedelivery(rows, reaching('A', 'B')).map(({ activate }) => activate)).toEqual([['A', 'B'], []])
    const replayed = [
      lost({ undelivered: ['1'] }),
      lost({ ...stopped, uid: 'B', name: 'endpoint B', headers: 'changed' }),
    ]
    expect(planRedelivery(replayed, reaching('A', 'B')).map(({ activate }) => activate)).toEqual([['B'], []])
  })

  it('leaves out what a replay would not bring', () => {
    const row = lost({ undelivered: ['1', '2', '3'], restoring: ['hookdrift restore S'] })
    const reachOf = (event: string) => (event === '1' ? ['B'] : event === '2' ? ('nowhere' as const) : undefined)
    expect(planRedelivery([row], reachOf)).toEqual([
      {
        retry: null,
        replay: { events: ['3'], alsoReaches: [] },
        activate: [],
        reasons: [
          'There is 1 event for which no subscription leads to it now: put that back (`hookdrift restore S`), audit, then ask again.',
          'There is 1 event that names a deleted endpoint, too: Convoy delivers no replay of that.',
          'Which other endpoints get 1 event again is not known.',
        ],
      },
    ])
  })
})
