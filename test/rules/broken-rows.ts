import type {
  EndpointRow,
  ProjectConfigRow,
  SecretRow,
  SourceRow,
  SubscriptionRow,
  VerifierRow,
} from '../../src/demo/rows.ts'
import type { JsonObject } from '../../src/model/json.ts'
import { ended } from './certificates.ts'
import { broken as sourceEventTypeUnsigned } from './source/event-type-unsigned.cases.ts'
import { broken as sourceVerifierUnknown } from './source/verifier-unknown.cases.ts'

/** What breaks a rule, as the service's tables hold it. */
export interface Break<Row> {
  readonly row: (row: Row, twin: Row) => Row
  /** Rules that the same thing breaks as well. */
  readonly also?: readonly string[]
  /** Whether the row next to it breaks the rule too, because it is the same. */
  readonly withTwin?: true
}

type Breaks<Row> = Readonly<Record<string, Break<Row>>>

const endpoint = (change: Partial<EndpointRow>, ...also: string[]): Break<EndpointRow> => ({
  row: (row) => ({ ...row, ...change }),
  also,
})
const at = (url: string, ...also: string[]) => endpoint({ url }, ...also)
const certificate = (client_cert: string) => ({ mtls_client_cert: { client_cert, client_key: 'not-a-real-key' } })
const apiKey = (header_value: string) =>
  ({ authentication: { type: 'api_key', api_key: { header_name: 'X-Api-Key', header_value } } }) as const
const secrets = (change: (secret: SecretRow) => readonly SecretRow[]): Break<EndpointRow> => ({
  row: (row) => ({ ...row, secrets: (row.secrets ?? []).flatMap(change) }),
})
const another = (secret: SecretRow, end: string): SecretRow => ({
  ...secret,
  uid: `${secret.uid.slice(0, -1)}${end}`,
  value: `${secret.value.slice(0, -1)}${end}`,
})
const oauth = (oauth2: JsonObject, ...also: string[]) =>
  endpoint({ authentication: { type: 'oauth2', oauth2: { ...oauthBase, ...oauth2 } } }, ...also)
const oauthBase = { url: 'https://idp.example.com/token', client_id: 'hooks', grant_type: 'client_credentials' }
const shared = { authentication_type: 'shared_secret', client_secret: 'not-a-real-key-5d1c0a9e7b3f4826' }
const assertion = { authentication_type: 'client_assertion', issuer: 'hooks', subject: 'hooks' }
const jwk = { kty: 'EC', crv: 'P-256', kid: 'k', x: 'x', y: 'y' }

