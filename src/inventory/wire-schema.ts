import type { Kind } from '../model/resource.ts'

/** What a field holds. Every leaf decides whether it is secret, so a new field cannot remain undecided. */
export type Leaf =
  /**
   * An identifier, which may appear random: people know and select things by it. A secret that was put there by mistake
   * is sealed by its form alone, so docs/explanation/secrets.md lists every such field.
   */
  | { readonly type: 'text' }
  /** A word of a closed vocabulary, of which some values may be known. Anything that is not a short plain word is sealed. */
  | { readonly type: 'word'; readonly values?: readonly string[] }
  /** Names, and text that a person wrote. Credentials and random words in it are sealed. */
  | { readonly type: 'prose' }
  /** A certificate, which is public and appears random. Any other text there is sealed. */
  | { readonly type: 'certificate' }
  /** Program text. All literals and comments in it are sealed but harmless ones. */
  | { readonly type: 'code' }
  /** An address. Userinfo and token-like query values in it are sealed. */
  | { readonly type: 'url' }
  /** An address that is itself a credential (chat webhooks): everything after the host is sealed. */
  | { readonly type: 'secret-url' }
  /** A secret: sealed whole, with facts about it kept. `isAnything`: in any form, else a text or the bytes of one. */
  | { readonly type: 'secret'; readonly isAnything?: true }
  | { readonly type: 'integer' }
  /** A number of seconds; some releases write `"10s"`. */
  | { readonly type: 'seconds' }
  | { readonly type: 'flag' }
  /** RFC 3339; year 1 means "not filled". `isSwitch`: when something was switched on; null while it is off. */
  | { readonly type: 'time'; readonly isSwitch?: true }
  /** A list of texts in any order. */
  | { readonly type: 'set' }
  /** A set of addresses, each sealed as `url`. */
  | { readonly type: 'addresses' }
  /**
   * An object of the user (filters). Its secrets are sealed; `names`: the convention of its members' names. `isAnything`:
   * any JSON.
   */
  | { readonly type: 'free'; readonly names?: 'parameters'; readonly isAnything?: true }

export type Field = (Leaf | Struct | KeyedList) & { readonly presence?: Presence }

/** An object with known members. */
export interface Struct {
  readonly type: 'struct'
  readonly members: Members
  /**
   * `collapse`: an object whose members are all empty equals no object, and an empty member equals no member (releases
   * write "none" in different ways).
   */
  readonly collapse?: true
  /** The object contains secrets: an unknown member is sealed in any case. */
  readonly guarded?: true
}

/**
 * A list of objects with a `uid`: kept as an object keyed by it, because its order means nothing. `by`: the member that
 * names them instead; such a name is prose, and means the same everywhere.
 */
export interface KeyedList {
  readonly type: 'keyed'
  readonly by?: string
  readonly members: Members
  readonly guarded?: true
}

export type Members = Readonly<Record<string, Field>>

/**
 * What the absence of a member means. Default: the service did not show it (unknown).
 * - `optional`: left out when empty
 * - `required`: every release shows it, so an item without it is seen in part: rules that read it say nothing
 * - `volatile`: changes by itself; rules read it, but it is neither stored nor compared
 * - `reference`: replaced by a reference or lifted; never an attribute
 */
type Presence = 'optional' | 'required' | 'volatile' | 'reference'

export const text: Field = { type: 'text' }
const word: Field = { type: 'word' }
const enumeration = (values: string): Field => ({ type: 'word', values: values.split(' ') })
const prose: Field = { type: 'prose' }
const certificate: Field = { type: 'certificate' }
const code: Field = { type: 'code' }
const url: Field = { type: 'url' }
const secretUrl: Field = { type: 'secret-url' }
const secret: Field = { type: 'secret' }
const anySecret: Field = { type: 'secret', isAnything: true }
const integer: Field = { type: 'integer' }
const seconds: Field = { type: 'seconds' }
const flag: Field = { type: 'flag' }
const time: Field = { type: 'time' }
const switchTime: Field = { type: 'time', isSwitch: true }
const set: Field = { type: 'set' }
const addresses: Field = { type: 'addresses' }
const free: Field = { type: 'free' }
const anything: Field = { type: 'free', isAnything: true }
const parameters: Field = { type: 'free', names: 'parameters' }

