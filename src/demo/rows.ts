import { isEqual, type JsonObject } from '../model/json.ts'

/** The service's value for a time that is not set. */
export const zeroTime = '0001-01-01T00:00:00Z'

/** RFC 3339 as the service writes it: digits beyond the milliseconds, trailing zeros dropped. */
export function timestamp(timeMs: number, beyondMs = ''): string {
  const [seconds, fraction] = new Date(timeMs).toISOString().slice(0, -1).split('.')
  const digits = `${fraction}${beyondMs}`.replace(/0+$/, '')
  return digits === '' ? `${seconds}Z` : `${seconds}.${digits}Z`
}

/**
 * The rows in the simulated service's tables, for every release. Texts that the service leaves out when empty are empty
 * here; `null` is "none".
 */
export interface EndpointRow {
  readonly uid: string
  readonly project_id: string
  readonly owner_id: string
  readonly url: string
  readonly name: string
  /** `[]` and `null` both mean none; the service shows which. */
  readonly secrets: readonly SecretRow[] | null
  readonly advanced_signatures: boolean
  readonly description: string
  readonly slack_webhook_url: string
  readonly support_email: string
  /** Later releases only. */
  readonly teams_webhook_url: string
  readonly status: string
  readonly http_timeout: number
  readonly authentication: AuthenticationRow | null
  readonly mtls_client_cert: { readonly client_cert: string; readonly client_key: string } | null
  readonly rate_limit: number
  readonly rate_limit_duration: number
  readonly content_type: string
  /** null when unknown. */
  readonly failure_rate: number | null
  /** Later releases only. */
  readonly cb_state: string | null
  readonly created_at: string
  readonly updated_at: string
}

export interface SecretRow {
  readonly uid: string
  readonly value: string
  readonly expires_at: string | null
  readonly created_at: string
  readonly updated_at: string
  readonly deleted_at: string | null
}

export type AuthenticationRow =
  | { readonly type: 'api_key'; readonly api_key: { readonly header_value: string; readonly header_name: string } }
  | { readonly type: 'basic_auth'; readonly basic_auth: { readonly username: string; readonly password: string } }
  | { readonly type: 'oauth2'; readonly oauth2: JsonObject }

export interface SubscriptionRow {
  readonly uid: string
  readonly name: string
  readonly type: string
  readonly project_id: string
  readonly function: string | null
  readonly source_id: string | null
  readonly endpoint_id: string | null
  readonly alert_config: { readonly count: number; readonly threshold: string } | null
  readonly retry_config: { readonly type: string; readonly duration: number; readonly retry_count: number } | null
  readonly filter_config: {
    readonly event_types: readonly string[]
    readonly filter: {
      readonly is_flattened: boolean
      readonly headers: JsonObject
      readonly body: JsonObject
      /** Later releases only; absent means empty. */
      readonly query?: JsonObject
      readonly path?: JsonObject
    }
  }
  /** Newest first. Absent: those that the creation made of `filter_config`; see `filterRowsOf`. */
  readonly filters?: readonly EventFilterRow[]
  readonly rate_limit_config: { readonly count: number; readonly duration: number } | null
  readonly delivery_mode: string
  readonly created_at: string
  readonly updated_at: string
}

/** Decides, for one event type, what of it a subscription gets. */
export interface EventFilterRow {
  readonly uid: string
  readonly event_type: string
  readonly headers: JsonObject
  readonly body: JsonObject
  /** Later releases only, as the members after it. */
  readonly query: JsonObject
  readonly path: JsonObject
  /** null: it is switched off. */
  readonly enabled_at: string | null
}

export interface SourceRow {
  readonly uid: string
  readonly project_id: string
  readonly mask_id: string
  readonly name: string
  readonly url: string
  readonly type: string
  readonly provider: string
  readonly is_disabled: boolean
  /** null and a verifier of type `noop` both verify nothing; sources from older releases have the latter. */
  readonly verifier: VerifierRow | null
  readonly custom_response: { readonly body: string; readonly content_type: string }
  readonly provider_config: JsonObject | null
  /** `[]` and `null` both mean none; sources from older releases have the latter. */
  readonly forward_headers: readonly string[] | null
  /** `{type, workers}` and one member named after the type. */
  readonly pub_sub: JsonObject | null
  readonly idempotency_keys: readonly string[] | null
  readonly body_function: string | null
  readonly header_function: string | null
  /** Later releases only. */
  readonly event_type_location?: string
  readonly created_at: string
  readonly updated_at: string
}

export interface VerifierRow {
  readonly type: string
  readonly hmac: {
    readonly header: string
    readonly hash: string
    readonly secret: string
    readonly encoding: string
  } | null
  readonly basic_auth: { readonly username: string; readonly password: string } | null
  readonly api_key: { readonly header_value: string; readonly header_name: string } | null
}