/** For an audit on 2026-11-23. */
export const endpointBreaks: Breaks<EndpointRow> = {
  'endpoint/alert-contact-invalid': endpoint({ support_email: 'not-an-address' }),
  'endpoint/alert-contact-missing': endpoint({ support_email: '' }),
  'endpoint/auth-mismatch': endpoint({ authentication: { type: 'oauth2', oauth2: {} } }),
  'endpoint/auth-over-http': at('http://hooks.example.com/auth', 'endpoint/url-not-https'),
  'endpoint/auth-shared': {
    row: (row, twin) => ({ ...row, url: 'https://elsewhere.example.com/', authentication: twin.authentication }),
    withTwin: true,
  },
  'endpoint/auth-weak': endpoint(apiKey('k3y-7f1a')),
  'endpoint/failure-rate-high': endpoint({ failure_rate: 40 }),
  'endpoint/form-encoded': endpoint({ content_type: 'application/x-www-form-urlencoded' }),
  'endpoint/inactive': endpoint({ status: 'inactive' }),
  'endpoint/mtls-broken': endpoint(certificate(ended)),
  'endpoint/name-convention': endpoint({ name: 'My Endpoint' }),
  'endpoint/oauth-algorithm-mismatch': oauth(
    { ...assertion, signing_algorithm: 'RS256', signing_key: { ...jwk, d: 'not-a-real-key' } },
    'endpoint/oauth-key-exposed',
  ),
  'endpoint/oauth-incomplete': oauth({ authentication_type: 'shared_secret' }),
  'endpoint/oauth-key-exposed': oauth({
    ...assertion,
    signing_algorithm: 'ES256',
    signing_key: { ...jwk, d: 'not-a-real-key' },
  }),
  'endpoint/oauth-url-http': oauth({ ...shared, url: 'http://idp.example.com/token' }),
  'endpoint/oauth-url-private': oauth({
    ...shared,
    client_secret: 'not-a-real-key-0b86d2f4e19c75a3',
    url: 'https://10.0.0.7/token',
  }),
  'endpoint/orphan': endpoint({}),
  'endpoint/owner-missing': endpoint({ owner_id: '' }),
  'endpoint/paused-long': endpoint({ status: 'paused' }),
  'endpoint/rate-limit-absent': endpoint({ rate_limit: 0, rate_limit_duration: 0 }),
  'endpoint/rate-limit-ineffective': endpoint({ rate_limit: 100, rate_limit_duration: 0 }),
  'endpoint/secret-expired-active': secrets((secret) => [
    { ...secret, expires_at: '2026-11-01T00:00:00Z' },
    another(secret, '1'),
  ]),
  'endpoint/secret-missing': secrets(() => []),
  'endpoint/secret-shared': { row: (row, twin) => ({ ...row, secrets: twin.secrets }), withTwin: true },
  'endpoint/secret-stale': secrets((secret) => [{ ...secret, created_at: '2025-01-01T00:00:00Z' }]),
  'endpoint/secret-too-many': secrets((secret) => [secret, another(secret, '1'), another(secret, '2')]),
  'endpoint/secret-weak': secrets((secret) => [{ ...secret, value: 'changeme' }]),
  'endpoint/signature-simple': endpoint({ advanced_signatures: false }),
  'endpoint/status-unknown': endpoint({ status: 'frozen' }),
  'endpoint/timeout-high': endpoint({ http_timeout: 120 }),
  'endpoint/timeout-low': endpoint({ http_timeout: 2 }),
  'endpoint/url-credentials': at('https://user:not-a-real-key@hooks.example.com/'),
  'endpoint/url-duplicate': { row: (row, twin) => ({ ...row, url: twin.url }), withTwin: true },
  'endpoint/url-invalid': at('https://hooks.example.com/?with=a blank'),
  'endpoint/url-metadata-address': at('https://169.254.169.254/latest/meta-data'),
  'endpoint/url-not-https': endpoint({ url: 'http://hooks.example.com/plain', authentication: null }),
  'endpoint/url-odd-port': at('https://hooks.example.com:8444/'),
  'endpoint/url-private-address': at('https://10.0.0.8/hooks'),
  'endpoint/url-raw-ip': at('https://8.8.8.8/hooks'),
  'endpoint/url-template': at('https://hooks.example.com/in/{tenant}'),
  'endpoint/url-test-host': at('https://webhook.site/hooks'),
  // Its subscription has no limit of its own, which would be above this one.
  'endpoint/rate-limit-low': endpoint({ rate_limit: 1, rate_limit_duration: 600 }),
}

const subscription = (change: Partial<SubscriptionRow>, ...also: string[]): Break<SubscriptionRow> => ({
  row: (row) => ({ ...row, ...change }),
  also,
})
const events = (event_types: readonly string[], body: JsonObject = {}, ...also: string[]) =>
  subscription({ filter_config: { event_types, filter: { is_flattened: true, headers: {}, body } } }, ...also)

/** Without those about an endpoint or about another subscription. */
export const subscriptionBreaks: Breaks<SubscriptionRow> = {
  'subscription/at-most-once': subscription({ delivery_mode: 'at_most_once' }),
  'subscription/event-type-odd': events([' order.created']),
  'subscription/filter-unsatisfiable': events(['order.created'], { country: { $in: [] } }),
  'subscription/function-suspicious': subscription({
    function: 'function transform(payload) { return eval(payload.code) }',
  }),
  'subscription/settings-ignored': subscription({ rate_limit_config: { count: 5, duration: 60 } }),
  'subscription/type-cli': subscription({ type: 'cli' }),
  'subscription/wildcard': events(['*']),
  'subscription/wildcard-mixed': events(['*', 'order.created'], {}, 'subscription/wildcard'),
}

