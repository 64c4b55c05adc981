import type { Json, JsonObject } from '../model/json.ts'
import type { Release } from '../model/release-range.ts'
import type { Kind } from '../model/resource.ts'
import type { LicensedFeature } from './licence.ts'

/**
 * What a field without members holds. The type decides whether it is secret, so a new field cannot remain undecided.
 * Sealed: replaced by a keyed digest (`inventory/sealer.ts`), by which equal secrets are still recognised.
 */
export type Leaf =
  /**
   * An identifier, which may appear random: people know and select things by it. A secret that was put there by mistake
   * is sealed by its form or name alone, so docs/explanation/secrets.md lists every such field.
   */
  | { readonly type: 'text' }
  /**
   * A word of a closed vocabulary. Anything that is not a short plain word is sealed. `values`: all that a release knows;
   * `isHash`: a hash whose strength is known, in any spelling. What another word means is unknown.
   */
  | { readonly type: 'word'; readonly values?: readonly string[]; readonly isHash?: true }
  /** A name, or another short text. What looks like a secret in it is sealed, and the rest stays. */
  | { readonly type: 'name' }
  /** A text for people to read: sealed whole, with its length, if anything in it looks like a secret. */
  | { readonly type: 'prose' }
  /** A certificate, which is public and appears random. Any other text there is sealed. */
  | { readonly type: 'certificate' }
  /** Program text. All literals and comments in it are sealed but harmless ones. */
  | { readonly type: 'code' }
  /**
   * An address. Userinfo and token-like query values in it are sealed. `isTarget`: the service sends requests there, and
   * where one leads that does not parse is unknown.
   */
  | { readonly type: 'url'; readonly isTarget?: true }
  /** An address that is itself a credential (chat webhooks): everything after the host is sealed. */
  | { readonly type: 'secret-url' }
  /** A secret: sealed whole, with facts about it kept. `isAnything`: in any form, else a text or the bytes of one. */
  | { readonly type: 'secret'; readonly isAnything?: true }
  | { readonly type: 'integer'; readonly unit?: 'seconds' | 'minutes' | '%' | 'bytes' }
  /** A number of seconds; some releases write `"10s"`. */
  | { readonly type: 'seconds' }
  | { readonly type: 'flag' }
  /** RFC 3339; year 1 means "not filled". `isSwitch`: when something was switched on or deleted; else null. */
  | { readonly type: 'time'; readonly isSwitch?: true }
  /** A list of texts in any order. */
  | { readonly type: 'set' }
  /** A set of addresses, each sealed as `url`. */
  | { readonly type: 'addresses' }
  /**
   * An object of the user (filters). Its secrets are sealed; `names`: the convention of its members' names. `isAnything`:
   * any JSON. `isProse`: for people to read, so it is sealed whole as prose is: a text takes the place of the object.
   */
  | { readonly type: 'free'; readonly names?: 'parameters'; readonly isAnything?: true; readonly isProse?: true }

export type Field = (Leaf | Struct | KeyedList) & Shown & Write & Effect

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
 * A list of objects with a `uid`: kept as an object keyed by it, because most lists have no order that means anything.
 * `by`: the member that names them instead; such a name means the same everywhere.
 */
export interface KeyedList {
  readonly type: 'keyed'
  readonly by?: string
  /** The place in the list, from 1, where the service goes by it: each entry has it as `position`. */
  readonly isOrdered?: true
  readonly members: Members
  readonly guarded?: true
}

export type Members = Readonly<Record<string, Field>>

/**
 * When the service shows a member, by its answers that were recorded and by the declarations in its code. Where nothing is
 * said, every release shows it in every item. A member that should be there and is not is unknown: rules that read it
 * cannot say anything. Within an object that means "none", no member is missing.
 */
interface Shown {
  /**
   * - `empty`: left out when it is empty
   * - `suspect`: never left out, and so central that a listing without it proves no removal. A word is never empty
   * - `apart`: read by requests of its own, and not always
   */
  readonly absent?: 'empty' | 'suspect' | 'apart'
  /** The first release that has it. What is older lacks it, and nothing is unknown there. */
  readonly since?: Release
  /** In objects of this type only, by their member `type`. */
  readonly onlyFor?: string
  /** The code declares a pointer: null means none. Elsewhere null in place of a text or a number is a wrong type. */
  readonly isNullable?: true
  /**
   * - `volatile`: changes by itself; rules read it, but it is neither stored nor compared
   * - `reference`: replaced by a reference or lifted; never an attribute
   */
  readonly use?: 'volatile' | 'reference'
}

