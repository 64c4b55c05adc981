import type { SourceRow, VerifierRow } from '../../../src/demo/rows.ts'
import type { JsonObject } from '../../../src/model/json.ts'
import type { Claim, Known } from '../claim.ts'

const none = { hmac: null, basic_auth: null, api_key: null }
const noop: VerifierRow = { ...none, type: 'noop' }
const secret = 'not-a-real-key-b41f7c0de6a95823'
const hmac = (members: Partial<NonNullable<VerifierRow['hmac']>> = {}): VerifierRow => ({
  ...none,
  type: 'hmac',
  hmac: { header: 'X-Signature', hash: 'SHA256', encoding: 'hex', secret, ...members },
})
const basic = (username: string): VerifierRow => ({
  ...none,
  type: 'basic_auth',
  basic_auth: { username, password: secret },
})
const key = (header_name: string): VerifierRow => ({
  ...none,
  type: 'api_key',
  api_key: { header_name, header_value: secret },
})
const http = (...sources: readonly Partial<SourceRow>[]) => ({ type: 'incoming', sources }) as const

const noQueue = { sqs: null, google: null, kafka: null, amqp: null }
const queue = (type: string, settings: JsonObject, workers = 1): Partial<SourceRow> => ({
  type: 'pub_sub',
  pub_sub: { type, workers, ...noQueue, [type]: settings },
})
const sasl = { type: 'scram', hash: 'SHA512', username: 'hooks', password: secret, tls: true }
const kafka = { brokers: ['mq.example.com:9093'], consumer_group_id: 'hooks', topic_name: 'events', auth: sasl }
const amqp = {
  schema: 'amqps',
  host: 'mq.example.com',
  port: '5671',
  queue: 'events',
  vhost: 'a',
  routingKey: '',
  bindedExchange: null,
  deadLetterExchange: 'dead',
  auth: { user: 'hooks', password: secret },
}
const sqs = {
  access_key_id: 'AKIANOTAREALKEY12345',
  secret_key: 'not-a-real-key-81e5',
  default_region: 'eu-central-1',
  queue_name: 'events',
}

const tried: readonly [Known] = ['tried v26.3.6']
const ofVerifiers: Claim['known'] = [
  'tried v26.3.6',
  'read v25.6.3 pkg/verifier/verifier.go',
  'read v26.7.3 pkg/verifier/verifier.go',
]
const ofKeys: Claim['known'] = [
  'tried v26.3.6',
  'read v25.6.3 internal/pkg/dedup/dedup.go',
  'read v26.7.3 internal/pkg/dedup/dedup.go',
]
const ofQueues: Claim['known'] = [
  'read v25.6.3 internal/pkg/pubsub/pubsub.go',
  'read v26.3.6 internal/pkg/pubsub/pubsub.go',
  'read v26.7.3 internal/pkg/pubsub/pubsub.go',
]

const verifying = ['source/verifier-broken', 'source/unverified', 'source/verifier-replayable'] as const
const replayable = 'low source/verifier-replayable 0/verifier/type'
const broken = (path: string) => [`high source/verifier-broken 0${path}`]

/** A verifier, or a provider, by which no event is accepted. */
function refuses(
  given: string,
  source: Partial<SourceRow>,
  path: string,
  known = ofVerifiers,
  also: readonly string[] = [],
): Claim {
  const does = 'refuses every event, also one that is signed as configured'
  const says = [...broken(path), ...also]
  return { given, does, known, has: http(source), asks: verifying, says }
}

/** A verifier that takes what is signed as configured. */
function takes(given: string, source: Partial<SourceRow>, says: readonly string[] = []): Claim {
  const does = 'takes an event with what the verifier asks for, and refuses one without it'
  return { given, does, known: ofVerifiers, has: http(source), asks: verifying, says }
}

function keyed(given: string, keys: readonly string[], claim: Pick<Claim, 'does' | 'trial'>, isBroken: boolean): Claim {
  const says = isBroken ? ['high source/idempotency-broken 0/idempotency_keys'] : []
  const has = http({ idempotency_keys: keys })
  const asks = ['source/idempotency-broken', 'source/idempotency-missing']
  return { given, ...claim, known: ofKeys, has, asks, says }
}

const refusesRequests = { does: 'refuses every event with 400' }
const dropsSecond = { does: 'takes the second event for a duplicate, regardless of what it has' }
const takesBoth = { does: 'takes two events that differ in what the key names' }

