import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isJsonObject, type Json, type JsonObject } from '../../src/model/json.ts'
import { endpoint, subscription } from './inventory-fixture.ts'

/** No object keeps such a name at its place, so each that has it is normalised member by member. */
const odd = '0'

function withOddMembers(value: Json): Json {
  if (Array.isArray(value)) return value.map(withOddMembers)
  if (!isJsonObject(value)) return value
  return { ...mapped(value, withOddMembers), [odd]: null }
}

function withoutOddMembers(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutOddMembers)
  if (!isJsonObject(value)) return value
  const { [odd]: _, ...others } = value
  return mapped(others, withoutOddMembers)
}

function mapped(object: JsonObject, change: (value: Json) => Json): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value)]))
}

const text = fc.constantFrom(
  ...['', 'orders', 'Mail: ops@a.example', 'whsec_notarealsecret1', '01M2T1DQZ9G1WK3R3HA7HW467P', 'active', 'ACTIVE '],
  ...['https://u:pw@a.example/hooks/1?token=not-a-real-key', '2026-11-21T03:00:00Z', '2026-11-21T05:00:00.120+02:00'],
  ...[
    '0001-01-01T00:00:00Z',
    `sealed:${'0'.repeat(32)}`,
    '1m30s',
    'number:1234567890123456789',
    'password is tr0ub4dor',
  ],
)
const scalar = fc.oneof(text, fc.constantFrom(0, 1, 1.5, 2 ** 60, true, false, null))

/** An object with some of these members, in any order. */
function some(members: Readonly<Record<string, fc.Arbitrary<Json>>>): fc.Arbitrary<JsonObject> {
  const entries = fc.tuple(
    ...Object.entries(members).map(([name, value]) => value.map((each) => [name, each] as const)),
  )
  return entries.chain((all) => fc.shuffledSubarray(all)).map((chosen) => Object.fromEntries(chosen))
}

const scalars = (names: string) => Object.fromEntries(names.split(' ').map((name) => [name, scalar]))
const unknown = { ...scalars('region api_token a/b'), labels: some(scalars('team tier')), kT7xQ2mZ9pLw4Vb8: scalar }
const secret = some({ ...scalars('uid value created_at updated_at expires_at note'), nested: some(scalars('id')) })
const authentication = some({
  ...scalars('type extra'),
  api_key: fc.oneof(some(scalars('header_name header_value')), scalar),
  basic_auth: some(scalars('username user password')),
})
const endpoints = some({
  ...scalars('uid owner_id name title description url status http_timeout rate_limit support_email slack_webhook_url'),
  ...scalars('created_at updated_at deleted_at events failure_rate cb_state advanced_signatures'),
  ...{
    secrets: fc.oneof(fc.array(secret, { maxLength: 3 }), scalar),
    authentication: fc.oneof(authentication, scalar),
  },
  ...unknown,
})
const subscriptions = some({
  ...scalars('uid name type function created_at updated_at'),
  filter_config: some({
    event_types: fc.oneof(fc.array(text, { maxLength: 3 }), scalar),
    filter: some({ body: some(scalars('amount password')), is_flattened: scalar }),
  }),
  retry_config: some(scalars('type duration retry_count')),
  endpoint_metadata: fc.oneof(some(scalars('uid')), fc.constant(null)),
  ...unknown,
})

describe('a layout that is worked out once', () => {
  it.each([
    ['endpoints', endpoints, endpoint],
    ['subscriptions', subscriptions, subscription],
  ] as const)('gives %s the same normal form as going through their members one by one', (_, items, normalise) => {
    fc.assert(
      fc.property(items, (item) => {
        const { attributes, ...planned } = normalise(item)
        const { attributes: others, ...oneByOne } = normalise(withOddMembers(item) as JsonObject)
        expect(JSON.stringify(attributes)).toBe(JSON.stringify(withoutOddMembers(others)))
        expect(planned).toEqual(oneByOne)
      }),
      { numRuns: 500 },
    )
  })
})