const optional = (field: Field): Field => ({ ...field, presence: 'optional' })
const required = (field: Field): Field => ({ ...field, presence: 'required' })
const volatile = (field: Field): Field => ({ ...field, presence: 'volatile' })
const reference: Field = { type: 'free', presence: 'reference' }

/** An object that is always present, with members of its own. */
const struct = (members: Members): Field => ({ type: 'struct', members: inOrder(members) })
/** An object whose "none" is written in several ways. */
const collapsing = (members: Members): Field => ({ type: 'struct', members: inOrder(members), collapse: true })
const keyed = (members: Members): Field => ({ type: 'keyed', members: inOrder(members) })
const keyedBy = (by: string, members: Members): Field => ({ type: 'keyed', by, members: inOrder(members) })
/** An object or a list that contains secrets: unknown members are sealed, in it and in all objects within it. */
const guarded = (field: Field): Field => {
  if (field.type !== 'struct' && field.type !== 'keyed') return field
  const members = Object.entries(field.members).map(([name, member]) => [name, guarded(member)])
  return { ...field, members: Object.fromEntries(members), guarded: true }
}

/** Members in canonical order, so that objects built from them need no sorting. */
export function inOrder(members: Members): Members {
  return Object.fromEntries(Object.entries(members).sort(([a], [b]) => (a < b ? -1 : 1)))
}

/**
 * Every field of the service's resources (sections 2.3–2.10 of its API document, and additions of its releases). Each
 * new field decides what it contains, whether it is secret, and what its absence means.
 */
const stamps: Members = { created_at: time, updated_at: volatile(time), deleted_at: time }

const apiKey = collapsing({ header_name: prose, header_value: secret })
const basicAuth = collapsing({ username: prose, password: secret })

const publishSubscribe = guarded(
  collapsing({
    type: enumeration('sqs google kafka amqp'),
    workers: integer,
    amqp: collapsing({
      host: url,
      port: word,
      schema: word,
      vhost: prose,
      queue: prose,
      routingKey: prose,
      bindedExchange: prose,
      deadLetterExchange: prose,
      auth: collapsing({ user: prose, password: secret }),
    }),
    kafka: collapsing({
      brokers: addresses,
      consumer_group_id: prose,
      topic_name: prose,
      auth: collapsing({ type: word, username: prose, password: secret, hash: word, tls: flag }),
    }),
    google: collapsing({ project_id: prose, subscription_id: prose, service_account: secret }),
    sqs: collapsing({
      access_key_id: secret,
      secret_key: secret,
      default_region: word,
      endpoint: url,
      queue_name: prose,
    }),
  }),
)

