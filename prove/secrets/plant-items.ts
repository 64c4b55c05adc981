import type { JsonObject } from '../../src/model/json.ts'
import type { Canaries } from './canaries.ts'

/** Items of a project's listings, each with secrets in places where services and people put them. */
export interface Planted {
  readonly endpoints: readonly JsonObject[]
  readonly sources: readonly JsonObject[]
  readonly subscriptions: readonly JsonObject[]
  readonly event_types: readonly JsonObject[]
  /** Filter rows, by the uid of their subscription. */
  readonly filters: Readonly<Record<string, readonly JsonObject[]>>
}

export const nothing: Planted = { endpoints: [], sources: [], subscriptions: [], event_types: [], filters: {} }

type Plant = (canaries: Canaries) => JsonObject

/** `round`: further items with other secrets in the same places. */
export function plantItems(projectUid: string, programs: readonly string[], canaries: Canaries): Planted {
  let count = 0
  const items = (plants: readonly Plant[], listing: keyof typeof usual) =>
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
  const filters = plantRows(canaries)
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
        ...Object.keys(filters).map(
          (uid): Plant =>
            () => ({ uid }),
        ),
      ],
      'subscriptions',
    ),
    event_types: items(eventTypePlants, 'event_types'),
    filters,
  }
}

/** Each place in a row of a subscription that has no other, and all of them in the rows of one. */
function plantRows(canaries: Canaries): Planted['filters'] {
  const alone = rowPlants.map((plant, at): [string, JsonObject[]] => {
    const uid = `su-row-${at}`
    return [uid, [rowOf(uid, at, plant(canaries))]]
  })
  const together = rowPlants.map((plant, at) => rowOf('su-rows', at, plant(canaries)))
  return Object.fromEntries([...alone, ['su-rows', together]])
}

/** A filter row with what every release shows. `at`: its place among the rows of its subscription. */
export function rowOf(subscription: string, at: number, members: JsonObject): JsonObject {
  const named = { uid: `row-${at}`, subscription_id: subscription, event_type: `event.${at}` }
  return { ...named, headers: {}, body: {}, raw_headers: null, raw_body: null, ...members }
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
  event_types: { category: '', description: '', json_schema: null, deprecated_at: null },
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

/** Conditions on events. */
const conditionsIn = (place: string): readonly Plant[] => [
  (c) => ({ headers: { 'x-api-key': c.any(`${place}.headers`) } }),
  (c) => ({ headers: { authorization: { $eq: c.any(`${place}.headers, an operator`) } } }),
  (c) => ({ body: { credentials: { a: [{ b: c.any(`${place}.body, deep within a secret`) }] } } }),
  (c) => ({ body: { note: c.random(`${place}.body, a random word`) } }),
  (c) => ({ body: { [c.random(`${place}.body, a random name`)]: 1 } }),
  (c) => ({ query: { sig: c.any(`${place}.query, sig`) } }),
  (c) => ({ query: { key: { $in: [c.any(`${place}.query, key`)] } } }),
  (c) => ({ body: { url: `https://u:${c.random(`${place}.body, an address`)}@a.example/` } }),
  (c) => ({ body: c.forged(`${place}.body, spelt like a seal`) }),
]

/** A row says itself what the service made of it and what was written, which is not kept. */
const rowPlants: readonly Plant[] = [
  ...conditionsIn('row'),
  ...unknownFields,
  (c) => ({ path: { token: c.any('row.path, token') } }),
  (c) => ({ path: { '0': { $in: ['eu', c.random('row.path, a random word')] } } }),
  (c) => ({ body: c.random('row.body, a text') }),
  (c) => ({ headers: [{ authorization: c.any('row.headers, a list') }] }),
  (c) => ({ event_type: c.random('row.event_type') }),
  (c) => ({ event_type: c.known('row.event_type, whole') }),
  (c) => ({ event_type: `orders.${c.random('row.event_type, a part')}` }),
  (c) => ({ event_type: `orders, password: ${c.any('row.event_type, password:')}` }),
  (c) => ({ event_type: c.forged('row.event_type, spelt like a seal') }),
  (c) => ({ enabled_at: c.mixed('row.enabled_at, a secret by mistake') }),
  (c) => ({ uid: c.any('row.uid') }),
  ...['raw_body', 'raw_headers', 'raw_query', 'raw_path'].map(
    (name): Plant =>
      (c) => ({ [name]: { note: c.any(`row.${name}`) } }),
  ),
]

const eventTypePlants: readonly Plant[] = [
  ...unknownFields,
  ...['name', 'category', 'description'].flatMap((name): Plant[] => [
    (c) => ({ [name]: `orders.${c.random(`event type's ${name}, a part`)}` }),
    (c) => ({ [name]: c.known(`event type's ${name}, whole`) }),
    (c) => ({ [name]: `orders, password: ${c.any(`event type's ${name}, password:`)}` }),
    (c) => ({ [name]: { secret: c.any(`event type's ${name}, an object`) } }),
    (c) => ({ [name]: c.forged(`event type's ${name}, spelt like a seal`) }),
  ]),
  (c) => ({ deprecated_at: c.mixed("event type's deprecated_at, a secret by mistake") }),
  (c) => ({ json_schema: { examples: [{ data: { api_key: c.any('json_schema, an example') } }] } }),
  (c) => ({ json_schema: { properties: { token: { type: 'string', default: c.any('json_schema, a default') } } } }),
  (c) => ({ json_schema: { properties: { note: { enum: ['eu', c.random('json_schema, a random word')] } } } }),
  (c) => ({ json_schema: { properties: { [c.random('json_schema, a random name')]: { type: 'string' } } } }),
  (c) => ({ json_schema: { $ref: `https://u:${c.random('json_schema, an address')}@a.example/` } }),
  (c) => ({ json_schema: c.random('json_schema, a text') }),
  (c) => ({ json_schema: [{ secret: c.any('json_schema, a list') }] }),
  (c) => ({ json_schema: c.forged('json_schema, spelt like a seal') }),
]

const subscriptionPlants: readonly Plant[] = [
  ...conditionsIn('filter').map(
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
