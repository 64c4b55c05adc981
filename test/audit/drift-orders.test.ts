import { describe, expect, it } from 'vitest'
import type { Json, JsonObject } from '../../src/model/json.ts'
import { policyOf } from './audit-harness.ts'
import { anEndpoint, aProjectWith, aSource, aSubscription, openLiteral, type Shown } from './literal-service.ts'

/** What a service shows with one value in one place. */
type Place = (value: Json) => Shown

const ofEndpoint =
  (field: string): Place =>
  (value) => ({ endpoints: [anEndpoint('e1', { [field]: value })] })
const ofSource =
  (field: string): Place =>
  (value) => ({ sources: [aSource('s1', { [field]: value })] })
const ofConfig =
  (field: string): Place =>
  (value) => ({ project: aProjectWith({ [field]: value }) })

const filter: JsonObject = { body: {}, headers: {}, query: {}, path: {}, is_flattened: false }
const ofFilter =
  (part: string): Place =>
  (value) => {
    const filter_config = { event_types: ['*'], filter: { ...filter, [part]: value } }
    return { subscriptions: [aSubscription('b1', 'e1', { filter_config })] }
  }

const apiKey = { type: 'api_key', api_key: { header_name: 'x-key', header_value: 'a-long-header-value-1' } }
const hmac = (hash: Json): JsonObject => ({
  type: 'hmac',
  hmac: { hash, header: 'x-sig', encoding: 'hex', secret: 'a-long-verifier-secret' },
})
const signature = (versions: readonly Json[]): JsonObject => ({ header: 'x-sig', versions })
const version = (hash: Json) => ({ uid: 'v1', hash, encoding: 'hex', created_at: '2026-01-01T00:00:00Z' })
const strategy = (type: string | null, duration: number, retries: number) => ({ type, duration, retry_count: retries })

interface Order {
  readonly rule: string
  readonly at: Place
  readonly good: Json
  readonly bad: Json
  /** Values with which the loss is not mended, and behind which it is reported. */
  readonly notBack: Readonly<Record<string, Json>>
  /** Other values with which it is not mended: as what was before a loss, each would count itself. */
  readonly unlike?: Readonly<Record<string, Json>>
  /** Values that are at least as strong as the good one. */
  readonly atLeast?: Readonly<Record<string, Json>>
}

