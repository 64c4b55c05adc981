import type { Json } from '../model/json.ts'
import type { HeaderLists } from './deliveries.ts'
import type { FaultQuery } from './fault.ts'

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
  /** What the receivers of deliveries answer: a status, or 0 for no answer. No request is sent to anyone. */
  receive: (delivery: { readonly url: string; readonly headers: HeaderLists; readonly data: Json }) => number
  /** Events and deliveries that were made before it, in milliseconds since the epoch, are gone. */
  retainedFromMs: number
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
    receive: () => 200,
    retainedFromMs: 0,
    ...options,
  }
}

/**
 * The three shapes of a fleet's data, by the age of the service's release: a year before the contract's, the contract's
 * own, and after it (from the source, never recorded).
 */
export const releases = {
  older: {
    health: 'Convoy v25.6.3',
    version: '2024-04-01',
    /** The type of all answers but the endpoint list, which says `application/json`. */
    contentType: 'application/json; charset=utf-8',
    unknownProjectOfEndpoints: 'project not found',
    retryAfter: 'time',
    /** Whether an event for an endpoint that does not exist is refused, and not lost. */
    checksEventEndpoint: false,
    /** Whether `POST …/activate` is below `/api/v1`; `PUT …/pause` wakes a paused endpoint in each. */
    hasActivate: false,
    /** Whether a function is refused for the project in the path, before the licence is checked. */
    checksFunctionProject: false,
  },
  seed: {
    health: 'Convoy v26.2.2',
    version: '2025-11-24',
    contentType: 'application/json',
    unknownProjectOfEndpoints: 'Project not found',
    retryAfter: 'time',
    checksEventEndpoint: false,
    hasActivate: false,
    checksFunctionProject: false,
  },
  later: {
    // What v26.7.0 and v26.7.3 say.
    health: 'Convoy v26.6.6',
    version: '2025-11-24',
    contentType: 'application/json',
    unknownProjectOfEndpoints: 'Project not found',
    retryAfter: 'seconds',
    checksEventEndpoint: true,
    hasActivate: true,
    checksFunctionProject: true,
  },
} as const

export type SimulatedRelease = keyof typeof releases
