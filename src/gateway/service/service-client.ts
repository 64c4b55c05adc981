import type { Json, JsonObject } from '../../model/json.ts'
import type { DeliveryStatus } from '../deliveries.ts'
import type { LicensedFeature } from '../licence.ts'
import type { Filters } from './settings.ts'

/** The three operations of the service's contract; the project itself and its event types where the service offers them. */
export interface ServiceClient {
  /**
   * Reads a listing of a project to its end. If the iteration ends without a throw, it is a proof: every item was read
   * once, and belongs to the project and the filters.
   * @throws ServiceFault when that cannot be proven
   */
  pages(listing: PagedListing, access: ProjectAccess): AsyncIterable<RawPage>
  /**
   * Reads the catalogue of a project's event types, which has no pages: a large answer comes in parts of page 1. Its items
   * do not say whose they are.
   * @throws ServiceFault when the answer is not the whole catalogue
   */
  eventTypes(access: ProjectAccess): AsyncIterable<RawPage>
  /**
   * Reads the project with its configuration.
   * @throws ServiceFault `foreign` when the answer is another project
   */
  project(access: ProjectAccess): Promise<JsonObject>
  /**
   * Reads the filter rows of a subscription: all of them. undefined where the service
   * answers that it has no such subscription.
   * @throws ServiceFault `not_offered` where there is no such operation, `foreign` for a row of another subscription
   */
  filters(subscription: string, access: ProjectAccess): Promise<readonly JsonObject[] | undefined>
  /**
   * Reads all projects of an organisation. A list that is returned is whole; an empty one proves nothing.
   * @throws ServiceFault `foreign` when it has a project of another organisation
   */
  projects(access: ListAccess): Promise<readonly ListedProject[]>
  /** Runs a function on a payload, once: the contract's third operation, and the only request that is not a GET. */
  testFunction(trial: FunctionTrial, access: ProjectAccess): Promise<FunctionOutcome>
  /**
   * Walks deliveries, newest first, some at a time. No audit asks for them.
   * @throws ServiceFault as `pages` does
   */
  deliveries(choice: RowChoice, access: ProjectAccess): AsyncIterable<readonly GatewayDelivery[]>
  /** The same of events. */
  events(choice: RowChoice, access: ProjectAccess): AsyncIterable<readonly GatewayEvent[]>
  /**
   * What the service's licence does not have, by a route of its dashboard, asked once and without a key: it may answer
   * anything, and then nothing is known to be missing.
   */
  missingFeatures(signal: AbortSignal): Promise<readonly LicensedFeature[]>
  close(): Promise<void>
}

export type PagedListing = 'endpoints' | 'subscriptions' | 'sources'

/** One project under audit: how to reach it, what it may cost, what it has cost. */
export interface ProjectAccess {
  /** The service's identifier of the project. */
  readonly projectUid: string
  readonly key: string
  readonly filters: Filters
  readonly signal: AbortSignal
  /** Incremented while reading. */
  readonly traffic: Traffic
  /** One for all that is asked of the project in an audit. */
  readonly budget: RetryBudget
  readonly acceptance?: KeyAcceptance
  /** For the items of the listing that is read. */
  readonly identify?: IdentifyItem | undefined
}

/** Decides by the bytes of an item whether it is known. One that is known belongs to the project. */
export type IdentifyItem = (item: Buffer) => ItemIdentity

export interface ItemIdentity {
  /** A keyed digest of the bytes. */
  readonly digest: string
  /** Of the item, where it is known; undefined: it has to be parsed. */
  readonly uid: string | undefined
}

/**
 * Whether the service accepted the key in this audit of the project. Reports say so: it must depend neither on other
 * projects that the same process asked for, nor on an audit that was broken off before.
 */
interface KeyAcceptance {
  isAccepted: boolean
}

/** A project as the list of an organisation shows it. */
export interface ListedProject {
  readonly uid: string
  /** The service's word, as `ShowName` makes it fit to be shown; empty where there is none. */
  readonly name: string
}