const orders: Readonly<Record<string, Order>> = {
  'the host of a URL': {
    rule: 'drift/url-host-changed',
    at: ofEndpoint('url'),
    good: 'https://customer.example/hook',
    bad: 'https://evil.example/hook',
    notBack: { 'one that does not parse': 'https://[bad/x', 'an empty one': '', null: null, 'no text': ['x'] },
    atLeast: { 'another path': 'https://customer.example/other' },
  },
  authentication: {
    rule: 'drift/authentication-lost',
    at: ofEndpoint('authentication'),
    good: apiKey,
    bad: null,
    notBack: {
      'an unknown type': { type: 'foo' },
      'no object': 'x',
      'an empty object': {},
      'no settings': { type: 'api_key', api_key: null },
      'settings that are not shown': { type: 'api_key' },
    },
    atLeast: { 'another kind': { type: 'basic_auth', basic_auth: { username: 'u', password: 'a-long-password-1' } } },
  },
  'the rate limit of an endpoint': {
    rule: 'drift/rate-limit-lost',
    at: ofEndpoint('rate_limit'),
    good: 100,
    bad: 0,
    notBack: { 'a negative one': -1, null: null, 'no number': 'many' },
    atLeast: { 'another one': 50 },
  },
  'the kind of a verifier': {
    rule: 'drift/verification-weakened',
    at: ofSource('verifier'),
    good: hmac('SHA256'),
    bad: { type: 'noop' },
    notBack: {
      'an unknown type': { type: 'newkind' },
      none: null,
      'no object': 5,
      'an unknown hash': hmac('BLAKE9'),
    },
    atLeast: {
      'a stronger hash': hmac('SHA512'),
      // The source then refuses every event: source/verifier-broken reports it.
      'a hash that the service does not compute': hmac('MD5'),
    },
  },
  'the conditions of a filter': {
    rule: 'drift/filter-widened',
    at: ofFilter('body'),
    good: { a: 1, b: { $gt: 5 } },
    bad: {},
    notBack: { 'no object': 5 },
    unlike: {
      'another condition': { c: 1 },
      'one of them': { a: 1 },
      'another value': { a: 2, b: { $gt: 5 } },
      // An event that has c alone now comes: conditions on what it lacks are skipped.
      'one more': { a: 1, b: { $gt: 5 }, c: 1 },
    },
    atLeast: { 'a narrower one': { a: 1, b: { $gt: 9 } } },
  },
  'the event types of a subscription': {
    rule: 'drift/filter-widened',
    at: (types) => ({ subscriptions: [aSubscription('b1', 'e1', { filter_config: { event_types: types, filter } })] }),
    good: ['order.created', 'order.paid'],
    bad: ['*'],
    notBack: { 'others as well': ['order.created', 'order.shipped'], 'no list': 5 },
    atLeast: { 'fewer of them': ['order.created'] },
  },
  'https only': {
    rule: 'drift/project-weakened',
    at: ofConfig('ssl'),
    good: { enforce_secure_endpoints: true },
    bad: { enforce_secure_endpoints: false },
    notBack: {
      none: null,
      'an empty flag': { enforce_secure_endpoints: null },
      'no flag': { enforce_secure_endpoints: 'on' },
    },
  },
  'the versions of signatures': {
    rule: 'drift/signature-changed',
    at: ofConfig('signature'),
    good: signature([version('SHA256')]),
    bad: signature([version('SHA512')]),
    notBack: {
      'no signature': signature([]),
      none: null,
      'an unknown one': signature([version('BLAKE9')]),
      'an empty one': signature([version('')]),
    },
  },
  'the retries of a project': {
    rule: 'drift/project-weakened',
    at: ofConfig('strategy'),
    good: strategy('linear', 60, 10),
    bad: strategy('linear', 10, 2),
    notBack: {
      none: null,
      'an unknown type': strategy('fibonacci', 60, 10),
      'an empty type': strategy('', 60, 10),
      'a null type': strategy(null, 60, 10),
    },
    atLeast: { 'longer ones': strategy('linear', 120, 10) },
  },
}

describe.each(Object.entries(orders))('%s', (_, { rule, at, good, bad, notBack, unlike = {}, atLeast = {} }) => {
  const policy = policyOf(`extends: []\nrules: { ${rule}: high }`)
  /** The states of the rule's violations after each value, `-` for none, one after the other. */
  const statesAfter = async (...values: readonly Json[]) => {
    await using fixture = await openLiteral(at(values[0] ?? null))
    const states: string[] = []
    for (const value of values) {
      fixture.show(at(value))
      const { violations } = await fixture.audit({ policy, listings: { sources: 'auto' } })
      const said = violations.map(({ state, resolution }) => (state === 'resolved' ? `${resolution}` : state))
      states.push(said.length === 0 ? '-' : said.join(' '))
    }
    return states
  }

  it('is lost, and back', async () => {
    expect(await statesAfter(good, bad, bad, good)).toEqual(['-', 'opened', 'continuing', 'fixed'])
  })

  it('lost is not mended with a value that is not as good, one after the other', async () => {
    const values = Object.entries({ ...notBack, ...unlike })
    const [, lost, ...states] = await statesAfter(good, bad, ...values.flatMap(([, value]) => [value, bad]))
    expect(lost).toBe('opened')
    for (const [index, [title]] of values.entries()) {
      expect(['continuing', 'unknown'], title).toContain(states[2 * index])
      expect(states[2 * index + 1], title).toBe('continuing')
    }
  })

  it.each(Object.entries(notBack))('is reported as lost behind: %s', async (_, value) => {
    const states = await statesAfter(good, value, bad, good)
    expect(['opened', 'continuing']).toContain(states[2])
    expect(states[3]).toBe('fixed')
  })

  it.each(Object.entries(atLeast))('is mended with: %s', async (_, value) => {
    expect(await statesAfter(good, bad, value)).toEqual(['-', 'opened', 'fixed'])
  })
})
