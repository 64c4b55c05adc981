import type { Json, JsonObject } from '../../model/json.ts'

/**
 * The attributes that rules read, as the inventory leaves them. Absent: not shown by the service. null: shown and
 * empty. What is neither is of the type given here, or the service broke its contract and comparisons are false.
 */
export interface Endpoint {
  readonly name?: string | null
  readonly description?: string | null
  readonly url?: string | null
  readonly status?: string | null
  readonly owner_id?: string | null
  readonly support_email?: string | null
  readonly slack_webhook_url?: string | null
  readonly teams_webhook_url?: string | null
  readonly advanced_signatures?: boolean | null
  /** Seconds. */
  readonly http_timeout?: number | null
  readonly rate_limit?: number | null
  readonly rate_limit_duration?: number | null
  readonly secrets?: Readonly<Record<string, Secret>> | null
  readonly authentication?: Authentication | null
  readonly mtls_client_cert?: ClientCertificate | null
}

/** How deliveries authenticate. Empty members are left out: where it is shown, absent means empty. Secrets are seals. */
export interface Authentication {
  readonly type?: string
  readonly api_key?: { readonly header_name?: string; readonly header_value?: string }
  readonly basic_auth?: { readonly username?: string; readonly password?: string }
  readonly oauth2?: OAuth2
}

/** Empty members are left out, as in the authentication. `url`: where tokens are asked for. */
export interface OAuth2 {
  readonly url?: string
  readonly client_secret?: string
  readonly issuer?: string
  readonly subject?: string
  readonly authentication_type?: string
  readonly signing_algorithm?: string
  readonly signing_key?: SigningKey
}

/** A JWK (RFC 7517). */
export interface SigningKey {
  readonly kty?: string
  readonly crv?: string
  readonly d?: string
  readonly dp?: string
  readonly dq?: string
  readonly k?: string
  readonly p?: string
  readonly q?: string
  readonly qi?: string
}

/** PEM; the key is a seal. Empty members are left out, as in the authentication. */
export interface ClientCertificate {
  readonly client_cert?: string
  readonly client_key?: string
}

export interface Secret {
  readonly value?: string | null
  readonly created_at?: string | null
  readonly expires_at?: string | null
  readonly deleted_at?: string | null
}

export interface Subscription {
  readonly type?: string | null
  readonly endpoint_uid?: string | null
  readonly source_uid?: string | null
  readonly device_uid?: string | null
  readonly delivery_mode?: string | null
  readonly function?: string | null
  readonly filter_config?: FilterConfig | null
  /** By event type; `*` is the row for all types without one. Absent: never read. */
  readonly filters?: Readonly<Record<string, FilterRow>> | null
  readonly retry_config?: RetryConfig | null
  readonly rate_limit_config?: RateLimit | null
  /** `threshold`: a Go duration such as `1h`. */
  readonly alert_config?: { readonly count?: number | null; readonly threshold?: string | null } | null
}

export interface FilterConfig {
  readonly event_types?: readonly string[] | null
  readonly filter?: EventFilter | null
}

/** What an event must look like, part by part: MongoDB-like conditions. */
export interface EventFilter {
  readonly body?: JsonObject | null
  readonly headers?: JsonObject | null
  readonly query?: JsonObject | null
  readonly path?: JsonObject | null
}

/** `enabled_at`: null while it is switched off; absent from releases that cannot switch it off. */
export interface FilterRow extends EventFilter {
  readonly enabled_at?: string | null
}

/** `duration` in seconds. */
export interface RateLimit {
  readonly count?: number | null
  readonly duration?: number | null
}

/** `duration` in seconds. */
export interface RetryConfig {
  readonly type?: string | null
  readonly duration?: number | null
  readonly retry_count?: number | null
}

export interface Source {
  readonly type?: string | null
  readonly provider?: string | null
  readonly url?: string | null
  readonly is_disabled?: boolean | null
  readonly idempotency_keys?: readonly string[] | null
  readonly pub_sub?: Queue | null
  readonly verifier?: Verifier | null
}

