import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { malformedFields } from '../../src/gateway/inventory/malformed.ts'
import { takeInventory } from '../../src/gateway/inventory/take-inventory.ts'
import { canonicalJson } from '../../src/model/canonical-json.ts'
import type { JsonObject } from '../../src/model/json.ts'
import { endpoint, one, sealer, source } from './inventory-fixture.ts'

const sealed = expect.stringMatching(/^sealed:[0-9a-f]{32}$/)
const dialects = JSON.parse(
  readFileSync(join(import.meta.dirname, '../fixtures/recordings/other-dialects.json'), 'utf8'),
)

describe('the normal form', () => {
  it('recognises an empty authentication in each spelling', () => {
    const spellings: JsonObject[] = [
      { authentication: {} },
      { authentication: null },
      { authentication: { api_key: { header_name: '', header_value: '' } } },
      { authentication: { type: '', basic_auth: null, oauth2: { field_mapping: {} } } },
    ]
    expect(spellings.map((item) => endpoint(item).attributes.authentication)).toEqual([null, null, null, null])
  })

  it('distinguishes a field that was not shown from an empty one', () => {
    const { attributes } = endpoint({ description: '' })
    expect(attributes.description).toBeNull()
    expect('content_type' in attributes).toBe(false)
    expect(attributes.owner_id).toBeNull() // left out when empty
  })

  it('has one form for a source that verifies nothing', () => {
    const empty = { hmac: { header: '', secret: '' }, basic_auth: null, api_key: { header_name: '' } }
    const spellings = [null, { type: 'noop' }, { type: 'noop', hmac: null }, empty]
    for (const verifier of spellings) expect(source({ verifier }).attributes.verifier).toEqual({ type: 'noop' })
    expect('verifier' in source({}).attributes).toBe(false)
  })

  it('reads names and durations of version 2024-01-01', () => {
    const { attributes, name } = endpoint({
      target_url: 'https://a.example/',
      title: 'a',
      http_timeout: '1m30s',
      rate_limit: '50',
    })
    expect({ name, ...attributes }).toMatchObject({
      name: 'a',
      url: 'https://a.example/',
      http_timeout: 90,
      rate_limit: 50,
    })
  })

  it.each([
    ['2026-11-21T01:36:36.982958148Z', '2026-11-21T01:36:36.982958148Z'],
    ['2026-11-21T01:36:36.500000Z', '2026-11-21T01:36:36.5Z'],
    ['2026-11-21T02:36:36+01:00', '2026-11-21T01:36:36Z'],
    ['0001-01-01T00:00:00Z', null],
    ['soon', sealed],
  ])('has one form for the instant %s', (written, normal) => {
    expect(endpoint({ created_at: written }).attributes.created_at).toEqual(normal)
  })

  it('replaces an embedded resource by a reference, and lifts it once', () => {
    const stub = {
      uid: 's',
      name: 'shop',
      type: 'http',
      is_disabled: false,
      verifier: null,
      body_function: null,
      created_at: '0001-01-01T00:00:00Z',
    }
    const items = [1, 2].map((n) => ({
      uid: `sub-${n}`,
      endpoint_metadata: { uid: 'e', name: 'zero' },
      source_metadata: stub,
      device_metadata: { uid: '', last_seen_at: '0001-01-01T00:00:00Z' },
    }))
    const { listed, lifted } = takeInventory('subscriptions', items, sealer)
    expect(listed.map(({ attributes }) => attributes)).toMatchObject([
      { endpoint_uid: 'e', source_uid: 's', device_uid: null },
      { endpoint_uid: 'e', source_uid: 's', device_uid: null },
    ])
    expect(lifted.map(({ kind, uid, attributes }) => ({ kind, uid, attributes }))).toEqual([
      {
        kind: 'source',
        uid: 's',
        attributes: { is_disabled: false, name: 'shop', type: 'http', uid: 's', verifier: { type: 'noop' } },
      },
    ])
  })

  it('keeps of a device whether it is deleted, and not whether its command line is connected', () => {
    const device = { uid: 'd', host_name: 'laptop.local', status: 'online', created_at: '', deleted_at: null }
    const { lifted } = takeInventory('subscriptions', [{ uid: 'sub-1', device_metadata: device }], sealer)
    expect(lifted).toMatchObject([
      { attributes: { uid: 'd', host_name: 'laptop.local', deleted_at: null }, volatile: { status: 'online' } },
    ])
    expect(lifted[0]?.attributes).not.toHaveProperty('status')
  })

  it('seals secrets in every place', () => {
    const { attributes, facts } = endpoint({
      secrets: [{ uid: 's1', value: 'password123' }],
      slack_webhook_url: 'https://chat.example/services/T0/B0/abc',
      authentication: {
        type: 'oauth2',
        oauth2: {
          client_id: 'id',
          client_secret: 'not-a-real-key',
          signing_key: { kty: 'EC', d: 'private', x: 'public' },
        },
        basic_auth: { username: 'u', password: '[REDACTED]' },
      },
    })
    expect(attributes).toMatchObject({
      secrets: { s1: { value: sealed } },
      slack_webhook_url: expect.stringMatching(/^https:\/\/chat\.example\/sealed:/),
      authentication: {
        oauth2: { client_id: 'id', client_secret: sealed, signing_key: { kty: 'EC', d: sealed, x: 'public' } },
        basic_auth: { username: 'u', password: 'sealed:masked' },
      },
    })
    expect(facts['/secrets/s1/value']).toEqual({ min_length: 8, weak: ['common'] })
    expect(facts).not.toHaveProperty('/authentication/basic_auth/password')
  })

  it('seals a service account the same as text and as bytes', () => {
    const account = (service_account: string | number[]) =>
      source({ pub_sub: { type: 'google', google: { service_account } } }).attributes
    expect(account('aGVsbG8=')).toEqual(account([104, 101, 108, 108, 111]))
  })

  it('seals credentials in the addresses of message queues', () => {
    const { attributes } = source({
      pub_sub: {
        type: 'kafka',
        kafka: { brokers: ['u:p1@b.example:9092', 'a.example:9092'], auth: { username: 'u', password: 'p2' } },
        amqp: { host: 'u:p3@mq.example', auth: { user: 'u', password: 'p4' } },
      },
    })
    expect(attributes.pub_sub).toMatchObject({
      kafka: { brokers: ['a.example:9092', expect.stringMatching(/^sealed:[0-9a-f]{32}@b\.example:9092$/)] },
      amqp: { host: expect.stringMatching(/^sealed:[0-9a-f]{32}@mq\.example$/), auth: { user: 'u', password: sealed } },
    })
  })

  it('keeps unknown fields and seals their likely secrets', () => {
    const { attributes } = endpoint({
      zone: 'eu',
      retry: { token: 'abc', nested: [{ apiKey: 'def', size: 3 }] },
      odd: { __proto__x: 1 },
    })
    expect(attributes).toMatchObject({ zone: 'eu', retry: { token: sealed, nested: [{ apiKey: sealed, size: 3 }] } })
  })

  it('treats hostile keys as data', () => {
    const hostile = JSON.parse('{"uid":"u","filter_config":{"filter":{"body":{"__proto__":{"x":1},"10":1,"9":2}}}}')
    const text = canonicalJson(one('subscriptions', hostile).attributes)
    expect(text).toContain('"body":{"10":1,"9":2,"__proto__":{"x":1}}')
    expect(JSON.parse(text).filter_config.filter.body).toEqual(JSON.parse('{"10":1,"9":2,"__proto__":{"x":1}}'))
  })

  it('shows volatile fields to rules only', () => {
    const { attributes, volatile } = endpoint({
      failure_rate: 12.5,
      updated_at: '2026-01-01T00:00:00Z',
      cb_state: 'open',
    })
    expect(volatile).toEqual({ failure_rate: 12.5, updated_at: '2026-01-01T00:00:00Z', cb_state: 'open' })
    expect(Object.keys(attributes)).not.toContain('failure_rate')
  })

  it('treats wrong types as data', () => {
    const { attributes, malformed } = endpoint({
      status: 7,
      rate_limit: 'many',
      advanced_signatures: 1,
      authentication: 'none',
      secrets: 'none',
      url: ['x'],
    })
    expect(attributes).toMatchObject({
      status: 7,
      rate_limit: sealer.seal('many'),
      advanced_signatures: 1,
      authentication: sealer.seal('none'),
      url: [sealer.seal('x')],
    })
    expect(malformed).toEqual(['/advanced_signatures', '/authentication', '/rate_limit', '/secrets', '/status', '/url'])
  })

  it('seals secrets of types that no release sends, in every place', () => {
    const marker = 'not-a-real-key'
    const { attributes } = endpoint({
      name: `password: ${marker}`,
      description: { token: marker },
      support_email: { api_key: marker },
      secrets: marker,
      authentication: {
        api_key: marker,
        basic_auth: [{ password: marker }],
        oauth2: { signing_key: { oth: [{ d: marker }] } },
      },
      mtls_client_cert: marker,
      custom_headers: { authorization: { $eq: marker }, 'x-api-key': [{ $in: [marker] }] },
    })
    expect(JSON.stringify(attributes)).not.toContain(marker)
  })

  it('accepts the later dialect', () => {
    const [later] = takeInventory('endpoints', dialects['endpoints page, later dialect'].data.content, sealer).listed
    expect(later?.attributes.secrets).toMatchObject({
      '01JTM5S0000000000000000001': { deleted_at: '2026-08-02T00:00:00.000001Z' },
      '01JTM5S0000000000000000009': { deleted_at: null },
    })
    expect(later?.attributes.teams_webhook_url).toMatch(/^https:\/\/prod\.example\.logic\.azure\.com\/sealed:/)
    expect(later?.volatile).toMatchObject({ cb_state: 'open', success_count: null })
    const { listed, lifted } = takeInventory('subscriptions', [dialects['subscription item, later dialect']], sealer)
    expect([listed.length, lifted.length]).toEqual([1, 0])
    const older = {
      uid: 'x',
      source_metadata: dialects['source_metadata of a subscription without source, older releases'],
    }
    expect(takeInventory('subscriptions', [older], sealer).lifted).toEqual([])
  })

  it('writes attributes in canonical order', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (unknown) => {
        // What fast-check calls a JSON value is one.
        const { attributes } = endpoint(unknown as JsonObject)
        const keys = Object.keys(attributes).filter((key) => !/^\d+$/.test(key))
        expect(keys).toEqual([...keys].sort())
      }),
    )
  })
})