export interface ProjectRow {
  readonly uid: string
  readonly name: string
  readonly organisation_id: string
  readonly type: 'outgoing' | 'incoming'
  /** In the form of the oldest release. */
  readonly config: ProjectConfigRow
  readonly created_at: string
  readonly updated_at: string
  /** A key to this project only, which ignores the project in the path. */
  readonly key: string
}

export interface ProjectConfigRow {
  readonly max_payload_read_size: number
  readonly replay_attacks_prevention_enabled: boolean
  readonly add_event_id_trace_headers: boolean
  readonly disable_endpoint: boolean
  readonly multiple_endpoint_subscriptions: boolean
  readonly search_policy: string
  readonly ssl: { readonly enforce_secure_endpoints: boolean }
  readonly ratelimit: { readonly count: number; readonly duration: number }
  readonly strategy: { readonly type: string; readonly duration: number; readonly retry_count: number }
  readonly signature: {
    readonly header: string
    readonly versions: readonly {
      readonly uid: string
      readonly hash: string
      readonly encoding: string
      readonly created_at: string
    }[]
  }
  readonly meta_event: JsonObject
  readonly circuit_breaker?: JsonObject
  /** Later releases only. */
  readonly request_id_header?: string
  readonly verify_dynamic_events?: boolean
  readonly allow_unmatched_dynamic_urls?: boolean
}

export const defaultRequestIdHeader = 'X-Convoy-Idempotency-Key'

/** The content of one project; every list newest first, as the service lists it. */
export interface EventTypeRow {
  readonly uid: string
  readonly name: string
  readonly category: string
  readonly json_schema: JsonObject | null
  readonly description: string
  readonly deprecated_at: string | null
}

export interface ProjectData {
  readonly endpoints: readonly EndpointRow[]
  readonly subscriptions: readonly SubscriptionRow[]
  readonly sources: readonly SourceRow[]
  /** The catalogue. What subscriptions name is in it, said or not. */
  readonly eventTypes?: readonly EventTypeRow[]
}

/**
 * The filter rows of a subscription, newest first. They decide what it gets; `filter_config` says only what they were
 * made of. Until a row is changed, they are not kept but made again for each answer.
 */
export function filterRowsOf(subscription: SubscriptionRow): readonly EventFilterRow[] {
  const { uid, created_at } = subscription
  return subscription.filters ?? rowsOf(subscription, typesOf(subscription), created_at, (type) => uidOf(uid, type))
}

/**
 * The row of a subscription with the filter rows that an update of it leaves: rows of event types that it no longer
 * names go, rows of new ones come with its conditions, and all others stay as they were, their conditions too.
 */
export function filtersAfterUpdate(
  before: SubscriptionRow,
  after: SubscriptionRow,
  births: { readonly at: string; readonly newUid: () => string },
): SubscriptionRow {
  if (before.filters === undefined && before.filter_config === after.filter_config) return after
  const types = typesOf(after)
  const rows = filterRowsOf(before)
  const remaining = rows.filter(({ event_type }) => types.has(event_type))
  const typesWithRows = new Set(remaining.map(({ event_type }) => event_type))
  const missing = [...types].filter((type) => !typesWithRows.has(type))
  // Rows that the declaration makes by itself are not kept; for simplicity, they are as old as the subscription.
  const isAsDeclared = before.filters === undefined && remaining.every((row) => hasConditionsOf(row, after))
  if (isAsDeclared) return after
  return { ...after, filters: [...rowsOf(after, missing, births.at, births.newUid), ...remaining] }
}

/** A person may have written anything into a declaration; a row has an event type that is not empty. */
function typesOf({ filter_config }: SubscriptionRow): ReadonlySet<string> {
  const types: unknown = filter_config?.event_types
  return new Set(Array.isArray(types) ? types.filter((type) => typeof type === 'string' && type !== '') : [])
}

function rowsOf(
  { filter_config }: SubscriptionRow,
  types: Iterable<string>,
  at: string,
  uidFor: (type: string) => string,
): readonly EventFilterRow[] {
  const { headers = {}, body = {}, query = {}, path = {} } = filter_config?.filter ?? {}
  return Array.from(types, (type) => {
    return { uid: uidFor(type), event_type: type, headers, body, query, path, enabled_at: at }
  })
}

function hasConditionsOf(row: EventFilterRow, subscription: SubscriptionRow): boolean {
  const [declared] = rowsOf(subscription, [row.event_type], '', () => '')
  if (declared === undefined) return false
  return (['headers', 'body', 'query', 'path'] as const).every((name) => isEqual(row[name], declared[name]))
}

/** The same for the same row each time, in the form of a ULID: the subscription's time, and a digest of the event type. */
function uidOf(subscription: string, type: string): string {
  let digest = 0x811c9dc5
  for (let index = 0; index < type.length; index++) digest = Math.imul(digest ^ type.charCodeAt(index), 0x01000193)
  return `${subscription.slice(0, 20)}${(digest >>> 0).toString(16).toUpperCase().slice(-6).padStart(6, '0')}`
}
