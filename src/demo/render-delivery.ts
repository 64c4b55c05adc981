import { STATUS_CODES } from 'node:http'
import type { JsonObject } from '../model/json.ts'
import { releases, type SimulatedRelease } from './behaviour.ts'
import type { AttemptRow, DeliveryRow, EventRow, HeaderLists } from './deliveries.ts'
import { noDevice, noSource, pick, unlessEmpty } from './render.ts'
import { type EndpointRow, zeroTime } from './rows.ts'

/** An item of the list of events. It has the whole payload. Later releases do not show how it came. */
export function renderEvent(row: EventRow, release: SimulatedRelease): JsonObject {
  const { channel, createsSubscription, source } = row
  const metadata = {
    channel,
    ...(createsSubscription && { createSubscription: 'true' }),
    delay: channel === 'broadcast' ? '30000000000' : '10000000000',
  }
  return {
    ...pick(row, 'uid', 'event_type'),
    ...unlessEmpty('source_id', source?.uid ?? ''),
    ...pick(row, 'project_id', 'endpoints'),
    headers: objectOf(row.headers),
    source_metadata: { ...noSource, ...source },
    url_query_params: row.url_query_params,
    ...(release === 'later' && { url_path: '' }),
    ...pick(row, 'idempotency_key', 'is_duplicate_event', 'data', 'status'),
    ...(release !== 'later' && { metadata: JSON.stringify(metadata) }),
    acknowledged_at: row.created_at,
    created_at: row.created_at,
    updated_at: row.created_at,
    deleted_at: null,
  }
}

/**
 * An item of the list of deliveries, or one alone. It has the whole payload twice, and the endpoint's key in clear.
 * `endpoint`: as it is now, or was last.
 */
export function renderDelivery(
  row: DeliveryRow,
  endpoint: EndpointRow,
  { release, how }: { readonly release: SimulatedRelease; readonly how: 'listed' | 'one' },
): JsonObject {
  const { uid, project_id, event_id, subscription_id, data, strategy, num_trials } = row
  return {
    uid,
    project_id,
    event_id,
    endpoint_id: endpoint.uid,
    device_id: '',
    subscription_id,
    headers: objectOf(row.headers),
    ...pick(row, 'url_query_params', 'idempotency_key'),
    latency: '',
    ...pick(row, 'latency_seconds', 'event_type'),
    ...(release !== 'older' && { delivery_mode: row.delivery_mode }),
    endpoint_metadata: renderEndpointOf(endpoint),
    event_metadata: { ...noEvent, event_type: row.event_type },
    source_metadata: { ...noSource, ...row.source, idempotency_keys: how === 'listed' ? [] : null },
    device_metadata: noDevice,
    status: row.status,
    metadata: {
      data,
      raw: JSON.stringify(data),
      strategy: strategy.type,
      next_send_time: row.next_send_time,
      num_trials,
      interval_seconds: strategy.duration,
      retry_limit: strategy.retry_count,
      max_retry_seconds: num_trials === 0 ? 0 : 7200,
    },
    cli_metadata: null,
    ...unlessEmpty('description', row.description),
    acknowledged_at: row.created_at,
    ...pick(row, 'created_at', 'updated_at'),
    deleted_at: null,
  }
}

/** A request to a receiver, with the endpoint's key in clear. */
export function renderAttempt(
  { uid, url, headers, status, created_at }: AttemptRow,
  { uid: msg_id, endpoint, project_id }: DeliveryRow,
  release: SimulatedRelease,
): JsonObject {
  const version = releases[release].health.replace('Convoy ', '')
  const sent = Object.entries(headers).map(([name, [value = '']]) => [name, value])
  return {
    uid,
    url,
    method: 'POST',
    endpoint_id: endpoint.uid,
    api_version: version,
    project_id,
    msg_id,
    request_http_header: {
      'Content-Type': endpoint.content_type,
      'User-Agent': `Convoy/${version}`,
      ...Object.fromEntries(sent),
    },
    response_http_header: status === 0 ? {} : { 'Content-Type': 'application/json' },
    http_status: status === 0 ? '-' : `${status} ${STATUS_CODES[status]}`,
    response_data: status === 0 ? '' : JSON.stringify({ ok: status >= 200 && status <= 299 }),
    created_at,
    updated_at: created_at,
    deleted_at: null,
  }
}

/** A delivery's copy of its endpoint: a few members filled, the others zero. */
function renderEndpointOf(row: EndpointRow): JsonObject {
  return {
    ...pick(row, 'uid', 'project_id'),
    ...unlessEmpty('owner_id', row.owner_id),
    ...pick(row, 'url', 'name'),
    secrets: null,
    advanced_signatures: false,
    description: '',
    status: '',
    http_timeout: 0,
    authentication: null,
    rate_limit: 0,
    rate_limit_duration: 0,
    content_type: '',
    failure_rate: 0,
    created_at: zeroTime,
    updated_at: zeroTime,
    deleted_at: null,
  }
}

const noEvent = {
  uid: '',
  event_type: '',
  endpoints: null,
  headers: null,
  url_query_params: '',
  idempotency_key: '',
  is_duplicate_event: false,
  status: '',
  acknowledged_at: null,
  created_at: zeroTime,
  updated_at: zeroTime,
  deleted_at: null,
}

function objectOf(headers: HeaderLists): JsonObject {
  return { ...headers }
}
