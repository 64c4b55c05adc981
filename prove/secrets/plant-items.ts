import type { JsonObject } from '../../src/model/json.ts'
import type { Canaries } from './canaries.ts'

/** Items of a project's listings, each with secrets in places where services and people put them. */
export interface Planted {
  readonly endpoints: readonly JsonObject[]
  readonly sources: readonly JsonObject[]
  readonly subscriptions: readonly JsonObject[]
}

const listings = ['endpoints', 'sources', 'subscriptions'] as const
type Plant = (canaries: Canaries) => JsonObject

/** `round`: further items with other secrets in the same places. */
export function plantItems(projectUid: string, programs: readonly string[], canaries: Canaries): Planted {
  let count = 0
  const items = (plants: readonly Plant[], listing: (typeof listings)[number]) =>
    plants.map((plant) => {
      count += 1
      const uid = `${listing.slice(0, 2)}-${count}`
      return { uid, project_id: projectUid, name: `${listing} ${count}`, ...usual[listing], ...plant(canaries) }
    })
  const functions = programs.map(
    (text, index): Plant =>
      () =>
        index % 2 === 0 ? { body_function: text } : { header_function: text },
  )
  return {
    endpoints: items(endpointPlants, 'endpoints'),
    sources: items([...sourcePlants, ...functions], 'sources'),
    subscriptions: items(
      [
        ...subscriptionPlants,
        ...programs.map(
          (text): Plant =>
            () => ({ function: text }),
        ),
      ],
      'subscriptions',
    ),
  }
}

/** An item of each list with what every release shows. */
export const usual = {
  endpoints: { url: 'https://a.example/in', status: 'active', secrets: [], authentication: null },
  sources: { type: 'http', is_disabled: false, verifier: { type: 'noop' } },
  subscriptions: {
    type: 'api',
    endpoint_metadata: null,
    source_metadata: null,
    filter_config: { event_types: ['*'], filter: {} },
  },
} as const

const withSecret = (secret: JsonObject) => ({ secrets: [{ uid: 's1', value: 'x'.repeat(40), ...secret }] })

const urls = (make: (address: string) => JsonObject, place: string): Plant[] =>
  Object.entries(addresses).map(
    ([form, write]) =>
      (canaries) =>
        make(write(canaries, `${place}, ${form}`)),
  )

const addresses: Readonly<Record<string, (canaries: Canaries, place: string) => string>> = {
  userinfo: (c, at) => `https://user:${c.random(at)}@a.example/x`,
  'userinfo without a user': (c, at) => `https://${c.random(at)}@a.example/x`,
  'a parameter token': (c, at) => `https://a.example/x?a=1&token=${encodeURIComponent(c.any(at))}`,
  'a parameter sig': (c, at) => `https://a.example/x?sig=${encodeURIComponent(c.any(at))}`,
  'a parameter of any name': (c, at) => `https://a.example/x?a=${encodeURIComponent(c.random(at))}`,
  'a query without a name': (c, at) => `https://a.example/x?${encodeURIComponent(c.odd(at))}`,
  'JSON in the query': (c, at) => `https://a.example/x?cfg={"token":"${c.odd(at)}"}`,
  'an address in the query': (c, at) =>
    `https://a.example/x?to=${encodeURIComponent(`https://u:${c.random(at)}@b.example/`)}`,
  'a step of the path': (c, at) => `https://a.example/hooks/${c.random(at).replaceAll('/', '_')}/x`,
  'a step behind token': (c, at) => `https://a.example/token/${encodeURIComponent(c.odd(at))}`,
  'a parameter of the path': (c, at) => `https://a.example/x;token=${encodeURIComponent(c.any(at))}/y`,
  'the fragment': (c, at) => `https://a.example/x#access_token=${encodeURIComponent(c.any(at))}`,
  'a chat with a port': (c, at) => `https://hooks.slack.com:443/services/T0/B0/${c.any(at)}`,
  'a chat with a dot': (c, at) => `https://Hooks.Slack.com./services/T0/B0/${c.any(at)}`,
  'a chat of a government': (c, at) => `https://hooks.slack-gov.com/services/T0/B0/${c.any(at)}`,
  'a chat in a test version': (c, at) => `https://canary.discord.com/api/webhooks/1/${c.any(at)}`,
}

const authentications: readonly Plant[] = [
  (c) => ({ api_key: { header_name: 'X-Key', header_value: c.any('authentication.api_key.header_value') } }),
  (c) => ({ basic_auth: { username: 'u', password: c.any('authentication.basic_auth.password') } }),
  (c) => ({ basic_auth: { username: c.random('authentication.basic_auth.username'), password: 'x' } }),
  (c) => ({ oauth2: { client_secret: c.any('authentication.oauth2.client_secret') } }),
  (c) => ({ oauth2: { signing_key: { kty: 'EC', d: c.any('authentication.oauth2.signing_key.d') } } }),
  (c) => ({ oauth2: { signing_key: { oth: [{ r: c.any('authentication.oauth2.signing_key.oth') }] } } }),
  (c) => ({ oauth2: { signing_key: { private: c.any('authentication.oauth2.signing_key.private') } } }),
  (c) => ({ bearer: { value: c.any('authentication.bearer.value') } }),
  (c) => ({ digest: { realm: 'x', value: c.any('authentication.digest.value') } }),
  (c) => ({ type: c.odd('authentication.type') }),
  (c) => ({ api_key: c.any('authentication.api_key, a text') }),
  (c) => ({ basic_auth: [{ password: c.any('authentication.basic_auth, a list') }] }),
  (c) => ({ [c.odd('authentication, the name of a member')]: true }),
]