/** What the service does with a field. Where nothing is said, it acts on it. */
interface Effect {
  readonly ignored?: DeadSetting
}

/** No code of a release from v25.6.3 to v26.7.3 reads the field but to store and to show it. */
export interface DeadSetting {
  /** What the service stores by itself; null where that is nothing. */
  readonly byItself: Json
  /** What applies in its place, or what does not happen, as a clause. */
  readonly instead: string
  /** In objects of this type only. */
  readonly ofType?: string
}

/**
 * How the service's requests write a field. Where nothing is said, they have it as the normal form does, and an update
 * wipes what the request leaves out or sends empty. `null` is as good as left out.
 */
interface Write {
  /** No request writes it: a sentence for people, who sets it and what to do instead. */
  readonly unwritten?: string
  /** When an update keeps its value: if the request leaves the field out, or also if it sends it empty. */
  readonly keeps?: 'omitted' | 'empty'
  /** What an update makes of it instead of nothing. */
  readonly resetTo?: Json
  /** What a new resource has of it where the request says nothing. Default: as `resetTo`. */
  readonly initially?: Json
  /** What an update does with a value where the licence does not have what it is for. */
  readonly unlicensed?: LicenceEffect
  /** A number below zero is as good as left out, and keeps its value. */
  readonly isNeverNegative?: true
  /** An update changes it, and neither adds nor removes it: a sentence for people on each. */
  readonly changesOnly?: { readonly added: string; readonly removed: string }
  /** What a request sends for an empty field, where its type does not say so. */
  readonly sentEmpty?: Json
  /** The names in the request, outermost first, where they differ. */
  readonly to?: readonly string[]
  /** Seconds that a request has as a Go duration (`"90s"`). */
  readonly isDuration?: true
  /** Taken by the create request only. */
  readonly onlyCreate?: true
  /** Taken by the update only. */
  readonly onlyUpdate?: true
  /** Its name in the answers and requests of one release, which newer ones refuse. */
  readonly formerly?: FormerName
}

/**
 * - `kept`: the update says that it was taken, and keeps what there is; a creation leaves it empty
 * - `refused`: the request is answered 400, for objects of these types, or of any. With a licence, and where its own
 *   switch is off, the update wipes it
 * - a value that takes its place
 */
export type LicenceEffect = {
  /** That decides; absent for those that hookdrift does not ask for. */
  readonly feature?: LicensedFeature
} & (
  | { readonly becomes: 'kept' }
  | { readonly becomes: 'refused'; readonly types?: readonly string[] }
  | { readonly becomes: 'value'; readonly value: Json }
)

export interface FormerName {
  readonly name: string
  /** A field of the same object that every later release shows, and that release does not. */
  readonly until: string
}

export const text = { type: 'text' } as const
const word = { type: 'word' } as const
const enumeration = (values: string) => ({ type: 'word', values: values.split(' ') }) as const
const name = { type: 'name' } as const
const prose = { type: 'prose' } as const
const certificate = { type: 'certificate' } as const
const code = { type: 'code' } as const
const url = { type: 'url' } as const
const target = { type: 'url', isTarget: true } as const
const hash = { type: 'word', isHash: true } as const
const secretUrl = { type: 'secret-url' } as const
const secret = { type: 'secret' } as const
const anySecret = { type: 'secret', isAnything: true } as const
const integer = { type: 'integer' } as const
const integerOf = (unit: 'seconds' | 'minutes' | '%' | 'bytes') => ({ type: 'integer', unit }) as const
const seconds = { type: 'seconds' } as const
const goDuration = { type: 'seconds', isDuration: true, sentEmpty: '' } as const
const flag = { type: 'flag' } as const
const time = { type: 'time' } as const
const switchTime = { type: 'time', isSwitch: true } as const
const set = { type: 'set' } as const
const addresses = { type: 'addresses' } as const
const free = { type: 'free' } as const
const anything = { type: 'free', isAnything: true } as const
const schema = { type: 'free', isProse: true } as const
const parameters = { type: 'free', names: 'parameters' } as const