/** What the gateway does with sources, their verifiers, keys, queues and functions. */
export const claims: readonly Claim[] = [
  refuses('an HMAC with MD5', { verifier: hmac({ hash: 'MD5' }) }, '/verifier/hmac/hash'),
  refuses('an HMAC with SHA384', { verifier: hmac({ hash: 'SHA384' }) }, '/verifier/hmac/hash'),
  refuses('an HMAC with `sha256`', { verifier: hmac({ hash: 'sha256' }) }, '/verifier/hmac/hash'),
  refuses('the encoding `Hex`', { verifier: hmac({ encoding: 'Hex' }) }, '/verifier/hmac/encoding'),
  refuses('a signature in `X Sig`', { verifier: hmac({ header: 'X Sig' }) }, '/verifier/hmac/header'),
  refuses('a signature in `Host`', { verifier: hmac({ header: 'Host' }) }, '/verifier/hmac/header'),
  refuses('an HMAC without a header', { verifier: hmac({ header: '' }) }, '/verifier/hmac/header'),
  takes('an HMAC with SHA256 in hex', { verifier: hmac() }),
  takes('an HMAC with SHA512 in base64', { verifier: hmac({ hash: 'SHA512', encoding: 'base64' }) }),
  {
    given: 'an HMAC without a secret',
    does: 'takes what is signed with an empty key; from v26.3.7 on, answers 500 to every event',
    known: ['tried v26.3.6', 'read v26.7.3 pkg/verifier/verifier.go'],
    has: http({ verifier: hmac({ secret: '' }) }),
    asks: verifying,
    says: broken('/verifier/hmac/secret'),
  },
  takes('GitHub with the hash SHA1, which is ignored', { provider: 'github', verifier: hmac({ hash: 'SHA1' }) }),
  takes('Shopify with another header, which is ignored', { provider: 'shopify', verifier: hmac({ header: 'X Y' }) }),
  refuses('GitHub with a user name and password', { provider: 'github', verifier: basic('hooks') }, '/verifier', tried),
  refuses('Twitter without a verifier', { provider: 'twitter', verifier: null }, '/verifier', tried),
  refuses('a provider that it does not know', { provider: 'stripe', verifier: hmac() }, '/provider', tried),
  refuses('the provider `GitHub`', { provider: 'GitHub', verifier: hmac() }, '/provider', tried),
  refuses('a user name with a colon', { verifier: basic('a:b') }, '/verifier/basic_auth/username', tried, [replayable]),
  takes('a user name and password', { verifier: basic('hooks') }, [replayable]),
  refuses('an API key in `X Key`', { verifier: key('X Key') }, '/verifier/api_key/header_name', tried, [replayable]),
  takes('an API key in `X-Key`', { verifier: key('X-Key') }, [replayable]),
  {
    given: 'a source without a verifier',
    does: 'takes any event',
    known: tried,
    has: http({ verifier: null }, { verifier: noop }),
    asks: verifying,
    says: ['critical source/unverified 0/verifier', 'critical source/unverified 1/verifier'],
  },
  {
    given: 'an unknown type of verifier',
    does: 'takes any event; from v26.6.9 on, refuses every event',
    known: ['tried v26.3.6', 'read v26.6.8 api/ingest.go', 'read v26.6.9 api/ingest.go'],
    has: http({ verifier: { ...none, type: 'jwt' } }),
    asks: ['source/verifier-unknown', ...verifying],
    says: [
      'high source/verifier-unknown 0/verifier/type',
      'cannot say source/unverified',
      'cannot say source/verifier-replayable',
    ],
  },
  {
    given: 'a source of a queue with HMAC over MD5',
    does: 'verifies nothing of what it reads',
    known: ['read v26.3.6 internal/pkg/pubsub/ingest.go', 'read v26.7.3 internal/pkg/pubsub/ingest.go'],
    has: { sources: [{ ...queue('kafka', kafka), verifier: hmac({ hash: 'MD5', secret: 'short' }) }] },
    asks: [...verifying, 'source/verifier-weak'],
    says: [],
  },
  {
    given: 'two sources with one secret, and two of Shopify with another one',
    does: 'takes an event that is signed for one source at the other one',
    known: tried,
    has: http(
      { verifier: hmac() },
      { verifier: hmac() },
      { provider: 'shopify', verifier: hmac({ secret: `${secret}-shopify` }) },
      { provider: 'shopify', verifier: hmac({ secret: `${secret}-shopify` }) },
    ),
    asks: ['source/verifier-shared'],
    says: [
      'high source/verifier-shared 0/verifier/hmac/secret',
      'high source/verifier-shared 1/verifier/hmac/secret',
      'low source/verifier-shared 2/verifier/hmac/secret',
      'low source/verifier-shared 3/verifier/hmac/secret',
    ],
  },
  {
    given: 'short secrets of HMAC, of a user and of an API key',
    does: 'takes each of them',
    known: tried,
    has: http(
      { verifier: hmac({ secret: 'a9x3' }) },
      { verifier: { ...basic('hooks'), basic_auth: { username: 'hooks', password: 'b7k2' } } },
      { verifier: { ...key('X-Key'), api_key: { header_name: 'X-Key', header_value: 'c5m8' } } },
    ),
    asks: ['source/verifier-weak', 'source/verifier-broken'],
    says: [
      'high source/verifier-weak 0/verifier/hmac/secret',
      'high source/verifier-weak 1/verifier/basic_auth/password',
      'high source/verifier-weak 2/verifier/api_key/header_value',
    ],
  },
  {
    given: 'types of events in a header and in the body, without a verifier, and in a header with an API key',
    does: 'reads the type where the location says, as the sender wrote it',
    known: ['read v26.7.3 api/ingest.go'],
    has: http(
      { verifier: null, event_type_location: 'request.header.X-Event-Type' },
      { verifier: null, event_type_location: 'request.body.type' },
      { verifier: key('X-Key'), event_type_location: 'request.header.X-Event-Type' },
    ),
    asks: ['source/event-type-unsigned'],
    says: ['medium source/event-type-unsigned 0/event_type_location'],
  },
  keyed('a key with a dotted header', ['request.Header.X.Y'], refusesRequests, true),
  keyed('a key with a dotted query parameter', ['request.query.a.b'], refusesRequests, true),
  keyed('a key with a header that no request has', ['request.Header.X Id'], dropsSecond, true),
  keyed('a key with a header that events have', ['request.Header.X-Id'], takesBoth, false),
  keyed('a key deep in the body', ['request.Body.data.id'], takesBoth, false),
  {
    given: 'no idempotency keys',
    does: 'takes the same event twice',
    known: tried,
    has: http({ idempotency_keys: [] }),
    asks: ['source/idempotency-broken', 'source/idempotency-missing'],
    says: ['low source/idempotency-missing 0/idempotency_keys'],
  },
  {
    given: 'other idempotency keys than before',
    does: 'calls events duplicates by the new keys',
    known: ofKeys,
    had: http({ idempotency_keys: ['request.Header.X-Id'] }),
    has: http({ idempotency_keys: ['request.Body.id'] }),
    asks: ['drift/idempotency-changed'],
    says: ['medium drift/idempotency-changed 0/idempotency_keys'],
  },
  {
    given: 'a disabled source with a subscription, and one without',
    does: 'takes their events, and delivers those that a subscription asks for',
    known: ['tried v26.3.6', 'read v25.6.3 api/ingest.go', 'read v26.7.3 api/ingest.go'],
    has: { ...http({ is_disabled: true }, { is_disabled: true }), subscriptions: [{ source: 0 }] },
    asks: ['source/disabled'],
    says: ['high source/disabled 0/is_disabled', 'low source/disabled 1/is_disabled'],
  },
  {
    given: 'two sources of AMQP that differ in vhost and port alone, and one with another queue',
    does: 'runs one consumer for the first two',
    known: ofQueues,
    has: {
      sources: [
        queue('amqp', amqp),
        queue('amqp', { ...amqp, vhost: 'b', port: '5672' }),
        queue('amqp', { ...amqp, queue: 'other' }),
      ],
    },
    asks: ['source/queue-duplicate'],
    says: ['medium source/queue-duplicate 0/pub_sub', 'medium source/queue-duplicate 1/pub_sub'],
  },
  {
    given: 'two sources of Kafka with the same settings, and one with more workers',
    does: 'runs one consumer for the first two; after a restart of the agent, that of the newer source',
    known: ['tried v26.3.6', ...ofQueues],
    has: { sources: [queue('kafka', kafka), queue('kafka', kafka), queue('kafka', kafka, 2)] },
    asks: ['source/queue-duplicate'],
    says: ['medium source/queue-duplicate 0/pub_sub', 'medium source/queue-duplicate 1/pub_sub'],
  },
  {
    given: 'Kafka with TLS and SASL, without any, and with TLS and no type of authentication',
    does: 'reads the first one encrypted, the second one openly, and the third one not at all',
    known: ['tried v26.3.6', 'read v26.7.3 internal/pkg/pubsub/kafka/client.go'],
    has: {
      sources: [
        queue('kafka', kafka),
        queue('kafka', { ...kafka, topic_name: 'open', auth: null }),
        queue('kafka', { ...kafka, topic_name: 'none', auth: { ...sasl, type: '' } }),
      ],
    },
    asks: ['source/queue-plaintext', 'source/queue-duplicate'],
    says: ['high source/queue-plaintext 1/pub_sub/kafka/auth', 'high source/queue-plaintext 2/pub_sub/kafka/auth/type'],
  },
  {
    given: 'SQS with an endpoint of its own, without and with https, and without one',
    does: 'reads the first one without TLS',
    known: ['read v26.3.6 internal/pkg/pubsub/sqs/client.go', 'read v26.7.3 internal/pkg/pubsub/sqs/client.go'],
    has: {
      sources: [
        queue('sqs', { ...sqs, endpoint: 'localstack.example.com:4566' }),
        queue('sqs', { ...sqs, queue_name: 'b', endpoint: 'https://sqs.example.com' }),
        queue('sqs', { ...sqs, queue_name: 'c' }),
      ],
    },
    asks: ['source/queue-plaintext', 'source/queue-duplicate'],
    says: ['high source/queue-plaintext 0/pub_sub/sqs/endpoint'],
  },
  {
    given: 'SQS with a key that lasts, and with one of the token service',
    does: 'reads the first queue, and sends no session token with the second key, so SQS refuses it',
    known: ['read v25.6.3 internal/pkg/pubsub/sqs/client.go', 'read v26.7.3 internal/pkg/pubsub/sqs/client.go'],
    has: { sources: [queue('sqs', sqs), queue('sqs', { ...sqs, access_key_id: 'ASIANOTAREALKEY12345' })] },
    asks: ['source/queue-static-keys'],
    says: [
      'low source/queue-static-keys 0/pub_sub/sqs/secret_key',
      'high source/queue-static-keys 1/pub_sub/sqs/access_key_id',
    ],
  },
  {
    given: 'AMQP with a dead-letter exchange, and without one',
    does: 'rejects what it cannot use, which only the first queue keeps',
    known: ['read v26.3.6 internal/pkg/pubsub/amqp/client.go', 'read v26.7.3 internal/pkg/pubsub/amqp/client.go'],
    has: { sources: [queue('amqp', amqp), queue('amqp', { ...amqp, queue: 'b', deadLetterExchange: null })] },
    asks: ['source/dead-letter-missing'],
    says: ['low source/dead-letter-missing 1/pub_sub/amqp/deadLetterExchange'],
  },
  {
    given: 'functions that came to an http source and to a source of a queue',
    does: 'never runs the first one, and runs the second one after a restart of the agent',
    known: [
      'tried v26.3.6',
      'read v25.6.3 internal/pkg/pubsub/ingest.go',
      'read v26.7.3 internal/pkg/pubsub/ingest.go',
    ],
    had: http({ body_function: null }, { ...queue('kafka', kafka), body_function: null }),
    has: http({ body_function: 'return 1' }, { ...queue('kafka', kafka), body_function: 'return 1' }),
    asks: ['drift/function-changed'],
    says: [
      'info drift/function-changed source:0/body_function',
      'medium drift/function-changed source:1/body_function',
    ],
  },
  {
    given: 'an HMAC that became an API key',
    does: 'takes any payload with the key',
    known: ofVerifiers,
    had: http({ verifier: hmac() }),
    has: http({ verifier: key('X-Key') }),
    asks: ['drift/verification-weakened', 'source/verifier-broken'],
    says: ['critical drift/verification-weakened 0/verifier'],
  },
  {
    given: 'an HMAC over SHA512 that became one over SHA256',
    does: 'takes what is signed with the new hash alone',
    known: ofVerifiers,
    had: http({ verifier: hmac({ hash: 'SHA512' }) }),
    has: http({ verifier: hmac() }),
    asks: ['drift/verification-weakened', 'source/verifier-broken'],
    says: [],
  },
  {
    given: 'an HMAC over SHA256 that became one over SHA1, and a GitHub source that became one with an API key',
    does: 'refuses every event',
    known: tried,
    had: http({ verifier: hmac() }, { provider: 'github', verifier: hmac() }),
    has: http({ verifier: hmac({ hash: 'SHA1' }) }, { provider: 'github', verifier: key('X-Key') }),
    asks: ['drift/verification-weakened', 'source/verifier-broken'],
    says: ['high source/verifier-broken 0/verifier/hmac/hash', 'high source/verifier-broken 1/verifier'],
  },
  {
    given: 'an HMAC over MD5 that became none',
    does: 'refused every event, and takes any now',
    known: tried,
    had: http({ verifier: hmac({ hash: 'MD5' }) }),
    has: http({ verifier: null }),
    asks: ['drift/verification-weakened', 'source/unverified'],
    says: ['critical drift/verification-weakened 0/verifier', 'critical source/unverified 0/verifier'],
  },
]
