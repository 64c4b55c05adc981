import { hash } from 'node:crypto'
import { dayMs, isoTime } from '../model/clock.ts'
import { isJsonObject, type Json, type JsonObject } from '../model/json.ts'

/**
 * Resources in the service's own form without a finding of any rule, so that a policy test shows only its own subject.
 * `at`: milliseconds, when they are evaluated.
 */
export const cleanResources = {
  project: (uid: string, at: number): JsonObject => ({
    ...stamps(uid, at),
    name: uid,
    type: 'outgoing',
    config: {
      max_payload_read_size: 524_288,
      replay_attacks_prevention_enabled: true,
      add_event_id_trace_headers: true,
      disable_endpoint: true,
      multiple_endpoint_subscriptions: false,
      search_policy: '720h',
      ssl: { enforce_secure_endpoints: true },
      ratelimit: { count: 1000, duration: 60 },
      strategy: { type: 'exponential', duration: 60, retry_count: 10 },
      signature: {
        header: 'X-Signature',
        versions: [{ uid: `${uid}-v1`, hash: 'SHA256', encoding: 'hex', created_at: isoTime(at - 10 * dayMs) }],
      },
      meta_event: { is_enabled: false, type: '', event_type: null, url: '', secret: '', pub_sub: null },
    },
  }),
  endpoint: (uid: string, at: number): JsonObject => ({
    ...stamps(uid, at),
    owner_id: 'tenant-01',
    name: uid,
    description: '',
    url: `https://${uid.toLowerCase().replace(/[^a-z0-9-]/g, '-')}.receiver.acme/events`,
    status: 'active',
    content_type: 'application/json',
    advanced_signatures: true,
    http_timeout: 30,
    rate_limit: 100,
    rate_limit_duration: 60,
    support_email: 'hooks@example.com',
    secrets: [
      {
        uid: `${uid}-secret`,
        value: secretOf(uid),
        created_at: isoTime(at - 10 * dayMs),
        expires_at: null,
        deleted_at: null,
      },
    ],
    authentication: null,
    failure_rate: 0,
  }),
  subscription: (uid: string, at: number): JsonObject => ({
    ...stamps(uid, at),
    name: uid,
    type: 'api',
    delivery_mode: 'at_least_once',
    function: '',
    retry_config: { type: 'exponential', duration: 60, retry_count: 10 },
    rate_limit_config: null,
    alert_config: { count: 10, threshold: '1h' },
    filter_config: { event_types: [`${uid.toLowerCase()}.created`], filter: { headers: {}, body: {} } },
  }),
  event_type: (uid: string, _at: number): JsonObject => ({
    uid,
    name: `${uid.toLowerCase()}.created`,
    category: 'orders',
    description: '',
    json_schema: null,
    deprecated_at: null,
  }),
  source: (uid: string, at: number): JsonObject => ({
    ...stamps(uid, at),
    name: uid,
    type: 'http',
    provider: '',
    url: `https://ingest.example.com/${uid}`,
    mask_id: uid,
    is_disabled: false,
    body_function: '',
    header_function: '',
    forward_headers: [],
    idempotency_keys: ['request.header.X-Event-Id'],
    custom_response: { body: '', content_type: '' },
    pub_sub: null,
    verifier: {
      type: 'hmac',
      hmac: { encoding: 'hex', hash: 'SHA256', header: 'X-Signature', secret: secretOf(`${uid}-verifier`) },
    },
  }),
} as const

/** Merges members of objects; any other value replaces the former one. */
export function overlaid(base: JsonObject, over: JsonObject): JsonObject {
  const merged = Object.entries(over).map(([key, value]): [string, Json] => {
    const before = base[key]
    return [key, isJsonObject(before) && isJsonObject(value) ? overlaid(before, value) : value]
  })
  return { ...base, ...Object.fromEntries(merged) }
}

function stamps(uid: string, at: number): JsonObject {
  const created = isoTime(at - 10 * dayMs)
  return { uid, project_id: 'test', created_at: created, updated_at: created, deleted_at: null }
}

/** Unique and hard to guess, but not a secret: it follows from the uid. */
function secretOf(uid: string): string {
  return hash('sha256', `not-a-real-key ${uid}`)
}
