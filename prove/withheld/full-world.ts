import type { Random } from '../../src/demo/random.ts'
import type { JsonObject } from '../../src/model/json.ts'
import { weak as weakCertificate } from '../../test/rules/certificates.ts'
import type { RecordedWorld } from '../answers/recorded-world.ts'

/** More than a gap names. */
const copies = 23

const stamps = { created_at: '2020-11-01T00:00:00Z', updated_at: '2026-11-01T00:00:00Z', deleted_at: null }
const notReal = (name: string) => `not-a-real-key-${name}-8f41c09be2d7a365`

/**
 * A project with items that fill every field of the contract, mostly with values that rules find something in. `world`: a
 * recorded one, for its other settings. `hasMany`: so many of each kind that a gap does not name them all.
 */
export function fillWorld(world: RecordedWorld, random: Random, hasMany: boolean): RecordedWorld {
  const isWeak = random.chance(0.75)
  const either = <Value>(weak: Value, strong: Value) => (isWeak || random.chance(0.3) ? weak : strong)
  const scheme = either('http', 'https')
  const hash = either('MD5', 'SHA256')
  const named = (uid: string, more: JsonObject): JsonObject => ({
    uid,
    project_id: world.uid,
    name: `full ${uid}`,
    ...stamps,
    ...more,
  })

  const endpoint = (uid: string, authentication: JsonObject) =>
    named(uid, {
      owner_id: 'tenant-1',
      url: `${scheme}://${either('10.0.0.1', 'full.example')}/${uid}`,
      status: either('inactive', 'active'),
      description: 'every field',
      support_email: 'ops@example.com',
      slack_webhook_url: `https://hooks.slack.com/services/T0/B0/${notReal('slack')}`,
      teams_webhook_url: `https://a.webhook.office.com/webhookb2/${notReal('teams')}`,
      content_type: 'application/json',
      advanced_signatures: !isWeak,
      http_timeout: either(900, 20),
      rate_limit: either(0, 100),
      rate_limit_duration: 60,
      secrets: [
        {
          uid: `${uid}-secret`,
          value: either(`abc-${uid}`, notReal(uid)),
          created_at: stamps.created_at,
          updated_at: stamps.updated_at,
          expires_at: either('2026-01-01T00:00:00Z', null),
          deleted_at: null,
        },
      ],
      authentication,
      mtls_client_cert: { client_cert: weakCertificate, client_key: notReal('client') },
      events: 5,
      failure_rate: either(90, 0),
      cb_state: either('open', 'closed'),
      period_failure_rate: 1,
      success_count: 1,
      failure_count: 1,
      retry_count: 1,
    })
  const endpoints = [
    endpoint('full-e1', {
      type: 'api_key',
      api_key: { header_name: 'x-key', header_value: either('abc', notReal('h')) },
    }),
    endpoint('full-e2', { type: 'basic_auth', basic_auth: { username: 'u', password: either('abc', notReal('b')) } }),
    endpoint('full-e3', {
      type: 'oauth2',
      oauth2: {
        url: `${scheme}://${either('10.0.0.2', 'full.example')}/token`,
        client_id: 'hooks',
        client_secret: either('abc', notReal('c')),
        grant_type: 'client_credentials',
        scope: 'a',
        audience: 'events',
        issuer: 'me',
        subject: 'you',
        authentication_type: either('shared_secret', 'client_assertion'),
        expiry_time_unit: 'seconds',
        signing_algorithm: either('HS256', 'ES256'),
        field_mapping: { access_token: 'token', expires_in: 'ttl', token_type: 'kind' },
        signing_key: { ...publicHalf, ...privateHalf },
      },
    }),
  ]

  const auth = { user: 'guest', password: either('guest', notReal('amqp')) }
  const queues: Readonly<Record<string, JsonObject>> = {
    amqp: {
      schema: either('amqp', 'amqps'),
      host: 'mq.example.com',
      port: '5671',
      vhost: '/',
      queue: 'events',
      bindedExchange: 'hooks',
      routingKey: 'orders',
      deadLetterExchange: either(null, 'dead'),
      auth,
    },
    kafka: {
      brokers: ['a.example.com:9092'],
      consumer_group_id: 'hooks',
      topic_name: 'orders',
      auth: {
        type: either('plain', 'scram'),
        username: 'hooks',
        password: either('abc', notReal('kafka')),
        hash: either('SHA1', 'SHA512'),
        tls: !isWeak,
      },
    },
    sqs: {
      access_key_id: 'AKIAIOSFODNN7EXAMPLE',
      secret_key: notReal('sqs'),
      default_region: 'eu-west-1',
      endpoint: `${scheme}://sqs.example.com`,
      queue_name: 'events',
    },
    google: { project_id: 'p', subscription_id: 's', service_account: notReal('google') },
  }
  const noQueue: JsonObject = { type: '', workers: 0, sqs: null, google: null, kafka: null, amqp: null }
  const queue = (type: string): JsonObject => ({ ...noQueue, type, workers: 1, [type]: queues[type] ?? null })
  const noVerifier: JsonObject = { type: 'noop', hmac: null, basic_auth: null, api_key: null }
  const source = (uid: string, more: JsonObject) =>
    named(uid, {
      type: 'http',
      provider: 'github',
      url: `${scheme}://ingest.example/${uid}`,
      mask_id: `mask-${uid}`,
      provider_config: { a: 1 },
      is_disabled: isWeak,
      event_type_location: 'request.header.X-Event-Type',
      body_function: 'function transform(payload) { return payload }',
      header_function: 'function transform(headers) { return headers }',
      forward_headers: ['authorization'],
      idempotency_keys: either(['request.body.id', 'request.header.x'], ['request.header.x']),
      custom_response: { body: 'ok', content_type: 'text/plain' },
      verifier: noVerifier,
      pub_sub: noQueue,
      ...more,
    })
  const hmac = { header: 'x-sig', hash, secret: either('abc', notReal('hmac')), encoding: 'hex' }
  const sources = [
    source('full-s1', { verifier: { ...noVerifier, type: 'hmac', hmac } }),
    source('full-s2', {
      verifier: { ...noVerifier, type: 'basic_auth', basic_auth: { username: 'u', password: 'abc' } },
    }),
    source('full-s3', {
      verifier: { ...noVerifier, type: 'api_key', api_key: { header_name: 'k', header_value: 'abc' } },
    }),
    ...Object.keys(queues).map((type) => source(`full-${type}`, { type: 'pub_sub', pub_sub: queue(type) })),
  ]

  const conditions = { body: { amount: { $gt: 10 } }, headers: { a: 'b' }, query: { c: 'd' }, path: { e: 'f' } }
  const subscription = (uid: string, more: JsonObject) =>
    named(uid, {
      type: 'api',
      delivery_mode: either('at_most_once', 'at_least_once'),
      function: `function transform(payload) { return { key: '${notReal('code')}' } }`,
      alert_config: { count: 5, threshold: '1h' },
      rate_limit_config: { count: 50, duration: 60 },
      retry_config: { type: either('linear', 'exponential'), duration: 1, retry_count: either(1, 100) },
      filter_config: { event_types: either(['*'], ['order.created']), filter: { ...conditions, is_flattened: true } },
      endpoint_metadata: { uid: 'full-e1' },
      source_metadata: sources[0] ?? null,
      device_metadata: null,
      ...more,
    })
  const device = { ...stamps, uid: 'full-d1', project_id: world.uid, endpoint_id: '', host_name: 'laptop' }
  const subscriptions = [
    subscription('full-b1', {}),
    subscription('full-b2', {
      type: 'cli',
      endpoint_metadata: null,
      device_metadata: { ...device, status: 'offline', last_seen_at: '2026-01-01T00:00:00Z' },
    }),
  ]
  const row = (of: string): JsonObject => ({
    uid: `row-${of}`,
    subscription_id: of,
    event_type: 'order.created',
    ...conditions,
    enabled_at: either(null, '2026-11-01T00:00:00Z'),
    raw_headers: null,
    raw_body: null,
    raw_query: null,
    raw_path: null,
  })

  const many = (items: readonly JsonObject[]) =>
    hasMany ? items.flatMap((item) => (item === items[0] ? [item, ...copiesOf(item)] : [item])) : items
  const { config, ...project } = world.project
  return {
    ...world,
    project: {
      ...project,
      logo_url: 'https://logo.example/a.png',
      retained_events: 1,
      config: {
        ...(config as JsonObject),
        request_id_header: 'x-id',
        verify_dynamic_events: !isWeak,
        allow_unmatched_dynamic_urls: isWeak,
        search_policy: '720h',
        signature: {
          header: 'x-signature',
          versions: [{ uid: 'full-v1', hash, encoding: 'hex', created_at: stamps.created_at }],
        },
        meta_event: {
          is_enabled: true,
          type: random.pick(['http', 'pub_sub']),
          event_type: ['endpoint.updated'],
          url: `${scheme}://meta.example/in`,
          secret: either('abc', notReal('meta')),
          pub_sub: queue(random.pick(['amqp', 'kafka', 'sqs', 'google'])),
        },
        circuit_breaker: {
          sample_rate: 30,
          error_timeout: 30,
          failure_threshold: 70,
          success_threshold: 5,
          minimum_request_count: 10,
          observability_window: 5,
          consecutive_failure_threshold: 10,
        },
      },
    },
    lists: {
      endpoints: many(endpoints),
      sources: many(sources),
      subscriptions: many(subscriptions),
    },
    eventTypes: [
      {
        uid: 'full-t1',
        name: 'order.created',
        category: 'orders',
        description: 'an order',
        json_schema: { type: 'object' },
        deprecated_at: either('2026-01-01T00:00:00Z', null),
      },
    ],
    filters: new Map(many(subscriptions).map(({ uid }) => [String(uid), [row(String(uid))]])),
  }
}

const publicHalf = { kty: 'EC', crv: 'P-256', kid: 'one', x: 'public', y: 'half', n: 'n', e: 'AQAB' }
const privateHalf = Object.fromEntries(['d', 'dp', 'dq', 'k', 'p', 'q', 'qi'].map((name) => [name, notReal(name)]))

function copiesOf(item: JsonObject): JsonObject[] {
  return Array.from({ length: copies }, (_, at) =>
    JSON.parse(JSON.stringify(item).replaceAll(`${item.uid}`, `${item.uid}-${at}`)),
  )
}