describe('two names of one field', () => {
  const shown = { uid: 'u', project_id: 'p' }
  const aliased = (item: JsonObject) => takeInventory('endpoints', [{ ...shown, ...item }], sealer).listed[0]

  it.each([
    ['the contract comes first', { url: 'https://a.example/', target_url: 'https://b.example/' }],
    ['the other comes first', { target_url: 'https://b.example/', url: 'https://a.example/' }],
  ])('are both kept and neither counts, with different values: %s', (_, item) => {
    const resource = aliased(item)
    expect(resource?.attributes).toMatchObject({ url: 'https://a.example/', target_url: 'https://b.example/' })
    expect(resource?.malformed).toEqual(['/url'])
  })

  it('are one field with equal values', () => {
    const resource = aliased({ name: 'orders', title: 'orders' })
    expect(resource?.attributes).not.toHaveProperty('title')
    expect(resource).not.toHaveProperty('malformed')
  })

  const settings = (config: JsonObject) => takeInventory('project', [{ uid: 'p', config }], sealer).listed[0]

  it('are one field within an object, too', () => {
    const renamed = { attributes: expect.objectContaining({ config: { verify_dynamic_events: true } }) }
    expect(settings({ sync_dynamic_event_ack: true })).toMatchObject(renamed)
    const both = settings({ sync_dynamic_event_ack: true, verify_dynamic_events: true })
    expect(both).toMatchObject(renamed)
    expect(both).not.toHaveProperty('malformed')
  })

  it.each([
    ['the contract comes first', { verify_dynamic_events: true, sync_dynamic_event_ack: false }],
    ['the other comes first', { sync_dynamic_event_ack: false, verify_dynamic_events: true }],
  ])('are both kept within an object, and neither counts, with different values: %s', (_, config) => {
    const resource = settings(config)
    expect(resource?.attributes.config).toEqual({ sync_dynamic_event_ack: false, verify_dynamic_events: true })
    expect(resource?.malformed).toEqual(['/config/verify_dynamic_events'])
    expect(malformedFields('project', resource?.attributes ?? {})).toEqual(['/config/verify_dynamic_events'])
  })

  it('do not affect members named like those that every object inherits', () => {
    const resource = aliased(JSON.parse('{"title":"orders","constructor":"x","toString":"y","__proto__":{"z":1}}'))
    expect(Object.keys(resource?.attributes ?? {})).toEqual(expect.arrayContaining(['constructor', 'toString', 'name']))
    expect(JSON.stringify(resource?.attributes)).not.toContain('native code')
  })
})