const optional = <F extends Field>(field: F) => ({ ...field, absent: 'empty' }) as const
const required = <F extends Field>(field: F) => ({ ...field, absent: 'suspect' }) as const
const apart = <F extends Field>(field: F) => ({ ...field, absent: 'apart' }) as const
const since = <F extends Field>(release: Release, field: F) => ({ ...field, since: release })
const only = <F extends Field>(type: string, field: F) => ({ ...field, onlyFor: type })
const nullable = <F extends Field>(field: F) => ({ ...field, isNullable: true }) as const
const volatile = <F extends Field>(field: F) => ({ ...field, use: 'volatile' }) as const
const reference = { type: 'free', use: 'reference' } as const

/** An object that is always present, with members of its own. */
const struct = <M extends Members>(members: M) => ({ type: 'struct', members }) as const
/** An object whose "none" is written in several ways. */
const collapsing = <M extends Members>(members: M) => ({ type: 'struct', members, collapse: true }) as const
const keyed = <M extends Members>(members: M) => ({ type: 'keyed', members }) as const
const ordered = <M extends Members>(members: M) =>
  ({
    type: 'keyed',
    isOrdered: true,
    members: { ...members, position: unwritten('It is the place in the list that a request sends.', apart(integer)) },
  }) as const
const keyedBy = <M extends Members>(by: string, members: M) => ({ type: 'keyed', by, members }) as const
/** An object or a list that contains secrets: unknown members are sealed, in it and in all objects within it. */
const guarded = <F extends Struct | KeyedList>(field: F) => ({ ...field, guarded: true }) as const

const ignored = <F extends Field>(byItself: Json, instead: string, field: F, ofType?: string) =>
  ({ ...field, ignored: { byItself, instead, ...(ofType !== undefined && { ofType }) } }) as const
const unwritten = <F extends Field>(because: string, field: F) => ({ ...field, unwritten: because })
const serviceSets = <F extends Field>(field: F) => unwritten('The service sets it itself.', field)
const keptIfOmitted = <F extends Field>(field: F) => ({ ...field, keeps: 'omitted' }) as const
const keptIfEmpty = <F extends Field>(field: F) => ({ ...field, keeps: 'empty' }) as const
const changedOnly = <F extends Field>(changesOnly: NonNullable<Write['changesOnly']>, field: F) => ({
  ...field,
  changesOnly,
})
const resetTo = <F extends Field>(resetTo: Json, field: F) => ({ ...field, resetTo })
const initially = <F extends Field>(initially: Json, field: F) => ({ ...field, initially })
const licensed = <F extends Field>(unlicensed: LicenceEffect, field: F) => ({ ...field, unlicensed })
const neverNegative = <F extends Field>(field: F) => ({ ...field, isNeverNegative: true }) as const
const keptWithout = (feature: LicensedFeature) => ({ becomes: 'kept', feature }) as const
const emptyAs = <F extends Field>(sentEmpty: Json, field: F) => ({ ...field, sentEmpty })
const sentAs = <F extends Field>(to: readonly string[], field: F) => ({ ...field, to })
const formerly = <F extends Field>(name: FormerName, field: F) => ({ ...field, formerly: name })
const onlyCreated = <F extends Field>(field: F) => ({ ...field, onlyCreate: true }) as const
const onlyUpdated = <F extends Field>(field: F) => ({ ...field, onlyUpdate: true }) as const

const stamps = { created_at: serviceSets(time), updated_at: volatile(time), deleted_at: serviceSets(switchTime) }

const apiKey = collapsing({ header_name: name, header_value: secret })
const basicAuth = collapsing({ username: name, password: secret })

