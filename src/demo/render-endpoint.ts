import type { Json, JsonObject } from '../model/json.ts'
import type { SimulatedRelease } from './release.ts'
import type { AuthenticationRow, EndpointRow, SecretRow } from './rows.ts'
import { zeroTime } from './timestamp.ts'

const redacted = '[REDACTED]'

/** An item of the endpoint list. */
export function renderEndpoint(row: EndpointRow, release: SimulatedRelease): JsonObject {
  return {
    uid: row.uid,
    project_id: row.project_id,
    ...unlessEmpty('owner_id', row.owner_id),
    url: row.url,
    name: row.name,
    secrets: secretsOf(row, release),
    advanced_signatures: row.advanced_signatures,
    description: row.description,
    ...unlessEmpty('slack_webhook_url', row.slack_webhook_url),
    ...unlessEmpty('support_email', row.support_email),
    ...unlessEmpty('teams_webhook_url', release === 'later' ? row.teams_webhook_url : ''),
    status: row.status,
    http_timeout: row.http_timeout,
    authentication: authenticationOf(row.authentication, release),
    ...(row.mtls_client_cert && {
      mtls_client_cert: { client_cert: row.mtls_client_cert.client_cert, client_key: redacted },
    }),
    rate_limit: row.rate_limit,
    rate_limit_duration: row.rate_limit_duration,
    ...(release !== 'older' && { content_type: row.content_type }),
    ...countersOf(row, release),
    created_at: row.created_at,
    updated_at: row.updated_at,
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
    uid: row.uid,
    project_id: row.project_id,
    ...unlessEmpty('owner_id', row.owner_id),
    target_url: row.url,
    title: row.name,
    secrets: secretsOf(row, release),
    advanced_signatures: row.advanced_signatures,
    description: row.description,
    ...unlessEmpty('slack_webhook_url', row.slack_webhook_url),
    ...unlessEmpty('support_email', row.support_email),
    http_timeout: seconds(row.http_timeout),
    rate_limit: row.rate_limit,
    status: row.status,
    rate_limit_duration: seconds(row.rate_limit_duration),
    ...(release !== 'older' && { content_type: row.content_type }),
    authentication: authenticationOf(row.authentication, release),
    created_at: row.created_at,
    updated_at: row.updated_at,
    deleted_at: null,
  }
}

/** A subscription's copy of its endpoint: a few members filled, the others zero. */
export function renderEndpointStub(row: EndpointRow, release: SimulatedRelease): JsonObject {
  const secrets = secretsOf(row, release)
  return {
    uid: row.uid,
    project_id: row.project_id,
    ...unlessEmpty('owner_id', row.owner_id),
    url: row.url,
    name: row.name,
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

function unlessEmpty(name: string, text: string): JsonObject {
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