const endpoint: Members = {
  ...stamps,
  uid: text,
  project_id: text,
  owner_id: optional(text),
  name: prose,
  description: prose,
  url: required(url),
  status: required(enumeration('active inactive paused')),
  content_type: prose,
  advanced_signatures: flag,
  http_timeout: seconds,
  rate_limit: integer,
  rate_limit_duration: seconds,
  support_email: optional(prose),
  slack_webhook_url: optional(secretUrl),
  teams_webhook_url: optional(secretUrl),
  secrets: required(
    guarded(
      keyed({
        uid: reference,
        value: secret,
        created_at: time,
        updated_at: volatile(time),
        expires_at: time,
        deleted_at: time,
      }),
    ),
  ),
  authentication: required(
    guarded(
      collapsing({
        type: enumeration('api_key oauth2 basic_auth'),
        api_key: apiKey,
        basic_auth: basicAuth,
        oauth2: collapsing({
          url,
          client_id: text,
          client_secret: secret,
          grant_type: prose,
          scope: prose,
          audience: prose,
          issuer: prose,
          subject: prose,
          authentication_type: enumeration('shared_secret client_assertion'),
          expiry_time_unit: enumeration('seconds milliseconds minutes hours'),
          signing_algorithm: word,
          field_mapping: collapsing({ access_token: prose, expires_in: prose, token_type: prose }),
          // The public half of a JWK is not secret; without d, p, q, dp, dq, qi and k it signs nothing.
          signing_key: collapsing({
            crv: word,
            e: text,
            kid: text,
            kty: word,
            n: text,
            // Further primes, with exponents of their own.
            oth: anySecret,
            x: text,
            y: text,
            d: secret,
            dp: secret,
            dq: secret,
            k: secret,
            p: secret,
            q: secret,
            qi: secret,
          }),
        }),
      }),
    ),
  ),
  mtls_client_cert: optional(guarded(collapsing({ client_cert: certificate, client_key: secret }))),
  events: volatile(integer),
  failure_rate: volatile(integer),
  cb_state: volatile(word),
  period_failure_rate: volatile(integer),
  success_count: volatile(integer),
  failure_count: volatile(integer),
  retry_count: volatile(integer),
}

const subscription: Members = {
  ...stamps,
  uid: text,
  project_id: text,
  name: prose,
  type: enumeration('api cli'),
  delivery_mode: enumeration('at_least_once at_most_once'),
  function: code,
  alert_config: optional(collapsing({ count: integer, threshold: prose })),
  rate_limit_config: optional(collapsing({ count: integer, duration: seconds })),
  retry_config: optional(
    collapsing({ type: enumeration('linear exponential'), duration: seconds, retry_count: integer }),
  ),
  filter_config: struct({
    event_types: set,
    filter: struct({ body: free, headers: free, query: parameters, path: free, is_flattened: flag }),
  }),
  // Rows of a list of their own, which decide what is delivered: by event type. Absent where no scan has read them.
  filters: keyedBy('event_type', {
    uid: reference,
    subscription_id: reference,
    event_type: reference,
    body: free,
    headers: free,
    query: parameters,
    path: free,
    enabled_at: switchTime,
    raw_body: reference,
    raw_headers: reference,
    raw_query: reference,
    raw_path: reference,
  }),
  endpoint_metadata: reference,
  device_metadata: reference,
  source_metadata: reference,
  endpoint_uid: required(text),
  device_uid: text,
  source_uid: required(text),
}

const source: Members = {
  ...stamps,
  uid: text,
  project_id: text,
  name: prose,
  type: required(enumeration('http rest_api pub_sub db_change_stream')),
  provider: enumeration('github twitter shopify'),
  url,
  mask_id: text,
  is_disabled: flag,
  // Since v26.3.7: where the type of an event is read, `request.header.X-Event-Type`.
  event_type_location: prose,
  body_function: code,
  header_function: code,
  forward_headers: set,
  idempotency_keys: set,
  custom_response: collapsing({ body: prose, content_type: prose }),
  provider_config: free,
  pub_sub: publishSubscribe,
  verifier: required(
    guarded(
      collapsing({
        type: enumeration('noop hmac basic_auth api_key'),
        api_key: apiKey,
        basic_auth: basicAuth,
        hmac: collapsing({ encoding: enumeration('base64 hex'), hash: word, header: prose, secret }),
      }),
    ),
  ),
}

/** An entry of a project's catalogue. `json_schema`: what the user writes there, with examples of payloads. */
const eventType: Members = {
  uid: text,
  name: required(prose),
  category: prose,
  description: prose,
  json_schema: free,
  deprecated_at: time,
}

const device: Members = {
  ...stamps,
  uid: text,
  project_id: text,
  endpoint_id: text,
  host_name: prose,
  status: enumeration('offline online disabled'),
  last_seen_at: volatile(time),
}