const oauth2 = collapsing({
  url: target,
  client_id: text,
  client_secret: optional(secret),
  grant_type: optional(name),
  scope: optional(name),
  audience: optional(name),
  issuer: optional(name),
  subject: optional(name),
  authentication_type: enumeration('shared_secret client_assertion'),
  expiry_time_unit: optional(enumeration('seconds milliseconds minutes hours')),
  signing_algorithm: optional(word),
  field_mapping: optional(
    collapsing({ access_token: optional(name), expires_in: optional(name), token_type: optional(name) }),
  ),
  // The public half of a JWK is not secret; without d, p, q, dp, dq, qi and k it signs nothing.
  signing_key: optional(
    collapsing({
      crv: optional(word),
      e: optional(text),
      kid: optional(text),
      kty: word,
      n: optional(text),
      // Further primes, with exponents of their own.
      oth: optional(anySecret),
      x: optional(text),
      y: optional(text),
      d: optional(secret),
      dp: optional(secret),
      dq: optional(secret),
      k: optional(secret),
      p: optional(secret),
      q: optional(secret),
      qi: optional(secret),
    }),
  ),
})

const amqp = collapsing({
  host: url,
  port: word,
  schema: word,
  vhost: nullable(name),
  queue: name,
  // The service writes it flat and reads it nested.
  bindedExchange: nullable(sentAs(['bindExchange', 'exchange'], name)),
  routingKey: sentAs(['bindExchange', 'routingKey'], name),
  deadLetterExchange: nullable(name),
  auth: collapsing({ user: name, password: secret }),
})

const kafka = collapsing({
  brokers: addresses,
  consumer_group_id: name,
  topic_name: name,
  auth: collapsing({ type: word, username: name, password: secret, hash: word, tls: flag }),
})

const sqs = collapsing({
  access_key_id: secret,
  secret_key: secret,
  default_region: word,
  endpoint: resetTo('', unwritten('No request sets it, and each update of the source empties it.', optional(url))),
  queue_name: name,
})

const publishSubscribe = guarded(
  collapsing({
    type: enumeration('sqs google kafka amqp'),
    workers: integer,
    amqp: only('amqp', amqp),
    kafka: only('kafka', kafka),
    google: only('google', collapsing({ project_id: name, subscription_id: name, service_account: nullable(secret) })),
    sqs: only('sqs', sqs),
  }),
)

