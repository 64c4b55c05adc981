import type { FaultQuery } from './fault.ts'
import type { SimulatedRelease } from './release.ts'

/** How the service behaves at the moment. A test may change any of it between two requests. */
export interface Behaviour {
  /** Changing it is an upgrade: every item changes its shape, none its content. */
  release: SimulatedRelease
  /**
   * `database-down`: every key is refused with 401. `lists-unreadable`: only the listings fail. `cache-down`: every
   * request is over a limit that is nowhere near.
   */
  outage: 'database-down' | 'lists-unreadable' | 'cache-down' | null
  /** How long an answer is held back. */
  latencyMs: number | ((asked: FaultQuery) => number)
  /** What is not offered is answered with 404. */
  offers: { sources: boolean; project: boolean; projects: boolean; testFunction: boolean }
  /** Without a licence for them functions are not tested. */
  hasLicence: boolean
  /** How long a tested function may run. */
  functionLimitMs: number
  /** A larger page is cut to this size; the answer says so in `per_page`. */
  maxPageSize: number
  /** How version 2024-01-01 shows durations: some releases write `"10s"`. */
  durations: 'numbers' | 'texts'
  /** One bucket for the whole instance; null for none. */
  rateLimit: { readonly limit: number; readonly windowMs: number } | null
  /** Keys that were revoked or have expired. */
  refusedKeys: Set<string>
  /** uids of projects that the personal key may not see. */
  closedProjects: Set<string>
}

export function createBehaviour(options: Partial<Behaviour>): Behaviour {
  return {
    release: 'seed',
    outage: null,
    latencyMs: 0,
    offers: { sources: true, project: true, projects: true, testFunction: true },
    hasLicence: true,
    functionLimitMs: 10_000,
    maxPageSize: Number.POSITIVE_INFINITY,
    durations: 'numbers',
    rateLimit: null,
    refusedKeys: new Set(),
    closedProjects: new Set(),
    ...options,
  }
}