describe('fields of later releases', () => {
  it.each(['X-Convoy-Idempotency-Key', 'x-acme-tok3n-id', 'X-Request-ID'])('keep the name of a header: %s', (name) => {
    expect(one('project', { config: { request_id_header: name } }).attributes.config).toEqual({
      request_id_header: name,
    })
    const event_type_location = `request.header.${name}`
    expect(source({ event_type_location }).attributes).toMatchObject({ event_type_location })
  })

  it('are not shown where they are absent, and empty where they are empty', () => {
    expect(one('project', { config: {} }).attributes.config).toEqual({})
    expect(source({}).attributes).not.toHaveProperty('event_type_location')
    expect(source({ event_type_location: '' }).attributes.event_type_location).toBeNull()
    expect(one('project', { config: { request_id_header: '' } }).attributes.config).toEqual({ request_id_header: null })
  })

  it('seal a key that was put there by mistake', () => {
    const key = 'not-a-real-key-4f8b2c6d0a1e3957f6c2'
    const written = JSON.stringify([
      one('project', { config: { request_id_header: key } }),
      source({ event_type_location: `request.query.${key}` }),
    ])
    expect(written).not.toContain(key)
  })
})

describe('a text that imitates a seal', () => {
  const forged = `sealed:${'0123456789abcdef'.repeat(2)}`

  it.each([
    ['in a name', { name: forged }],
    ['in a secret', { secrets: [{ uid: 's', value: forged }] }],
    ['as a uid of a secret', { secrets: [{ uid: forged, value: 'x' }] }],
    ['in an address', { url: `https://a.example/${forged}` }],
    ['in an unknown field', { zone: { list: [forged] } }],
    ['as the name of one', { [forged]: 1 }],
    ['in an unknown member of a secret', { secrets: [{ uid: 's', value: 'x', old: forged }] }],
    ['as the place of a secret masked by hookdrift', { description: 'it is sealed:masked' }],
  ])('is sealed %s', (_, item) => {
    const written = JSON.stringify(endpoint(item).attributes)
    expect(written).not.toContain(forged)
    expect(written).not.toContain('sealed:masked')
    expect(written).toMatch(/sealed:[0-9a-f]{32}/)
  })
})