const endpoint = {
  ...stamps,
  uid: serviceSets(text),
  project_id: serviceSets(text),
  name,
  url: required(target),
  // Requests of its own change it (`compose-repair.ts`).
  status: required(
    initially(
      'active',
      unwritten('The service sets `inactive` itself, after failures.', enumeration('active inactive paused pending')),
    ),
  ),
  description: prose,
  owner_id: optional(keptIfEmpty(text)),
  support_email: licensed(keptWithout('AdvancedEndpointMgmt'), optional(keptIfOmitted(name))),
  slack_webhook_url: licensed(keptWithout('AdvancedEndpointMgmt'), optional(keptIfOmitted(secretUrl))),
  teams_webhook_url: licensed(keptWithout('AdvancedEndpointMgmt'), optional(keptIfOmitted(secretUrl))),
  // api/handlers/endpoint.go: an update that leaves it out has this one.
  content_type: since('v25.11.1', resetTo('application/json', name)),
  advanced_signatures: initially(true, keptIfOmitted(flag)),
  http_timeout: licensed(
    { becomes: 'value', value: 10, feature: 'AdvancedEndpointMgmt' },
    initially(10, keptIfEmpty(seconds)),
  ),
  rate_limit: neverNegative(integer),
  rate_limit_duration: seconds,
  secrets: required(
    unwritten(
      'No request puts a former signing secret back. `PUT …/expire_secret` of the endpoint adds its value anew, under a ' +
        'new uid, and it signs at once; without advanced signatures, alone. The present one expires after `expiration` ' +
        'seconds, at once without it, and is deleted after as many hours.',
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
  ),
  authentication: licensed(
    { becomes: 'refused', types: ['basic_auth', 'oauth2'] },
    required(
      guarded(
        collapsing({
          type: enumeration('api_key oauth2 basic_auth'),
          api_key: only('api_key', apiKey),
          basic_auth: only('basic_auth', basicAuth),
          oauth2: only('oauth2', oauth2),
        }),
      ),
    ),
  ),
  mtls_client_cert: licensed(
    { becomes: 'refused' },
    optional(
      keptIfOmitted(
        emptyAs(
          { client_cert: '', client_key: '' },
          guarded(collapsing({ client_cert: optional(certificate), client_key: optional(secret) })),
        ),
      ),
    ),
  ),
  events: optional(volatile(integer)),
  failure_rate: nullable(volatile(integer)),
  cb_state: since('v26.6.1', nullable(volatile(word))),
  period_failure_rate: since('v26.6.1', nullable(volatile(integer))),
  success_count: since('v26.6.1', nullable(volatile(integer))),
  failure_count: since('v26.6.1', nullable(volatile(integer))),
  retry_count: since('v26.6.1', nullable(volatile(integer))),
}

/** Of an incoming project. An update ignores the value there, in v25.6.3 to v26.7.3 (services/update_endpoint.go). */
export const incomingEndpoint: Members = {
  ...endpoint,
  advanced_signatures: initially(false, unwritten('No request changes it in an incoming project.', flag)),
}

const subscription = {
  ...stamps,
  uid: serviceSets(text),
  project_id: serviceSets(text),
  name: keptIfEmpty(name),
  type: initially('api', serviceSets(enumeration('api cli'))),
  delivery_mode: since('v25.9.1', initially('at_least_once', keptIfEmpty(enumeration('at_least_once at_most_once')))),
  function: licensed(keptWithout('Transformations'), nullable(keptIfEmpty(code))),
  // `threshold`: a Go duration such as `1h`.
  alert_config: ignored(
    { count: 4, threshold: '1h' },
    'no alert is ever sent for it',
    optional(keptIfEmpty(collapsing({ count: keptIfEmpty(integer), threshold: keptIfEmpty(name) }))),
  ),
  rate_limit_config: ignored(
    { count: 1000, duration: 60 },
    'the rate limit of the endpoint applies',
    optional(keptIfEmpty(collapsing({ count: keptIfEmpty(integer), duration: keptIfEmpty(seconds) }))),
  ),
  retry_config: ignored(
    { type: 'linear', duration: 10, retry_count: 3 },
    "the project's strategy applies",
    onlyUpdated(
      optional(
        keptIfEmpty(
          collapsing({
            type: optional(keptIfEmpty(enumeration('linear exponential'))),
            duration: optional(keptIfEmpty(goDuration)),
            retry_count: keptIfEmpty(integer),
          }),
        ),
      ),
    ),
  ),
  filter_config: licensed(
    keptWithout('AdvancedSubscriptions'),
    keptIfOmitted(
      struct({
        event_types: initially(['*'], keptIfEmpty(set)),
        // What an event must look like, part by part: MongoDB-like conditions.
        filter: struct({
          body: free,
          headers: free,
          query: since('v26.3.7', keptIfOmitted(parameters)),
          path: since('v26.3.7', keptIfOmitted(free)),
          is_flattened: initially(true, flag),
        }),
      }),
    ),
  ),
  endpoint_uid: required(nullable(keptIfEmpty(sentAs(['endpoint_id'], text)))),
  source_uid: required(nullable(keptIfEmpty(sentAs(['source_id'], text)))),
  // Rows of a list of their own, which decide what is delivered: by event type; `*` is the row for all types without one.
  // Absent where no scan has read them. `compose-repair.ts` writes them; an update keeps what the request leaves out.
  filters: apart(
    unwritten(
      'Filter rows have requests of their own.',
      keyedBy('event_type', {
        uid: reference,
        subscription_id: reference,
        event_type: reference,
        body: free,
        headers: free,
        query: since('v26.3.7', keptIfOmitted(parameters)),
        path: since('v26.3.7', keptIfOmitted(free)),
        // null switches the row off; releases that cannot do so do not have it.
        enabled_at: since('v26.3.7', switchTime),
        raw_body: reference,
        raw_headers: reference,
        raw_query: reference,
        raw_path: reference,
      }),
    ),
  ),
  endpoint_metadata: reference,
  device_metadata: reference,
  source_metadata: reference,
  device_uid: nullable(unwritten('A device subscribes by itself, from the command line that runs on it.', text)),
}

const anewWithUrl = 'Create the source anew: it gets a new URL.'

const source = {
  ...stamps,
  uid: serviceSets(text),
  project_id: serviceSets(text),
  name,
  type: required(enumeration('http rest_api pub_sub db_change_stream')),
  provider: onlyCreated(enumeration('github twitter shopify')),
  url: serviceSets(url),
  mask_id: serviceSets(text),
  provider_config: serviceSets(free),
  is_disabled: onlyUpdated(keptIfOmitted(flag)),
  // Where the type of an event is read: `request.header.X-Event-Type`.
  event_type_location: since('v26.3.7', keptIfOmitted(name)),
  body_function: ignored(null, 'only functions of queue sources run', nullable(keptIfOmitted(code)), 'http'),
  header_function: ignored(null, 'only functions of queue sources run', nullable(keptIfOmitted(code)), 'http'),
  forward_headers: ignored(null, 'all headers of a request are passed on', onlyUpdated(keptIfOmitted(set))),
  idempotency_keys: keptIfOmitted(set),
  custom_response: keptIfOmitted(
    emptyAs(
      { body: '', content_type: '' },
      collapsing({ body: keptIfOmitted(prose), content_type: keptIfOmitted(name) }),
    ),
  ),
  pub_sub: keptIfEmpty(publishSubscribe),
  verifier: required(
    // v26.3.6 answers so; internal/sources/impl.go (UpdateSource) is the same in v26.1.3 to v26.7.3.
    changedOnly(
      {
        added: `An update answers 500 for a source that was created without a verifier. ${anewWithUrl}`,
        removed: `From v26.1.3 on, no update turns verification off. ${anewWithUrl}`,
      },
      keptIfOmitted(
        emptyAs(
          { type: 'noop' },
          guarded(
            collapsing({
              type: enumeration('noop hmac basic_auth api_key'),
              api_key: only('api_key', apiKey),
              basic_auth: only('basic_auth', basicAuth),
              hmac: only('hmac', collapsing({ encoding: enumeration('base64 hex'), hash, header: name, secret })),
            }),
          ),
        ),
      ),
    ),
  ),
}

/** An entry of a project's catalogue. `json_schema`: what the user writes there, with examples of payloads. */
const eventType = {
  uid: text,
  name: required(name),
  category: name,
  description: prose,
  json_schema: since('v25.7.1', schema),
  deprecated_at: time,
}

const device = {
  ...stamps,
  uid: text,
  project_id: text,
  endpoint_id: text,
  host_name: name,
  // A command line that connects or leaves moves it.
  status: volatile(enumeration('offline online disabled')),
  last_seen_at: volatile(time),
}

// internal/projects/queries.sql: neither the creation nor the update has them, in v26.3.6 and v26.7.3.
const noSetting = 'No request of the service writes this setting: change it in its database.'
/** What a project has without a circuit breaker of its own: config/config.go, and tried on v26.3.6. */
export const defaultCircuitBreaker = {
  sample_rate: 30,
  error_timeout: 30,
  failure_threshold: 70,
  success_threshold: 5,
  minimum_request_count: 10,
  observability_window: 5,
  consecutive_failure_threshold: 10,
}
const former: FormerName = { name: 'sync_dynamic_event_ack', until: 'allow_unmatched_dynamic_urls' }

const project = {
  ...stamps,
  uid: serviceSets(text),
  organisation_id: serviceSets(text),
  name: keptIfEmpty(name),
  type: onlyCreated(word),
  logo_url: keptIfEmpty(url),
  statistics: optional(volatile(free)),
  retained_events: volatile(integer),
  config: keptIfOmitted(
    struct({
      max_payload_read_size: integerOf('bytes'),
      replay_attacks_prevention_enabled: ignored(false, 'endpoints with advanced signatures sign a time', flag),
      add_event_id_trace_headers: unwritten(noSetting, flag),
      disable_endpoint: flag,
      multiple_endpoint_subscriptions: unwritten(noSetting, flag),
      search_policy: licensed({ becomes: 'value', value: '' }, word),
      // The name of a header.
      request_id_header: since('v26.6.5', resetTo('X-Convoy-Idempotency-Key', name)),
      // v26.7.0 takes the former name only; v26.7.1 and later answer 400 to it, and show the setting below.
      verify_dynamic_events: since('v26.7.0', formerly(former, flag)),
      allow_unmatched_dynamic_urls: since('v26.7.1', flag),
      ssl: struct({ enforce_secure_endpoints: flag }),
      ratelimit: ignored(
        { count: 1000, duration: 60 },
        'the rate limits of endpoints apply',
        struct({ count: integer, duration: seconds }),
      ),
      strategy: struct({ type: enumeration('linear exponential'), duration: seconds, retry_count: integer }),
      signature: struct({
        header: name,
        // The order decides which one signs, and the names of signatures. The service checks no encoding.
        versions: ordered({ uid: reference, hash, encoding: word, created_at: time }),
      }),
      meta_event: guarded(
        struct({
          is_enabled: flag,
          type: enumeration('http pub_sub'),
          event_type: set,
          url: target,
          secret,
          pub_sub: unwritten(noSetting, publishSubscribe),
        }),
      ),
      circuit_breaker: since(
        'v25.9.1',
        resetTo(
          defaultCircuitBreaker,
          struct({
            sample_rate: integerOf('seconds'),
            error_timeout: integerOf('seconds'),
            failure_threshold: integerOf('%'),
            success_threshold: integerOf('%'),
            minimum_request_count: integer,
            observability_window: integerOf('minutes'),
            consecutive_failure_threshold: integer,
          }),
        ),
      ),
    }),
  ),
}

/**
 * hookdrift makes a probe's outcome itself (`probe-resource.ts`). Digests are seals, and show whether function and
 * payload are the same; texts of the service and of functions are sealed within; the output may be anything.
 */
const probe = {
  probe: text,
  target_kind: text,
  target_uid: text,
  target_name: text,
  // `body`, `header` or `subscription`.
  function: text,
  type: text,
  function_digest: text,
  payload_digest: text,
  // `ok` or `failed`.
  outcome: text,
  // null where it failed, or where it says nothing because two runs differed.
  output: anything,
  // What the service says of the failure.
  error: name,
  // How the output breaks the expectation; null where it does not.
  unexpected: name,
  // False: the same function with the same payload gave two results.
  deterministic: flag,
}

/**
 * Every field of the service's resources (sections 2.3–2.10 of its API document, and additions of its releases), in the
 * order in which requests have them. Each new field decides what it contains, whether it is secret, what its absence
 * means, and how requests write it. Everything else that knows a field takes it from here: sealing, comparing, what
 * rules read, the requests of `restore`, and the simulated service. `service`, `policy`: findings alone are of these kinds,
 * and no answer has such a resource.
 */
export const resourceFields = {
  endpoint,
  subscription,
  source,
  event_type: eventType,
  device,
  project,
  probe,
  service: {},
  policy: {},
} as const satisfies Readonly<Record<Kind, Members>>

/** The same with members in canonical order, and with all objects guarded that lie in a guarded one. */
export const wireSchema: Readonly<Record<Kind, Members>> = {
  endpoint: inOrder(endpoint),
  subscription: inOrder(subscription),
  source: inOrder(source),
  event_type: inOrder(eventType),
  device: inOrder(device),
  project: inOrder(project),
  probe: inOrder(probe),
  service: {},
  policy: {},
}

/** Members in canonical order, so that objects built from them need no sorting. */
export function inOrder(members: Members, isGuarded = false): Members {
  const entries = Object.entries(members).sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries.map(([name, field]) => [name, inOrderWithin(field, isGuarded)]))
}