const source = (change: Partial<SourceRow>, ...also: string[]): Break<SourceRow> => ({
  row: (row) => ({ ...row, ...change }),
  also,
})
const none = { hmac: null, basic_auth: null, api_key: null }
export const hmac = (secret: string, hash = 'SHA256'): VerifierRow => ({
  ...none,
  type: 'hmac',
  hmac: { header: 'X-Signature', hash, secret, encoding: 'hex' },
})
const key = (header_value: string): VerifierRow => ({
  ...none,
  type: 'api_key',
  api_key: { header_name: 'X-Api-Key', header_value },
})
const queue = (type: string, settings: JsonObject, ...also: string[]) =>
  source({ type: 'pub_sub', url: '', pub_sub: { type, workers: 1, ...noQueue, [type]: settings } }, ...also)
const noQueue = { sqs: null, google: null, kafka: null, amqp: null }
const ofAmqp = {
  schema: 'amqps',
  host: 'mq.example.com',
  port: '5671',
  queue: 'events',
  routingKey: '',
  vhost: '/',
  bindedExchange: null,
  deadLetterExchange: null,
  auth: { user: 'hooks', password: 'not-a-real-key-77' },
}

export const sourceBreaks: Breaks<SourceRow> = {
  'source/dead-letter-missing': queue('amqp', ofAmqp, 'source/queue-duplicate'),
  'source/disabled': source({ is_disabled: true }),
  'source/idempotency-broken': source({ idempotency_keys: ['request.Header.X.Y'] }),
  'source/idempotency-missing': source({ idempotency_keys: [] }),
  'source/queue-duplicate': queue('amqp', { ...ofAmqp, vhost: '/other' }, 'source/dead-letter-missing'),
  'source/queue-plaintext': queue('kafka', {
    brokers: ['mq.example.com:9092'],
    consumer_group_id: 'hooks',
    topic_name: 'events',
    auth: null,
  }),
  'source/queue-static-keys': queue('sqs', {
    access_key_id: 'AKIANOTAREALKEY12345',
    secret_key: 'not-a-real-key-81e5',
    default_region: 'eu-central-1',
    queue_name: 'events',
  }),
  'source/settings-ignored': source({ forward_headers: ['X-Request-Id'] }),
  'source/unverified': source({ verifier: null }),
  'source/verifier-broken': { row: (row) => ({ ...row, verifier: hmac(row.verifier?.hmac?.secret ?? '', 'MD5') }) },
  'source/verifier-replayable': source({ verifier: key('not-a-real-key-5b7e1c93a0d2f684') }),
  'source/verifier-shared': { row: (row, twin) => ({ ...row, verifier: twin.verifier }), withTwin: true },
  'source/verifier-weak': source({ verifier: hmac('letmein') }),
  'source/event-type-unsigned': source(sourceEventTypeUnsigned.change, ...sourceEventTypeUnsigned.also),
  'source/verifier-unknown': source(sourceVerifierUnknown.change, ...sourceVerifierUnknown.also),
}

/** Each in a project of its own. */
export const projectBreaks: Readonly<Record<string, (config: ProjectConfigRow) => Partial<ProjectConfigRow>>> = {
  'project/meta-event-insecure': ({ meta_event }) => ({
    meta_event: { ...meta_event, is_enabled: true, type: 'http', url: 'http://meta.example.com/' },
  }),
  'project/retry-hammering': () => ({ strategy: { type: 'linear', duration: 100, retry_count: 52 } }),
  'project/settings-ignored': () => ({ replay_attacks_prevention_enabled: true }),
  'project/retry-short': () => ({
    disable_endpoint: false,
    strategy: { type: 'exponential', duration: 10, retry_count: 5 },
  }),
  'project/signature-broken': ({ signature }) => ({
    signature: { ...signature, versions: signature.versions.map((version) => ({ ...version, hash: 'MD5' })) },
  }),
  'project/tls-not-enforced': () => ({ ssl: { enforce_secure_endpoints: false } }),
}