/** Empty members are left out: within a verifier that is shown, absent means empty. Secrets are seals. */
export interface Verifier {
  readonly type?: string | null
  readonly hmac?: { readonly header?: string; readonly hash?: string; readonly secret?: string }
  readonly basic_auth?: { readonly username?: string; readonly password?: string }
  readonly api_key?: { readonly header_name?: string; readonly header_value?: string }
}

/** Empty members are left out, as in a verifier. */
export interface Queue {
  readonly type?: string | null
  readonly kafka?: { readonly auth?: { readonly type?: string; readonly username?: string; readonly tls?: boolean } }
  readonly amqp?: {
    readonly schema?: string
    readonly deadLetterExchange?: string
    readonly auth?: { readonly user?: string }
  }
  readonly sqs?: { readonly access_key_id?: string; readonly secret_key?: string }
  readonly google?: { readonly service_account?: string }
}

export interface Project {
  readonly config?: ProjectConfig | null
}

export interface ProjectConfig {
  readonly strategy?: RetryConfig | null
  readonly ratelimit?: RateLimit | null
  readonly ssl?: { readonly enforce_secure_endpoints?: boolean | null } | null
  readonly replay_attacks_prevention_enabled?: boolean | null
  readonly disable_endpoint?: boolean | null
  readonly signature?: { readonly versions?: Readonly<Record<string, SignatureVersion>> | null } | null
  readonly meta_event?: {
    readonly is_enabled?: boolean | null
    readonly type?: string | null
    readonly url?: string | null
    readonly secret?: string | null
  } | null
}

export interface SignatureVersion {
  readonly hash?: string | null
}

/** A waiver of the policy. `expires`: the instant from which it holds no more, ISO 8601 in UTC. */
export interface PolicyPart {
  readonly rule?: string
  readonly match?: string
  readonly owner?: string
  readonly reason?: string
  readonly expires?: string
  readonly ticket?: string | null
  /** Whether a violation needs it. Absent: too little was seen to say that none does. */
  readonly used?: boolean
}

/** How a test run of a function went. Digests show whether function and payload are the same. */
export interface ProbeAttributes {
  readonly probe?: string | null
  readonly target_kind?: string | null
  readonly target_uid?: string | null
  readonly target_name?: string | null
  /** `body`, `header` or `subscription`. */
  readonly function?: string | null
  /** `ok` or `failed`. */
  readonly outcome?: string | null
  /** null where it failed, or where it says nothing because two runs differed. */
  readonly output?: Json
  /** What the service says of the failure. */
  readonly error?: string | null
  /** How the output breaks the expectation; null where it does not. */
  readonly unexpected?: string | null
  /** False: the same function with the same payload gave two results. */
  readonly deterministic?: boolean | null
}

export interface AttributesByKind {
  readonly endpoint: Endpoint
  readonly subscription: Subscription
  readonly source: Source
  readonly project: Project
  readonly device: JsonObject
  readonly probe: ProbeAttributes
  readonly policy: PolicyPart
}

/** Secrets that sign: those that are not deleted. A secret past its expiry signs on until it is. */
export function activeSecrets({ secrets }: Endpoint): ActiveSecrets {
  if (secrets === null || secrets === undefined) return []
  if (last?.secrets !== secrets) {
    last = { secrets, active: Object.entries(secrets).filter(([, { deleted_at }]) => isNone(deleted_at)) }
  }
  return last.active
}

type ActiveSecrets = readonly (readonly [uid: string, secret: Secret])[]

/** The list made last: the rules of an endpoint ask for the same one, one after the other. */
let last: { readonly secrets: Endpoint['secrets']; readonly active: ActiveSecrets } | undefined

/** The OAuth settings that deliveries use. */
export function oauthOf({ authentication }: Endpoint): OAuth2 | undefined {
  return authentication?.type === 'oauth2' ? authentication.oauth2 : undefined
}

export function isNone(value: Json | undefined): boolean {
  return value === null || value === undefined || value === ''
}