const project: Members = {
  ...stamps,
  uid: text,
  name: prose,
  logo_url: url,
  organisation_id: text,
  type: word,
  statistics: volatile(free),
  retained_events: volatile(integer),
  config: struct({
    max_payload_read_size: integer,
    replay_attacks_prevention_enabled: flag,
    add_event_id_trace_headers: flag,
    disable_endpoint: flag,
    multiple_endpoint_subscriptions: flag,
    search_policy: word,
    // Since v26.6.5: the name of a header. Not optional: older releases do not have it, and absent is not empty.
    request_id_header: prose,
    // Since v26.7.0, where it has another name (`aliases`).
    verify_dynamic_events: flag,
    // Since v26.7.1.
    allow_unmatched_dynamic_urls: flag,
    ssl: struct({ enforce_secure_endpoints: flag }),
    ratelimit: struct({ count: integer, duration: seconds }),
    strategy: struct({ type: enumeration('linear exponential'), duration: seconds, retry_count: integer }),
    signature: struct({
      header: prose,
      versions: keyed({ uid: reference, hash: word, encoding: word, created_at: time }),
    }),
    meta_event: guarded(
      struct({
        is_enabled: flag,
        type: word,
        event_type: set,
        url,
        secret,
        pub_sub: publishSubscribe,
      }),
    ),
    circuit_breaker: struct({
      sample_rate: integer,
      error_timeout: integer,
      failure_threshold: integer,
      success_threshold: integer,
      minimum_request_count: integer,
      observability_window: integer,
      consecutive_failure_threshold: integer,
    }),
  }),
}

/**
 * hookdrift makes a probe's outcome itself (`probe-resource.ts`). Digests are seals; texts of the service and of
 * functions are sealed within; the output may be anything.
 */
const probe: Members = {
  probe: text,
  target_kind: text,
  target_uid: text,
  target_name: text,
  function: text,
  type: text,
  function_digest: text,
  payload_digest: text,
  outcome: text,
  output: anything,
  error: prose,
  unexpected: prose,
  deterministic: flag,
}

/** hookdrift makes this kind too; nothing of it comes from a service. */
const policy: Members = {}

export const wireSchema: Readonly<Record<Kind, Members>> = {
  endpoint: inOrder(endpoint),
  subscription: inOrder(subscription),
  source: inOrder(source),
  event_type: inOrder(eventType),
  device: inOrder(device),
  project: inOrder(project),
  probe: inOrder(probe),
  policy,
}

/** The fields of a kind that every release shows: without one of them, an item was seen in part. */
export const requiredFields: Readonly<Record<Kind, readonly string[]>> = {
  endpoint: requiredIn(endpoint),
  subscription: requiredIn(subscription),
  source: requiredIn(source),
  event_type: requiredIn(eventType),
  device: requiredIn(device),
  project: requiredIn(project),
  probe: requiredIn(probe),
  policy: requiredIn(policy),
}

function requiredIn(members: Members): readonly string[] {
  return Object.keys(members).filter((name) => members[name]?.presence === 'required')
}

/** Another name of a field in some answers of the service. */
interface Alias {
  /** The member that has the field; undefined for a field of the resource itself. */
  readonly within?: string
  readonly alias: string
  readonly name: string
}

/** By kind. The API version of 2024-01-01 renames two fields, and v26.7.0 has its own name for one. */
export const aliases: Readonly<Partial<Record<Kind, readonly Alias[]>>> = {
  endpoint: [
    { alias: 'target_url', name: 'url' },
    { alias: 'title', name: 'name' },
  ],
  project: [{ within: 'config', alias: 'sync_dynamic_event_ack', name: 'verify_dynamic_events' }],
}

/** Raised when the normal form changes, so that a history can distinguish its own rewriting from drift. */
export const normaliserVersion = 4
