import type { Json, JsonObject } from '../model/json.ts'
import type { RawPage } from '../model/raw-page.ts'
import type { Filters } from './settings.ts'

/** The three operations of the service's contract, and the project itself where it is offered. */
export interface ServiceClient {
  /**
   * Reads a listing of a project to its end. The pages are a proof: when the iteration ends without a throw, every
   * item was seen, once, and belongs to the project and the filter that were asked for. It throws a `ServiceFault`
   * when that cannot be said.
   */
  pages(listing: 'endpoints' | 'subscriptions' | 'sources', access: ProjectAccess): AsyncIterable<RawPage>
  /** The project with its configuration. Throws a `ServiceFault`; `foreign` when the answer is another project. */
  project(access: ProjectAccess): Promise<JsonObject>
  /** Runs a function on a payload, once: the contract's third operation, and the only request that is no GET. */
  testFunction(trial: FunctionTrial, access: ProjectAccess): Promise<FunctionOutcome>
  close(): Promise<void>
}

/** One project being looked at: whose it is, what it may cost, what it has cost. */
export interface ProjectAccess {
  /** The service's identifier of the project. */
  readonly projectUid: string
  readonly key: string
  readonly filters: Filters
  readonly signal: AbortSignal
  /** Counts up while reading. */
  readonly traffic: Traffic
}

export interface Traffic {
  requests: number
  retries: number
  /** Time spent waiting for another try, against the limit `retryBudgetMs`. */
  waitedMs: number
}

export interface FunctionTrial {
  readonly function: string
  readonly payload: JsonObject
  /** `body` or `header`; other values are passed on as they are. */
  readonly type: string
}

/** It could not be tried (no licence, an outage); the function itself is not to blame. */
export interface NotTried {
  readonly outcome: 'unknown'
  /** Alike for all that failed alike: without the request id. */
  readonly message: string
  /** null where the service named none, or was not asked. */
  readonly requestId: string | null
}

export type FunctionOutcome =
  | { readonly outcome: 'ok'; readonly payload: Json; readonly log: readonly string[] }
  | { readonly outcome: 'failed'; readonly message: string }
  | NotTried
