import type { FaultQuery } from './fault.ts'
import type { SimulatedRelease } from './release.ts'

/** The current behaviour of the service. A test may change any of it between two requests. */
export interface Behaviour {
  /** Changing it is an upgrade: the shape of every item changes, the content stays. */
  release: SimulatedRelease
  /**
   * `database-down`: every key is refused with 401. `lists-unreadable`: only the listings fail. `cache-down`: every
   * request exceeds a rate limit that was not reached.
   */
  outage: 'database-down' | 'lists-unreadable' | 'cache-down' | null
  /** The delay of an answer. */
  latencyMs: number | ((query: FaultQuery) => number)
  /** Other operations are answered with 404. */
  offers: { sources: boolean; project: boolean; eventTypes: boolean; projects: boolean; testFunction: boolean }
  /** Without a licence, functions are not tested, and no request sets the filter of a subscription. */
  hasLicence: boolean
  /** The longest run of a tested function. */
  functionLimitMs: number
  /** A larger page is cut to this size, and `per_page` in the answer shows it. */
  maxPageSize: number
  /** How version 2024-01-01 writes durations: some releases write `"10s"`. */
  durations: 'numbers' | 'texts'
  /** One bucket for the whole instance; null for none. */
  rateLimit: { readonly limit: number; readonly windowMs: number } | null
  /** Keys that were revoked or have expired. */
  refusedKeys: Set<string>
  /** uids of projects that the personal key must not read. */
  closedProjects: Set<string>
  /** uids of projects whose subscription to the service has ended: later releases run no function for them. */
  disabledProjects: Set<string>
  /** Whether an update wipes every member that its body omits, also those that the real service keeps. */
  isForgetful: boolean
}

export function createBehaviour(options: Partial<Behaviour>): Behaviour {
  return {
    release: 'seed',
    outage: null,
    latencyMs: 0,
    offers: { sources: true, project: true, eventTypes: true, projects: true, testFunction: true },
    hasLicence: true,
    functionLimitMs: 10_000,
    maxPageSize: Number.POSITIVE_INFINITY,
    durations: 'numbers',
    rateLimit: null,
    refusedKeys: new Set(),
    closedProjects: new Set(),
    disabledProjects: new Set(),
    isForgetful: false,
    ...options,
  }
}
