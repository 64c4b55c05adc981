import type { EndpointRow, ProjectConfigRow, SourceRow, SubscriptionRow } from '../../src/demo/rows.ts'
import { sound, weak } from '../rules/certificates.ts'

/** Made-up secrets, each its own. */
const secret = (word: string) => `not-a-real-key-${word}-8f41c09be2d7a365`

/** An endpoint with every field filled, as far as one can be. */
export const richEndpoint: Partial<EndpointRow> = {
  name: "O'Brien's $(touch /tmp/x) `id` \u001b[31m\u202e",
  url: `https://hooks.example.com/in/'$HOME'?token=${secret('url')}&n=1`,
  description: 'line one\nline two, with "quotes" and \\ backslashes',
  owner_id: 'tenant-01',
  support_email: 'ops@example.com',
  slack_webhook_url: `https://hooks.slack.com/services/T0/B0/${secret('slack')}`,
  content_type: 'application/json',
  advanced_signatures: true,
  http_timeout: 20,
  rate_limit: 100,
  rate_limit_duration: 60,
  authentication: { type: 'api_key', api_key: { header_name: 'X-Api-Key', header_value: secret('header') } },
  mtls_client_cert: { client_cert: sound, client_key: secret('client') },
  status: 'active',
}

const basic = (password: string) => ({ type: 'basic_auth', basic_auth: { username: 'hooks', password } }) as const
const oauth2 = {
  type: 'oauth2',
  oauth2: {
    url: 'https://idp.example.com/token',
    client_id: 'hooks',
    client_secret: secret('client'),
    grant_type: 'client_credentials',
    scope: 'a b',
    audience: 'events',
    issuer: 'me',
    subject: 'you',
    authentication_type: 'client_assertion',
    expiry_time_unit: 'seconds',
    signing_algorithm: 'ES256',
    field_mapping: { access_token: 'token', expires_in: 'ttl', token_type: 'kind' },
    signing_key: { kty: 'EC', crv: 'P-256', kid: 'one', x: 'public', y: 'half', d: secret('d') },
  },
} as const

/** What a colleague makes of it: every field changed by itself. */
export const endpointEdits: readonly Partial<EndpointRow>[] = [
  { name: 'renamed' },
  { url: 'https://elsewhere.example.com/in' },
  { description: '' },
  { owner_id: 'tenant-02' },
  { support_email: '' },
  { slack_webhook_url: '' },
  { content_type: 'application/x-www-form-urlencoded' },
  { advanced_signatures: false },
  { http_timeout: 5 },
  { rate_limit: 0 },
  { rate_limit_duration: 3600 },
  { authentication: null },
  { authentication: basic(secret('other')) },
  { authentication: oauth2 },
  { mtls_client_cert: null },
  { mtls_client_cert: { client_cert: weak, client_key: secret('other') } },
  { status: 'paused' },
  { status: 'inactive', description: '' },
]

/** Other forms of authentication before the edit. */
export const endpointForms: readonly Partial<EndpointRow>[] = [
  { authentication: basic(secret('basic')) },
  { authentication: oauth2 },
  { authentication: null, mtls_client_cert: null, slack_webhook_url: '', support_email: '', description: '' },
  { status: 'paused', rate_limit: 0, rate_limit_duration: 0 },
]

export const richSubscription: Partial<SubscriptionRow> = {
  name: 'orders "to" the bank',
  function: `function transform(payload) { return { key: '${secret('code')}', data: payload } }`,
  alert_config: { count: 5, threshold: '1h' },
  retry_config: { type: 'exponential', duration: 90, retry_count: 8 },
  rate_limit_config: { count: 50, duration: 60 },
  delivery_mode: 'at_least_once',
  filter_config: {
    event_types: ['order.created', 'order.paid'],
    filter: {
      is_flattened: true,
      headers: { 'x-api-key': { $eq: secret('filter') } },
      body: { amount: { $gt: 10 }, 'a/b~c': ['x', null, true, 1.5] },
    },
  },
}

export const subscriptionEdits: readonly Partial<SubscriptionRow>[] = [
  { name: 'renamed' },
  { function: null },
  { function: 'function transform(payload) { return payload }' },
  { alert_config: null },
  { retry_config: null },
  { retry_config: { type: 'linear', duration: 5, retry_count: 1 } },
  { rate_limit_config: null },
  { delivery_mode: 'at_most_once' },
  { filter_config: { event_types: ['*'], filter: { is_flattened: false, headers: {}, body: {} } } },
]

const noVerifier = { type: 'noop', hmac: null, basic_auth: null, api_key: null }
const sourceVerifier = {
  ...noVerifier,
  type: 'hmac',
  hmac: { header: 'X-Signature', hash: 'SHA256', secret: secret('hmac'), encoding: 'hex' },
}
const otherVerifiers = [
  { ...noVerifier, type: 'basic_auth', basic_auth: { username: 'sender', password: secret('basic-verifier') } },
  { ...noVerifier, type: 'api_key', api_key: { header_name: 'X-Key', header_value: secret('key-verifier') } },
]