const secretObjects: readonly Plant[] = [
  (c) => withSecret({ value: c.any('secrets[].value') }),
  (c) => withSecret({ previous: c.any('secrets[].previous') }),
  (c) => withSecret({ old_values: [c.any('secrets[].old_values')] }),
  (c) => withSecret({ more: { deep: c.any('secrets[].more.deep') } }),
  (c) => withSecret({ created_at: c.any('secrets[].created_at') }),
  (c) => withSecret({ value: c.forged('secrets[].value, spelt like a seal') }),
  (c) => {
    const value = c.any('secrets[].uid, which is its value')
    return withSecret({ uid: value, value })
  },
  (c) => ({ secrets: { a: c.any('secrets, a map') } }),
  (c) => ({ secrets: [c.any('secrets, a list of texts')] }),
  (c) => ({ secrets: c.any('secrets, a text') }),
]

const unknownFields: readonly Plant[] = [
  ...[
    'hmac_key',
    'master_key',
    'ssh_key',
    'bearer',
    'auth_header',
    'pin',
    'otp_seed',
    'private',
    'apiKeyNew',
    'signingSecret',
  ].map(
    (name): Plant =>
      (c) => ({ [name]: c.any(`unknown field ${name}`) }),
  ),
  (c) => ({ encryption: { key: c.any('unknown field encryption.key') } }),
  (c) => ({ tokens: { [c.odd('unknown field tokens, the name of a member')]: true } }),
  (c) => ({ custom_headers: [{ name: 'X-Api-Key', value: c.any('unknown field custom_headers, a list of pairs') }] }),
  (c) => ({ custom_headers: { authorization: c.any('unknown field custom_headers.authorization') } }),
  (c) => ({ discord_webhook_url: `https://chat.example/${c.any('unknown field discord_webhook_url')}` }),
  (c) => ({ zone: c.odd('unknown field zone') }),
  (c) => ({ extra: { list: ['eu', { deep: c.odd('unknown field, deep within') }] } }),
  (c) => ({ extra: c.forged('unknown field, spelt like a seal') }),
  (c) => ({ extra: { [c.random('unknown field, a random name')]: 1 } }),
]

const endpointPlants: readonly Plant[] = [
  ...authentications.map(
    (plant): Plant =>
      (c) => ({ authentication: { type: 'api_key', ...plant(c) } }),
  ),
  (c) => ({ authentication: c.any('authentication, a text') }),
  ...secretObjects,
  ...unknownFields,
  ...urls((url) => ({ url }), 'url'),
  ...urls((url) => ({ target_url: url }), 'target_url'),
  (c) => ({ slack_webhook_url: `https://chat.example/${c.any('slack_webhook_url')}` }),
  (c) => ({ teams_webhook_url: `https://chat.example/x?y=${c.any('teams_webhook_url')}` }),
  (c) => ({ mtls_client_cert: { client_cert: '', client_key: c.any('mtls_client_cert.client_key') } }),
  (c) => ({
    mtls_client_cert: {
      client_cert: Buffer.from(c.any('mtls_client_cert.client_cert, no certificate')).toString('base64'),
    },
  }),
  (c) => ({ mtls_client_cert: c.any('mtls_client_cert, a text') }),
  ...[
    'created_at',
    'updated_at',
    'deleted_at',
    'http_timeout',
    'rate_limit',
    'rate_limit_duration',
    'advanced_signatures',
    'failure_rate',
    'status',
  ].map(
    (name): Plant =>
      (c) => ({ [name]: c.mixed(`${name}, a secret by mistake`) }),
  ),
  ...['owner_id', 'support_email', 'content_type'].map(
    (name): Plant =>
      (c) => ({ [name]: c.known(`${name}, a secret by mistake`) }),
  ),
  (c) => ({ content_type: `text/plain; token=${c.random('content_type, a parameter')}` }),
  ...['name', 'description'].flatMap((name): Plant[] => [
    (c) => ({ [name]: `orders ${c.random(`${name}, a word`)} eu` }),
    (c) => ({ [name]: c.known(`${name}, whole`) }),
    (c) => ({ [name]: `Orders, password: ${c.any(`${name}, password:`)}` }),
    (c) => ({ [name]: `API key (prod): ${c.any(`${name}, API key (prod):`)}` }),
    (c) => ({ [name]: `API key:\n${c.odd(`${name}, API key: on the next line`)}` }),
    (c) => ({ [name]: `token = "two ${c.any(`${name}, token = in quotes`)}"` }),
    (c) => ({ [name]: `the password is ${c.odd(`${name}, password is`)}` }),
    (c) => ({ [name]: `see https://${c.random(`${name}, userinfo of an address`)}@a.example/x` }),
    (c) => ({ [name]: `see https://a.example/?token=${c.any(`${name}, a parameter of an address`)}` }),
    (c) => ({ [name]: `Authorization: Token ${c.odd(`${name}, a header`)}` }),
    (c) => ({ [name]: { secret: c.any(`${name}, an object`) } }),
    (c) => ({ [name]: c.forged(`${name}, spelt like a seal`) }),
  ]),
]