describe('filter rows', () => {
  const rows: readonly JsonObject[] = [
    {
      uid: 'row',
      subscription_id: 's',
      event_type: 'invoice.paid',
      body: { amount: { $gt: 10 }, token: 'not-a-real-key-9f8e7d6c5b4a3928' },
      headers: { authorization: 'Bearer not-a-real-key-9f8e7d6c5b4a3928' },
      raw_body: { token: 'not-a-real-key-9f8e7d6c5b4a3928' },
      enabled_at: null,
    },
  ]

  it('become a field of their subscription, by event type, without raw forms and with their secrets sealed', () => {
    const { listed } = takeInventory('subscriptions', [{ uid: 's' }], sealer, new Map([['s', rows]]))
    expect(listed[0]?.attributes.filters).toEqual({
      'invoice.paid': {
        body: { amount: { $gt: 10 }, token: sealed },
        headers: { authorization: expect.not.stringContaining('9f8e7d6c') },
        enabled_at: null,
      },
    })
    expect(JSON.stringify(listed)).not.toContain('9f8e7d6c')
  })

  it('are none where the list shows a member of their name', () => {
    const { listed } = takeInventory('subscriptions', [{ uid: 's', filters: [...rows] }], sealer)
    expect(listed[0]?.attributes).not.toHaveProperty('filters')
  })

  it('are unknown where they were due and not read', () => {
    const { listed } = takeInventory('subscriptions', [{ uid: 's' }], sealer, new Map([['s', 'unread']]))
    expect(listed[0]?.unseen).toContain('/filters')
  })
})