function inOrderWithin(field: Field, isGuarded: boolean): Field {
  if (field.type !== 'struct' && field.type !== 'keyed') return field
  const isAlso = isGuarded || field.guarded === true
  return { ...field, members: inOrder(field.members, isAlso), ...(isAlso && { guarded: true }) }
}

/**
 * The attributes of a kind in the normal form. Absent: not shown by the service. null: shown and empty. What is neither
 * is of the type given here, or the service broke its contract and comparisons are false. Secrets are seals. Within an
 * object that collapses, empty members are left out: where it is shown, absent means empty.
 */
export type AttributesOf<K extends Kind> = MemberValues<(typeof resourceFields)[K], null>

type MemberValues<M, Empty> = {
  readonly [Name in keyof M as M[Name] extends { use: 'volatile' | 'reference' } ? never : Name]?:
    | ValueOf<M[Name]>
    | Empty
}

type ValueOf<F> = F extends { type: 'struct'; collapse: true; members: infer M }
  ? MemberValues<M, never>
  : F extends { type: 'struct'; members: infer M }
    ? MemberValues<M, null>
    : F extends { type: 'keyed'; members: infer M }
      ? Readonly<Record<string, MemberValues<M, null>>>
      : F extends { type: 'free'; isAnything: true }
        ? Json
        : F extends { type: keyof LeafValues }
          ? LeafValues[F['type']]
          : never