const verifiers: readonly Plant[] = [
  (c) => ({ type: 'hmac', hmac: { header: 'X-Sig', secret: c.any('verifier.hmac.secret') } }),
  (c) => ({ type: 'hmac', hmac: { header: 'X-Sig', secrets: [c.any('verifier.hmac.secrets')] } }),
  (c) => ({ type: 'basic_auth', basic_auth: { username: 'u', password: c.any('verifier.basic_auth.password') } }),
  (c) => ({ type: 'api_key', api_key: { header_name: 'X-Key', header_value: c.any('verifier.api_key.header_value') } }),
  (c) => ({ type: 'ed25519', ed25519: { key: c.any('verifier.ed25519.key') } }),
]

const queues: readonly Plant[] = [
  (c) => ({
    type: 'sqs',
    sqs: { access_key_id: c.any('pub_sub.sqs.access_key_id'), secret_key: c.any('pub_sub.sqs.secret_key') },
  }),
  (c) => ({
    type: 'google',
    google: { service_account: Buffer.from(c.any('pub_sub.google.service_account')).toString('base64') },
  }),
  (c) => ({
    type: 'google',
    google: { service_account: [...Buffer.from(c.any('pub_sub.google.service_account, bytes'))] },
  }),
  (c) => ({
    type: 'kafka',
    kafka: {
      brokers: [`u:${c.random('pub_sub.kafka.brokers')}@b.example:9092`],
      auth: { password: c.any('pub_sub.kafka.auth.password') },
    },
  }),
  (c) => ({
    type: 'amqp',
    amqp: {
      host: `u:${c.random('pub_sub.amqp.host')}@mq.example`,
      auth: { password: c.any('pub_sub.amqp.auth.password') },
    },
  }),
  (c) => ({ type: 'nats', nats: { creds: c.any('pub_sub.nats.creds') } }),
]

const sourcePlants: readonly Plant[] = [
  ...verifiers.map(
    (plant): Plant =>
      (c) => ({ verifier: plant(c) }),
  ),
  ...queues.map(
    (plant): Plant =>
      (c) => ({ pub_sub: plant(c) }),
  ),
  ...unknownFields,
  ...urls((url) => ({ url }), 'url of a source'),
  (c) => ({ verifier: c.any('verifier, a text') }),
  (c) => ({ provider_config: { twitter: { consumer_secret: c.any('provider_config') } } }),
  (c) => ({
    custom_response: { body: `{"access_token": "${c.any('custom_response.body')}"}`, content_type: 'application/json' },
  }),
  (c) => ({ forward_headers: [c.random('forward_headers')] }),
  (c) => ({ idempotency_keys: [c.random('idempotency_keys')] }),
  (c) => ({ is_disabled: c.mixed('is_disabled, a secret by mistake') }),
  (c) => ({ body_function: `no program: '${c.any('a function that does not parse')}'; (` }),
  (c) => ({ body_function: c.odd('a function that is a secret') }),
]

const filters: readonly Plant[] = [
  (c) => ({ headers: { 'x-api-key': c.any('filter.headers') } }),
  (c) => ({ headers: { authorization: { $eq: c.any('filter.headers, an operator') } } }),
  (c) => ({ body: { credentials: { a: [{ b: c.any('filter.body, deep within a secret') }] } } }),
  (c) => ({ body: { note: c.random('filter.body, a random word') } }),
  (c) => ({ body: { [c.random('filter.body, a random name')]: 1 } }),
  (c) => ({ query: { sig: c.any('filter.query, sig') } }),
  (c) => ({ query: { key: { $in: [c.any('filter.query, key')] } } }),
  (c) => ({ body: { url: `https://u:${c.random('filter.body, an address')}@a.example/` } }),
  (c) => ({ body: c.forged('filter.body, spelt like a seal') }),
]

const subscriptionPlants: readonly Plant[] = [
  ...filters.map(
    (filter): Plant =>
      (c) => ({ filter_config: { event_types: ['*'], filter: filter(c) } }),
  ),
  ...unknownFields,
  (c) => ({ filter_config: { event_types: [c.random('filter_config.event_types')], filter: {} } }),
  (c) => ({ name: `orders ${c.random('name of a subscription')}` }),
  (c) => ({
    retry_config: { type: c.odd('retry_config.type'), duration: c.mixed('retry_config.duration'), retry_count: 1 },
  }),
  (c) => ({
    source_metadata: {
      uid: `so-in-${c.all.length}`,
      name: 'a stub',
      verifier: { type: 'hmac', hmac: { secret: c.any('a verifier in a subscription') } },
    },
  }),
]
