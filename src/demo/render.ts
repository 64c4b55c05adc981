import type { Json, JsonObject } from '../model/json.ts'
import type { SimulatedRelease } from './behaviour.ts'
import {
  type AuthenticationRow,
  type EndpointRow,
  type SecretRow,
  type SourceRow,
  type SubscriptionRow,
  type VerifierRow,
  zeroTime,
} from './rows.ts'

/** The resources that a subscription refers to; undefined for none. */
interface SubscriptionTargets {
  readonly endpoint: EndpointRow | undefined
  readonly source: SourceRow | undefined
  readonly ingestUrl: string
}

/** An item of the subscription list. */
export function renderSubscription(
  row: SubscriptionRow,
  { endpoint, source, ingestUrl }: SubscriptionTargets,
  release: SimulatedRelease,
): JsonObject {
  const { filter, event_types } = row.filter_config
  const { is_flattened, headers, body, query = {}, path = {} } = filter
  return {
    ...pick(row, 'uid', 'name', 'type', 'project_id', 'function'),
    source_metadata: source === undefined ? renderNoSource(ingestUrl, release) : renderSourceStub(source, release),
    endpoint_metadata: endpoint === undefined ? null : renderEndpointStub(endpoint, release),
    device_metadata: release === 'older' ? noDevice : null,
    ...(row.alert_config && { alert_config: row.alert_config }),
    ...(row.retry_config && { retry_config: row.retry_config }),
    filter_config: {
      event_types,
      filter: { is_flattened, headers, body, ...(release === 'later' && { query, path }) },
    },
    ...(row.rate_limit_config && { rate_limit_config: row.rate_limit_config }),
    ...(release !== 'older' && { delivery_mode: row.delivery_mode }),
    ...pick(row, 'created_at', 'updated_at'),
    deleted_at: null,
  }
}

export const noDevice = {
  uid: '',
  last_seen_at: zeroTime,
  created_at: zeroTime,
  updated_at: zeroTime,
  deleted_at: null,
}

const redacted = '[REDACTED]'

/** An item of the endpoint list. */
export function renderEndpoint(row: EndpointRow, release: SimulatedRelease): JsonObject {
  return {
    ...pick(row, 'uid', 'project_id'),
    ...unlessEmpty('owner_id', row.owner_id),
    ...pick(row, 'url', 'name'),
    secrets: secretsOf(row, release),
    ...pick(row, 'advanced_signatures', 'description'),
    ...unlessEmpty('slack_webhook_url', row.slack_webhook_url),
    ...unlessEmpty('support_email', row.support_email),
    ...unlessEmpty('teams_webhook_url', release === 'later' ? row.teams_webhook_url : ''),
    ...pick(row, 'status', 'http_timeout'),
    authentication: authenticationOf(row.authentication, release),
    ...(row.mtls_client_cert && {
      mtls_client_cert: {
        client_cert: row.mtls_client_cert.client_cert,
        client_key: row.mtls_client_cert.client_key && redacted,
      },
    }),
    ...pick(row, 'rate_limit', 'rate_limit_duration'),
    ...(release !== 'older' && { content_type: row.content_type }),
    ...countersOf(row, release),
    ...pick(row, 'created_at', 'updated_at'),
    deleted_at: null,
  }
}

/** The same item in version 2024-01-01 of the interface: other names, another order, no counters. */
export function renderEndpointOf2024(
  row: EndpointRow,
  release: SimulatedRelease,
  durations: 'numbers' | 'texts',
): JsonObject {
  const seconds = (count: number) => (durations === 'texts' ? `${count}s` : count)
  return {
    ...pick(row, 'uid', 'project_id'),
    ...unlessEmpty('owner_id', row.owner_id),
    target_url: row.url,
    title: row.name,
    secrets: secretsOf(row, release),
    ...pick(row, 'advanced_signatures', 'description'),
    ...unlessEmpty('slack_webhook_url', row.slack_webhook_url),
    ...unlessEmpty('support_email', row.support_email),
    http_timeout: seconds(row.http_timeout),
    ...pick(row, 'rate_limit', 'status'),
    rate_limit_duration: seconds(row.rate_limit_duration),
    ...(release !== 'older' && { content_type: row.content_type }),
    authentication: authenticationOf(row.authentication, release),
    ...pick(row, 'created_at', 'updated_at'),
    deleted_at: null,
  }
}

/** A subscription's copy of its endpoint: a few members filled, the others zero. */
function renderEndpointStub(row: EndpointRow, release: SimulatedRelease): JsonObject {
  const secrets = secretsOf(row, release)
  return {
    ...pick(row, 'uid', 'project_id'),
    ...unlessEmpty('owner_id', row.owner_id),
    ...pick(row, 'url', 'name'),
    secrets: release !== 'older' && secrets?.length === 0 ? null : secrets,
    advanced_signatures: false,
    description: '',
    ...unlessEmpty('support_email', row.support_email),
    status: row.status,
    http_timeout: 0,
    authentication: null,
    rate_limit: 0,
    rate_limit_duration: 0,
    ...(release !== 'older' && { content_type: '' }),
    ...countersOf({ failure_rate: null, cb_state: null }, release),
    created_at: zeroTime,
    updated_at: zeroTime,
    deleted_at: null,
  }
}