interface LeafValues {
  readonly text: string
  readonly word: string
  readonly name: string
  readonly prose: string
  readonly certificate: string
  readonly code: string
  readonly url: string
  readonly 'secret-url': string
  readonly secret: string
  readonly integer: number
  readonly seconds: number
  readonly flag: boolean
  readonly time: string
  readonly set: readonly string[]
  readonly addresses: readonly string[]
  readonly free: JsonObject
}

/** Whether the normal form has a field: it is stored and compared. */
export function isAttribute({ use }: Field): boolean {
  return use === undefined
}

/** What a request sends for a field that is empty. */
export function sentWhenEmpty(field: Field): Json {
  return field.sentEmpty === undefined ? emptyByType[field.type] : field.sentEmpty
}

const emptyByType: Readonly<Record<Field['type'], Json>> = {
  text: '',
  word: '',
  name: '',
  prose: '',
  certificate: '',
  code: '',
  url: '',
  'secret-url': '',
  secret: '',
  integer: 0,
  seconds: 0,
  flag: false,
  // v26.3.6 answers 400 to an empty text.
  time: null,
  set: [],
  addresses: [],
  free: {},
  struct: null,
  keyed: [],
}

/** The fields of a kind without which a listing was seen in part. */
export const requiredFields: Readonly<Record<Kind, readonly string[]>> = {
  endpoint: requiredIn(endpoint),
  subscription: requiredIn(subscription),
  source: requiredIn(source),
  event_type: requiredIn(eventType),
  device: requiredIn(device),
  project: requiredIn(project),
  probe: requiredIn(probe),
  service: [],
  policy: [],
}

