import type { Kind } from '../model/resource.ts'
import {
  as,
  collapsed,
  flag,
  formerly,
  keptIfEmpty,
  keptIfOmitted,
  newer,
  nothing,
  number,
  object,
  type RequestFields,
  text,
  value,
} from './request-field.ts'

const serviceSets = nothing('The service sets it itself.')
const stamps: RequestFields = { created_at: serviceSets, deleted_at: serviceSets }
const identity: RequestFields = { ...stamps, uid: serviceSets, project_id: serviceSets }

const apiKey = collapsed({ header_name: text, header_value: text })
const basicAuth = collapsed({ username: text, password: text })

const publishSubscribe = collapsed({
  type: text,
  workers: number,
  amqp: collapsed({
    host: text,
    port: text,
    schema: text,
    vhost: text,
    queue: text,
    // The service writes it flat and reads it nested.
    bindedExchange: as(text, 'bindExchange', 'exchange'),
    routingKey: as(text, 'bindExchange', 'routingKey'),
    deadLetterExchange: text,
    auth: collapsed({ user: text, password: text }),
  }),
  kafka: collapsed({
    brokers: value([]),
    consumer_group_id: text,
    topic_name: text,
    auth: collapsed({ type: text, username: text, password: text, hash: text, tls: flag }),
  }),
  google: collapsed({ project_id: text, subscription_id: text, service_account: text }),
  sqs: collapsed({
    access_key_id: text,
    secret_key: text,
    default_region: text,
    endpoint: text,
    queue_name: text,
  }),
})

const endpoint: RequestFields = {
  ...identity,
  name: text,
  url: text,
  description: text,
  owner_id: keptIfEmpty(text),
  support_email: keptIfOmitted(text),
  slack_webhook_url: keptIfOmitted(text),
  teams_webhook_url: keptIfOmitted(text),
  content_type: keptIfOmitted(text),
  advanced_signatures: keptIfOmitted(flag),
  http_timeout: keptIfEmpty(number),
  rate_limit: number,
  rate_limit_duration: number,
  authentication: collapsed({
    type: text,
    api_key: apiKey,
    basic_auth: basicAuth,
    oauth2: collapsed({
      url: text,
      client_id: text,
      client_secret: text,
      grant_type: text,
      scope: text,
      audience: text,
      issuer: text,
      subject: text,
      authentication_type: text,
      expiry_time_unit: text,
      signing_algorithm: text,
      field_mapping: collapsed({ access_token: text, expires_in: text, token_type: text }),
      signing_key: collapsed({
        crv: text,
        e: text,
        kid: text,
        kty: text,
        n: text,
        oth: text,
        x: text,
        y: text,
        d: text,
        dp: text,
        dq: text,
        k: text,
        p: text,
        q: text,
        qi: text,
      }),
    }),
  }),
  mtls_client_cert: keptIfOmitted(
    collapsed({ client_cert: text, client_key: text }, { client_cert: '', client_key: '' }),
  ),
  // `status-requests.ts` writes it.
  status: nothing('The service sets `inactive` itself, after failures.'),
  secrets: nothing(
    'No request puts a former signing secret back. The request `PUT …/expire_secret` of the endpoint adds its value ' +
      'anew, under a new uid.',
  ),
}

const subscription: RequestFields = {
  ...identity,
  name: keptIfEmpty(text),
  type: serviceSets,
  delivery_mode: keptIfEmpty(text),
  function: keptIfEmpty(text),
  alert_config: keptIfEmpty(collapsed({ count: keptIfEmpty(number), threshold: keptIfEmpty(text) })),
  rate_limit_config: keptIfEmpty(collapsed({ count: keptIfEmpty(number), duration: keptIfEmpty(number) })),
  retry_config: keptIfEmpty(
    collapsed({
      type: keptIfEmpty(text),
      duration: keptIfEmpty({ as: 'duration', empty: '' }),
      retry_count: keptIfEmpty(number),
    }),
  ),
  filter_config: object({
    event_types: keptIfEmpty(value([])),
    filter: object({
      body: value({}),
      headers: value({}),
      query: keptIfOmitted(value({})),
      path: keptIfOmitted(value({})),
      is_flattened: flag,
    }),
  }),
  endpoint_uid: keptIfEmpty(as(text, 'endpoint_id')),
  source_uid: keptIfEmpty(as(text, 'source_id')),
  // `filter-requests.ts` writes them.
  filters: nothing('Filter rows have requests of their own.'),
  device_uid: nothing('A device subscribes by itself, from the command line that runs on it.'),
}

/** A filter row. An update keeps what the request leaves out. */
export const filterFields: RequestFields = {
  body: value({}),
  headers: value({}),
  query: keptIfOmitted(value({})),
  path: keptIfOmitted(value({})),
  // null switches the row off.
  enabled_at: value(null),
}

const source: RequestFields = {
  ...identity,
  name: text,
  type: text,
  provider: { ...text, onlyCreate: true },
  url: serviceSets,
  mask_id: serviceSets,
  provider_config: serviceSets,
  is_disabled: keptIfOmitted(flag),
  event_type_location: newer(keptIfOmitted(text)),
  body_function: keptIfOmitted(text),
  header_function: keptIfOmitted(text),
  forward_headers: keptIfOmitted(value([])),
  idempotency_keys: keptIfOmitted(value([])),
  custom_response: keptIfOmitted(collapsed({ body: text, content_type: text }, { body: '', content_type: '' })),
  pub_sub: keptIfEmpty(publishSubscribe),
  verifier: collapsed(
    {
      type: text,
      api_key: apiKey,
      basic_auth: basicAuth,
      hmac: collapsed({ encoding: text, hash: text, header: text, secret: text }),
    },
    { type: 'noop' },
  ),
}

const strategy = object({ type: text, duration: number, retry_count: number })

const project: RequestFields = {
  ...stamps,
  uid: serviceSets,
  organisation_id: serviceSets,
  name: keptIfEmpty(text),
  type: { ...text, onlyCreate: true },
  logo_url: keptIfEmpty(text),
  config: object({
    max_payload_read_size: number,
    replay_attacks_prevention_enabled: flag,
    add_event_id_trace_headers: flag,
    disable_endpoint: flag,
    multiple_endpoint_subscriptions: flag,
    search_policy: text,
    request_id_header: text,
    // v26.7.0 takes the former name only; v26.7.1 and later answer 400 to it, and show the setting below.
    verify_dynamic_events: formerly(flag, 'sync_dynamic_event_ack', 'allow_unmatched_dynamic_urls'),
    allow_unmatched_dynamic_urls: flag,
    ssl: object({ enforce_secure_endpoints: flag }),
    ratelimit: object({ count: number, duration: number }),
    strategy,
    signature: object({
      header: text,
      versions: { as: 'list', members: { hash: text, encoding: text, created_at: text }, empty: [] },
    }),
    meta_event: object({
      is_enabled: flag,
      type: text,
      event_type: value([]),
      url: text,
      secret: text,
      pub_sub: publishSubscribe,
    }),
    circuit_breaker: object({
      sample_rate: number,
      error_timeout: number,
      failure_threshold: number,
      success_threshold: number,
      minimum_request_count: number,
      observability_window: number,
      consecutive_failure_threshold: number,
    }),
  }),
}

export const requestFields = { endpoint, subscription, source, project } as const satisfies Partial<
  Record<Kind, RequestFields>
>

/** Kinds that the service's requests write. */
export type RepairableKind = keyof typeof requestFields

export function isRepairable(kind: Kind): kind is RepairableKind {
  return Object.hasOwn(requestFields, kind)
}
