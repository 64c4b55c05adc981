import type { Dialect } from './dialect.ts'

/** How to reach one service. Decoded from the configuration, with every default filled in. */
export interface ServiceSettings {
  readonly name: string
  /** Base URL without a trailing slash; the contract's paths (`/api/v1/…`) are appended. */
  readonly url: string
  /** Items requested per page; a service may answer with fewer. */
  readonly pageSize: number
  readonly limits: Limits
  readonly dialect: Dialect
  /** PEM text of further certificate authorities to trust. */
  readonly ca: string | undefined
  /** Projects of this service that are read at once. */
  readonly connections: number
  /** Requests for filter rows that are sent at once, over all projects. Default: 4. */
  readonly filtersAtOnce?: number
}

/**
 * How often to ask again where waiting hardly helps (an unknown host, a port without TLS, a key that was never
 * accepted): `short` asks once; `long` as often as for other faults, because an outage can look the same.
 */
export type Patience = 'short' | 'long'

export interface Limits {
  readonly connectTimeoutMs: number
  /** For one whole page: from the request to the last byte of the answer. */
  readonly pageTimeoutMs: number
  /** Tries of one request after the first. */
  readonly retries: number
  /** For all waiting between tries of one project's walks, together. */
  readonly retryBudgetMs: number
  readonly maxBodyBytes: number
  /** Of one walk: ends a listing that never ends by itself. */
  readonly maxPages: number
}

/** Requests for filter rows at once, unless configured. */
export const usualFiltersAtOnce = 4

/** The limits unless configured. */
export const defaultLimits: Limits = {
  connectTimeoutMs: 5_000,
  pageTimeoutMs: 30_000,
  retries: 4,
  retryBudgetMs: 60_000,
  maxBodyBytes: 32 * 1024 * 1024,
  maxPages: 100_000,
}

/** What narrows a listing. Every item is checked against it: a service ignores parameters that it does not know. */
export interface Filters {
  readonly endpoints?: { readonly owner?: string; readonly name?: string }
  readonly subscriptions?: { readonly name?: string; readonly endpoints?: readonly string[] }
}

/** Whether to walk a listing that not every service offers: where offered, always, or never. */
export type Offer = 'auto' | 'required' | 'off'

/** What may be read of a project besides endpoints and subscriptions. */
export interface Offers {
  readonly sources: Offer
  readonly project: Offer
  /** The catalogue of event types. */
  readonly event_types: Offer
  /** The filter rows of subscriptions. */
  readonly filters: Offer
}