/** What the service stores of a resource and does not act on, by JSON Pointers into its attributes. */
export function ignoredIn(
  kind: Kind,
  type: Json | undefined,
): readonly (readonly [path: string, ignored: DeadSetting])[] {
  return ignoredByKind[kind].filter(([, { ofType }]) => ofType === undefined || ofType === type)
}

const ignoredByKind: Readonly<Record<Kind, ReturnType<typeof ignoredWithin>>> = {
  endpoint: [],
  subscription: ignoredWithin(subscription),
  source: ignoredWithin(source),
  event_type: [],
  device: [],
  project: ignoredWithin(project),
  probe: [],
  service: [],
  policy: [],
}

function ignoredWithin(members: Members, path = ''): readonly (readonly [path: string, ignored: DeadSetting])[] {
  return Object.entries(members).flatMap(([name, field]) => {
    const here = `${path}/${name}`
    if (field.ignored !== undefined) return [[here, field.ignored] as const]
    return field.type === 'struct' ? ignoredWithin(field.members, here) : []
  })
}

function requiredIn(members: Members): readonly string[] {
  return Object.keys(members).filter((name) => members[name]?.absent === 'suspect')
}

/** Another name of a field in some answers of the service. */
interface Alias {
  /** The member that has the field; undefined for a field of the resource itself. */
  readonly within?: string
  readonly alias: string
  readonly name: string
  /** Fields that an answer with this name does not have. */
  readonly without?: readonly string[]
}

/** By kind. The API version of 2024-01-01 renames two fields, and v26.7.0 has its own name for one. */
export const aliases: Readonly<Partial<Record<Kind, readonly Alias[]>>> = {
  endpoint: [
    { alias: 'target_url', name: 'url', without: ['failure_rate'] },
    { alias: 'title', name: 'name' },
  ],
  project: [{ within: 'config', alias: former.name, name: 'verify_dynamic_events' }],
}

/** Raised when the normal form changes, so that a history can distinguish its own rewriting from drift. */
export const normaliserVersion = 8