/** Seals the secrets of a service's name and makes visible what a terminal would not show. */
export type ShowName = (name: string) => string

/** The only way to a listed project: nothing else may show, log or keep a name of the service. */
export function listedProject(uid: string, name: unknown, showName: ShowName): ListedProject {
  return { uid, name: typeof name === 'string' ? showName(name) : '' }
}

/** The list of an organisation's projects: how to read it, what it has cost. */
export interface ListAccess extends Pick<ProjectAccess, 'key' | 'signal' | 'traffic' | 'budget'> {
  /** The service's identifier of the organisation. */
  readonly organisation: string
  readonly showName: ShowName
}

export interface Traffic {
  requests: number
  retries: number
}

export interface RetryBudget {
  /** Time spent waiting for another try, against the limit `retryBudgetMs`. */
  waitedMs: number
}

export interface FunctionTrial {
  readonly function: string
  readonly payload: JsonObject
  /** `body` or `header`; other values are passed on unchanged. */
  readonly type: string
}

/** It could not be tried (no licence, an outage); the function itself is not to blame. */
export interface UnknownOutcome {
  readonly outcome: 'unknown'
  /** Alike for all that failed alike: without the request id. */
  readonly message: string
  /** null where the service gave none, or no request was sent. */
  readonly requestId: string | null
}

export type FunctionOutcome =
  | { readonly outcome: 'ok'; readonly payload: Json; readonly log: readonly string[] }
  | { readonly outcome: 'failed'; readonly message: string }
  | UnknownOutcome

/** One page of a listing or a part of it, with items as the service sent them. */
export interface RawPage {
  /** Counted from 1; parts of one page have one number. */
  readonly number: number
  /** Items of the page before these; absent where these are the whole page. */
  readonly from?: number
  readonly items: readonly JsonObject[]
  /** Of the items, in their order, where they were identified: one that is known shows its uid and its project alone. */
  readonly identities?: readonly ItemIdentity[] | undefined
  /** The service's id of the exchange, for its operators; null when it sends none. */
  readonly requestId: string | null
}

/**
 * A delivery, as far as it is read. A row of the service has the endpoint's key, the headers and the payload, too: they
 * get no further than `read-deliveries.ts`.
 */
export interface GatewayDelivery {
  readonly uid: string
  readonly eventId: string
  /** Empty for a delivery to a device. */
  readonly endpointId: string
  readonly subscriptionId: string
  /** undefined for a word that no known release uses. */
  readonly status: DeliveryStatus | undefined
  /** Milliseconds since the epoch. */
  readonly createdAt: number
}

/** An event, as far as it is read. */
export interface GatewayEvent {
  readonly uid: string
  /** Compared, and never shown: a sender may write anything. Empty where the service shows none. */
  readonly type: string
  /** Endpoints that the sender named, or that the service found for it. */
  readonly endpoints: readonly string[]
  /** Empty for one that came by the API. */
  readonly sourceId: string
  readonly isDuplicate: boolean
  /** Whether the service has matched it with subscriptions. */
  readonly isMatched: boolean
  /** How it came; undefined where the service does not show it, as since v26.7.3. */
  readonly channel: EventChannel | undefined
  readonly createdAt: number
}

/** `named`: the sender named one endpoint; `owner`: all endpoints of an owner, or those of a source. */
export type EventChannel = 'named' | 'owner' | 'broadcast'

/** Milliseconds since the epoch; the service rounds both to the seconds around them. */
export interface TimeWindow {
  readonly from: number
  readonly to: number
}

/** Which deliveries or events; every row is checked against it. */
export interface RowChoice {
  readonly window: TimeWindow
  /** Of these endpoints alone; empty: of all. */
  readonly endpoints?: readonly string[]
  /** Of events: of these sources alone; empty: of all. */
  readonly sources?: readonly string[]
  /** Rows at most; fewer are asked for at once. The walk may still yield more than that, or be left. */
  readonly most: number
}
