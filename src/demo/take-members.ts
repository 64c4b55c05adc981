import { asSeconds } from '../inventory/scalars.ts'
import { isJsonObject, type Json, type JsonObject } from '../model/json.ts'
import { type Field, isAttribute, type Members, resourceFields, sentWhenEmpty } from '../model/wire-schema.ts'
import { defaultRequestIdHeader } from './rows.ts'

/** What the service does with a member of a request besides what the wire schema says of its field. */
interface Taken {
  /** What a row has where there is nothing; default: what a request sends for it. */
  readonly empty?: Json
  /** Kept if the body omits it. */
  readonly isKept?: true
  /** From the form of a request to that of a row. */
  readonly read?: (given: Json, row: Json) => Json
}

/** The members of a row that the body of an update decides, each with its new value. What it omits is wiped or kept. */
export function takeMembers(row: JsonObject, body: JsonObject, kind: WritableKind, isForgetful: boolean): JsonObject {
  const special: Readonly<Record<string, Taken>> = taken[kind]
  const members = Object.entries<Field>(resourceFields[kind]).flatMap(([attribute, field]): [string, Json][] => {
    const { unwritten, onlyCreate, to: [name = attribute] = [], keeps } = field
    if (!isAttribute(field) || unwritten !== undefined || onlyCreate) return []
    const { empty = sentWhenEmpty(field), isKept = keeps !== undefined, read } = special[name] ?? {}
    const given = body[name]
    const old = row[name] ?? empty
    if (given === undefined) return [[name, !isKept || isForgetful ? empty : old]]
    if (keeps === 'empty' && isNothing(given)) return [[name, old]]
    if (given === null) return [[name, empty]]
    return [[name, read === undefined ? given : read(given, old)]]
  })
  return Object.fromEntries(members)
}

const noFilter = { is_flattened: false, headers: {}, body: {} }

const json = 'application/json'

const taken = {
  endpoint: {
    content_type: { empty: json, read: (given) => (isNothing(given) ? json : given) },
    http_timeout: { empty: 10 },
    mtls_client_cert: { empty: null, read: readCertificate },
  },
  subscription: {
    function: { empty: null },
    endpoint_id: { empty: null },
    source_id: { empty: null },
    alert_config: { read: merged },
    rate_limit_config: { read: merged },
    retry_config: { read: (given, row) => merged(withSeconds(given), row) },
    filter_config: { isKept: true, empty: { event_types: ['*'], filter: noFilter }, read: readFilterConfig },
  },
  source: {
    // No update turns verification off.
    verifier: { empty: null, read: (given, row) => (isVerifier(given) ? { ...noVerifier, ...objectIn(given) } : row) },
    body_function: { empty: null },
    header_function: { empty: null },
    pub_sub: { read: readPublishSubscribe },
  },
  project: {
    config: { read: (given, row) => ({ ...emptyConfig, ...objectIn(given), ...unwrittenOf(objectIn(row)) }) },
  },
} satisfies Record<string, Readonly<Record<string, Taken>>>

export type WritableKind = keyof typeof taken

const noVerifier = { type: 'noop', hmac: null, basic_auth: null, api_key: null }

/** The configuration of a project is replaced whole. Without a circuit breaker, the service has its own. */
const { circuit_breaker: _, ...settings } = resourceFields.project.config.members
const emptyConfig = { ...zeroOf(settings), request_id_header: defaultRequestIdHeader }

function zeroOf(members: Members): JsonObject {
  const zeros = Object.entries(members).map(([name, field]) => {
    const isWhole = field.type === 'struct' && field.collapse !== true
    return [name, isWhole ? zeroOf(field.members) : sentWhenEmpty(field)]
  })
  return Object.fromEntries(zeros)
}

/** Settings that no request writes, sent or not. */
function unwrittenOf(config: JsonObject): JsonObject {
  const members: Members = resourceFields.project.config.members
  return Object.fromEntries(Object.entries(config).filter(([name]) => members[name]?.unwritten !== undefined))
}

export function isVerifier(given: Json | undefined): boolean {
  const { type = 'noop' } = objectIn(given)
  return type !== 'noop' && type !== ''
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
    filter: { ...noFilter, ...objectIn(filter) },
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