export const richSource: Partial<SourceRow> = {
  name: 'acquirer',
  is_disabled: false,
  verifier: sourceVerifier,
  custom_response: { body: '{"ok":true}', content_type: 'application/json' },
  forward_headers: ['x-a', 'x-b'],
  idempotency_keys: ['request.Header.X-Event-Id'],
  body_function: 'function transform(payload) { return payload }',
  header_function: `function transform(headers) { headers['x-key'] = '${secret('headers')}'; return headers }`,
  event_type_location: 'request.body.type',
}

export const sourceEdits: readonly Partial<SourceRow>[] = [
  { name: 'renamed' },
  { is_disabled: true },
  ...otherVerifiers.map((verifier) => ({ verifier })),
  { verifier: { ...sourceVerifier, hmac: { ...sourceVerifier.hmac, hash: 'MD5' } } },
  { custom_response: { body: '', content_type: '' } },
  { forward_headers: [] },
  { idempotency_keys: [] },
  { body_function: null },
  { header_function: null, forward_headers: [] },
]

/** Sources that verify as before, or by something else: what they were, and what they are now. */
export const sourceForms: readonly (readonly [Partial<SourceRow>, Partial<SourceRow>])[] = [
  [{ verifier: null }, { name: 'renamed' }],
  ...otherVerifiers.map((verifier) => [{ verifier }, { verifier: sourceVerifier, name: 'renamed' }] as const),
]

/** Of a source that verifies and then does not, or the other way round: what no update puts back. */
export const verifierLosses: readonly (readonly [Partial<SourceRow>, Partial<SourceRow>, string])[] = [
  sourceVerifier,
  ...otherVerifiers,
].flatMap((verifier) => [
  [{ verifier }, { verifier: null }, 'answers 500'],
  [{ verifier: null }, { verifier }, 'no update turns verification off'],
])

/** Of fields that the later release alone shows. */
export const laterSourceEdits: readonly Partial<SourceRow>[] = [
  { event_type_location: 'request.header.X-Event-Type' },
  { event_type_location: '' },
]

const amqp = {
  schema: 'amqps',
  host: 'mq.example.com',
  port: '5671',
  queue: 'events',
  bindedExchange: 'hooks',
  routingKey: 'orders',
  deadLetterExchange: 'dead',
  vhost: 'main',
  auth: { user: 'hooks', password: secret('amqp') },
}

/** Sources of queues: what they were, and what they are now. */
export const sourceQueues: readonly (readonly [Partial<SourceRow>, Partial<SourceRow>])[] = [
  [
    { type: 'pub_sub', pub_sub: { type: 'amqp', workers: 2, amqp } },
    { pub_sub: { type: 'amqp', workers: 1, amqp: { ...amqp, auth: null, routingKey: 'other' } } },
  ],
  [
    {
      type: 'pub_sub',
      pub_sub: {
        type: 'kafka',
        workers: 3,
        kafka: {
          brokers: ['a.example.com:9092', 'b.example.com:9092'],
          consumer_group_id: 'hooks',
          topic_name: 'orders',
          auth: { type: 'scram', username: 'hooks', password: secret('kafka'), hash: 'SHA512', tls: true },
        },
      },
    },
    {
      pub_sub: {
        type: 'kafka',
        workers: 3,
        kafka: { brokers: ['c.example.com:9092'], consumer_group_id: 'hooks', topic_name: 'orders', auth: null },
      },
    },
  ],
]

export const richProject: Partial<ProjectConfigRow> = {
  replay_attacks_prevention_enabled: true,
  ssl: { enforce_secure_endpoints: true },
  ratelimit: { count: 1000, duration: 60 },
  strategy: { type: 'exponential', duration: 100, retry_count: 10 },
  meta_event: {
    is_enabled: true,
    type: 'http',
    event_type: ['a'],
    url: 'https://m.example.com',
    secret: 'x'.repeat(40),
    pub_sub: null,
  },
  search_policy: '720h',
}

/** What the later release alone shows. */
export const laterProject: Partial<ProjectConfigRow> = {
  request_id_header: 'x-acme-tok3n-id',
  verify_dynamic_events: true,
  allow_unmatched_dynamic_urls: false,
}

/** What a colleague makes of a project's configuration. */
export const projectEdits: readonly Partial<ProjectConfigRow>[] = [
  { ssl: { enforce_secure_endpoints: false } },
  { replay_attacks_prevention_enabled: false },
  { ratelimit: { count: 0, duration: 0 } },
  { strategy: { type: 'linear', duration: 1, retry_count: 1 } },
  { signature: { header: 'X-Other', versions: [] } },
  { max_payload_read_size: 1, search_policy: '', disable_endpoint: true },
]

/** Of fields that the later release alone shows. */
export const laterProjectEdits: readonly Partial<ProjectConfigRow>[] = [
  { request_id_header: 'X-Convoy-Idempotency-Key' },
  { verify_dynamic_events: false, allow_unmatched_dynamic_urls: true },
]
