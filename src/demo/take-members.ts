import { asSeconds } from '../inventory/scalars.ts'
import { isJsonObject, type Json, type JsonObject } from '../model/json.ts'
import { defaultRequestIdHeader } from './rows.ts'

/** How an update takes a member: `empty` where the body omits it, unless the service keeps the row's value. */
interface Taken {
  readonly empty: Json
  /** Kept if omitted, or also if sent empty. */
  readonly keeps?: 'omitted' | 'empty'
  /** From the form of a request to that of a row. */
  readonly read?: (given: Json, row: Json) => Json
}

/** The members of a row that the body of an update decides, each with its new value. */
export function takeMembers(row: JsonObject, body: JsonObject, kind: WritableKind, isForgetful: boolean): JsonObject {
  const members = Object.entries<Taken>(taken[kind]).map(([name, { empty, keeps, read }]): [string, Json] => {
    const given = body[name]
    const old = row[name] ?? empty
    if (given === undefined) return [name, keeps === undefined || isForgetful ? empty : old]
    if (keeps === 'empty' && isNothing(given)) return [name, old]
    if (given === null) return [name, empty]
    return [name, read === undefined ? given : read(given, old)]
  })
  return Object.fromEntries(members)
}

const text: Taken = { empty: '' }
const none: Taken = { empty: null }
const kept = (member: Taken): Taken => ({ ...member, keeps: 'omitted' })
const keptIfEmpty = (member: Taken): Taken => ({ ...member, keeps: 'empty' })

const taken = {
  endpoint: {
    name: text,
    url: text,
    description: text,
    authentication: none,
    rate_limit: { empty: 0 },
    rate_limit_duration: { empty: 0 },
    owner_id: keptIfEmpty(text),
    http_timeout: keptIfEmpty({ empty: 10 }),
    support_email: kept(text),
    slack_webhook_url: kept(text),
    teams_webhook_url: kept(text),
    content_type: kept(text),
    advanced_signatures: kept({ empty: false }),
    mtls_client_cert: kept({ ...none, read: readCertificate }),
  },
  subscription: {
    name: keptIfEmpty(text),
    delivery_mode: keptIfEmpty(text),
    function: keptIfEmpty(none),
    endpoint_id: keptIfEmpty(none),
    source_id: keptIfEmpty(none),
    alert_config: keptIfEmpty({ ...none, read: merged }),
    rate_limit_config: keptIfEmpty({ ...none, read: merged }),
    retry_config: keptIfEmpty({ ...none, read: (given, row) => merged(withSeconds(given), row) }),
    filter_config: kept({ empty: { event_types: ['*'], filter: noFilter() }, read: readFilterConfig }),
  },
  source: {
    name: text,
    type: text,
    verifier: { empty: null, read: (given) => ({ ...noVerifier, ...objectIn(given) }) },
    is_disabled: kept({ empty: false }),
    body_function: kept(none),
    header_function: kept(none),
    forward_headers: kept({ empty: [] }),
    idempotency_keys: kept({ empty: [] }),
    event_type_location: kept(text),
    custom_response: kept({ empty: { body: '', content_type: '' } }),
    pub_sub: keptIfEmpty({ empty: null, read: readPublishSubscribe }),
  },
  project: {
    name: keptIfEmpty(text),
    config: { empty: null, read: (given) => ({ ...emptyConfig, ...objectIn(given) }) },
  },
} satisfies Record<string, Readonly<Record<string, Taken>>>

export type WritableKind = keyof typeof taken

const noVerifier = { type: 'noop', hmac: null, basic_auth: null, api_key: null }

/** The configuration of a project is replaced whole. */
const emptyConfig = {
  max_payload_read_size: 0,
  replay_attacks_prevention_enabled: false,
  add_event_id_trace_headers: false,
  disable_endpoint: false,
  multiple_endpoint_subscriptions: false,
  search_policy: '',
  ssl: { enforce_secure_endpoints: false },
  ratelimit: { count: 0, duration: 0 },
  strategy: { type: '', duration: 0, retry_count: 0 },
  signature: { header: '', versions: [] },
  meta_event: { is_enabled: false, type: '', event_type: null, url: '', secret: '' },
  request_id_header: defaultRequestIdHeader,
  verify_dynamic_events: false,
  allow_unmatched_dynamic_urls: false,
}

function noFilter() {
  return { is_flattened: false, headers: {}, body: {} }
}

/** Two empty members remove the certificate. */
function readCertificate(given: Json): Json {
  return isNothing(objectIn(given).client_key ?? null) ? null : given
}

/** A member that is sent empty keeps its value. */
function merged(given: Json, row: Json): Json {
  const members = Object.entries(objectIn(given)).filter(([, member]) => !isNothing(member))
  return { ...objectIn(row), ...Object.fromEntries(members) }
}

/** A request has a Go duration where the list has seconds. */
function withSeconds(given: Json): Json {
  const { duration = '', ...others } = objectIn(given)
  return { ...others, duration: typeof duration === 'string' ? asSeconds(duration) : duration }
}

function readFilterConfig(given: Json, row: Json): Json {
  const { event_types = [], filter } = objectIn(given)
  return {
    event_types: isNothing(event_types) ? (objectIn(row).event_types ?? []) : event_types,
    filter: { ...noFilter(), ...objectIn(filter) },
  }
}

/** A request nests what the list shows flat. */
function readPublishSubscribe(given: Json): Json {
  const { amqp, ...others } = objectIn(given)
  if (!isJsonObject(amqp)) return { ...others, ...(amqp !== undefined && { amqp }) }
  const { bindExchange, ...rest } = amqp
  const { exchange = null, routingKey = '' } = objectIn(bindExchange)
  return { ...others, amqp: { ...rest, bindedExchange: exchange, routingKey } }
}

function objectIn(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {}
}

function isNothing(value: Json): boolean {
  if (value === null || value === '' || value === 0) return true
  return typeof value === 'object' && Object.keys(value).length === 0
}