export function unlessEmpty(name: string, text: string): JsonObject {
  return text === '' ? {} : { [name]: text }
}

/** Only later releases list deleted secrets. */
function secretsOf({ secrets }: EndpointRow, release: SimulatedRelease): readonly JsonObject[] | null {
  if (secrets === null) return null
  return secrets.filter(({ deleted_at }) => release === 'later' || deleted_at === null).map(secretOf)
}

function secretOf({ uid, value, expires_at, created_at, updated_at, deleted_at }: SecretRow): JsonObject {
  return { uid, value, expires_at, created_at, updated_at, deleted_at }
}

function authenticationOf(row: AuthenticationRow | null, release: SimulatedRelease): Json {
  if (row === null) return release === 'older' ? { api_key: { header_value: '', header_name: '' } } : {}
  if (row.type !== 'basic_auth') return { ...row }
  return { type: row.type, basic_auth: { username: row.basic_auth.username, password: redacted } }
}

function countersOf(
  { failure_rate, cb_state }: Pick<EndpointRow, 'failure_rate' | 'cb_state'>,
  release: SimulatedRelease,
): JsonObject {
  if (release !== 'later') return { failure_rate: failure_rate ?? 0 }
  return {
    failure_rate,
    cb_state,
    period_failure_rate: null,
    success_count: null,
    failure_count: null,
    retry_count: null,
  }
}

/** An item of the source list. */
export function renderSource(row: SourceRow, release: SimulatedRelease): JsonObject {
  const emptyList = (list: readonly string[] | null) => (release === 'older' && list?.length === 0 ? null : list)
  return {
    ...pick(row, 'uid', 'project_id', 'mask_id', 'name', 'url', 'type', 'provider', 'is_disabled'),
    verifier: verifierOf(row.verifier ?? noVerifier, release),
    custom_response: pick(row.custom_response, 'body', 'content_type'),
    provider_config: row.provider_config,
    forward_headers: emptyList(row.forward_headers),
    pub_sub: { ...emptyPubSub, ...row.pub_sub },
    idempotency_keys: emptyList(row.idempotency_keys),
    ...pick(row, 'body_function', 'header_function'),
    ...(release === 'later' && { event_type_location: row.event_type_location ?? '' }),
    ...pick(row, 'created_at', 'updated_at'),
    deleted_at: null,
  }
}

/** A subscription's copy of its source: no functions, no provider, no keys, and null for "verifies nothing". */
function renderSourceStub(row: SourceRow, release: SimulatedRelease): JsonObject {
  const verifier = release !== 'older' && row.verifier === null ? null : verifierOf(row.verifier ?? noVerifier, release)
  return { ...noSource, ...pick(row, 'uid', 'project_id', 'mask_id', 'name', 'url', 'type', 'is_disabled'), verifier }
}

/** Older releases show a stub without uid without a source; its url ends where the mask would start. */
function renderNoSource(ingestUrl: string, release: SimulatedRelease): Json {
  if (release !== 'older') return null
  const { type: _type, ...verifier } = verifierOf(noVerifier, release)
  return { ...noSource, url: ingestUrl, verifier }
}

const noVerifier = { type: 'noop', hmac: null, basic_auth: null, api_key: null }
const emptyPubSub = { type: '', workers: 0, sqs: null, google: null, kafka: null, amqp: null }

/** In the order of members that every stub has. */
export const noSource = {
  uid: '',
  project_id: '',
  mask_id: '',
  name: '',
  url: '',
  type: '',
  provider: '',
  is_disabled: false,
  verifier: null,
  custom_response: { body: '', content_type: '' },
  provider_config: null,
  forward_headers: null,
  pub_sub: null,
  idempotency_keys: null,
  body_function: null,
  header_function: null,
  created_at: zeroTime,
  updated_at: zeroTime,
  deleted_at: null,
}

/** Members of a row, in this order. */
export function pick<Row, Name extends keyof Row & string>(row: Row, ...names: readonly Name[]): Pick<Row, Name> {
  // as: `fromEntries` forgets names.
  return Object.fromEntries(names.map((name) => [name, row[name]])) as Pick<Row, Name>
}

/** Older releases fill unused members with empty texts. */
function verifierOf({ type, hmac, basic_auth, api_key }: VerifierRow, release: SimulatedRelease): JsonObject {
  if (release !== 'older') return { type, hmac, basic_auth, api_key }
  return {
    type,
    hmac: hmac ?? { header: '', hash: '', secret: '', encoding: '' },
    basic_auth: basic_auth ?? { username: '', password: '' },
    api_key: api_key ?? { header_value: '', header_name: '' },
  }
}
