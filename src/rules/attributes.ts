import type { Json, JsonObject } from '../model/json.ts'

/**
 * The attributes that rules read, as the inventory leaves them. Absent: not shown by the service. null: shown and
 * empty. What is neither is of the type given here, or the service broke its contract and comparisons are false.
 */
export interface Endpoint {
  readonly url?: string | null
  readonly status?: string | null
  readonly owner_id?: string | null
  readonly rate_limit?: number | null
  readonly rate_limit_duration?: number | null
  readonly secrets?: Readonly<Record<string, Secret>> | null
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
  readonly retry_config?: RetryConfig | null
}

/** `duration` in seconds. */
export interface RetryConfig {
  readonly type?: string | null
  readonly duration?: number | null
  readonly retry_count?: number | null
}

export interface Source {
  readonly type?: string | null
  readonly is_disabled?: boolean | null
  readonly verifier?: { readonly type?: string | null } | null
}

export interface Project {
  readonly config?: { readonly strategy?: RetryConfig | null } | null
}

export interface AttributesByKind {
  readonly endpoint: Endpoint
  readonly subscription: Subscription
  readonly source: Source
  readonly project: Project
  readonly device: JsonObject
  readonly probe: JsonObject
}

/** Secrets that sign: those that are not deleted. A secret past its expiry signs on until it is. */
export function activeSecrets({ secrets }: Endpoint): readonly (readonly [uid: string, secret: Secret])[] {
  return Object.entries(secrets ?? {}).filter(([, { deleted_at }]) => isNone(deleted_at))
}

export function isNone(value: Json | undefined): boolean {
  return value === null || value === undefined || value === ''
}
