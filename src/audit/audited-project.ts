import type { ServiceClient } from '../gateway/service/service-client.ts'
import type { Filters, Offers } from '../gateway/service/settings.ts'
import type { Coverage } from '../model/coverage.ts'
import type { ProjectListing, ProjectRef } from '../model/resource.ts'
import type { FileLocation } from '../model/schema.ts'
import type { ExpectedState } from './expected-state.ts'

/** One project to scan, and how. */
export interface AuditedProject {
  readonly ref: ProjectRef
  readonly key: string
  /** Where the key is configured and what may be said of it, for reasons. */
  readonly keyOrigin?: string
  /** Where the URL of its service is configured, for reasons. */
  readonly urlOrigin?: string
  /** Where it is configured; null when that is not a file. */
  readonly configuredAt: FileLocation | null
  /** Template of its resources' addresses in the gateway's own UI (`model/resource-link.ts`). */
  readonly uiUrl?: string | undefined
  /** For the policy's selectors. */
  readonly labels: Readonly<Record<string, string>>
  readonly filters: Filters
  readonly client: ServiceClient
  readonly listings: Offers
  /** Of how many subscriptions a run reads the filter rows at most, unless they are required. */
  readonly filtersPerRun: number
  /** What the licence of its service is known not to have. Default: nothing. */
  readonly lacks?: readonly string[]
  /** Whether the complete list of its service's projects does not have it. */
  readonly isMissing?: boolean
  /** What drift rules compare with in this run, instead of an approved baseline. */
  readonly expected?: ExpectedState
}

/** One service to scan, and which of its projects. */
export interface AuditedService {
  readonly name: string
  readonly client: ServiceClient
  /** Reads the list of its projects. */
  readonly key: string
  readonly keyOrigin?: string
  readonly urlOrigin?: string
  /** The service's identifier of the organisation whose projects are listed; undefined: that of a named project. */
  readonly organisation: string | undefined
  /** All that the configuration names, whether a run scans them or not. */
  readonly named: readonly AuditedProject[]
  /** What the configuration calls the same service too, with other projects. */
  readonly otherNames: readonly string[]
  /** Uids of the projects that it names under those. */
  readonly namedElsewhere: ReadonlySet<string>
  /** Which projects of the list are scanned too, the first that fits; empty: the list decides nothing. */
  readonly matches: readonly MatchingEntry[]
  /** Whether the run asks what its licence has. Default: no. */
  readonly readsLicence?: boolean
  /** Makes a project of the list one to scan. */
  open(ref: ProjectRef, entry: ListingEntry): AuditedProject
}

/** What the configuration says of projects that it finds. */
export interface ListingEntry {
  readonly labels: Readonly<Record<string, string>>
  readonly configuredAt: FileLocation | null
}

export interface MatchingEntry extends ListingEntry {
  /** Of names and ids; `*` is any text. */
  readonly pattern: string
}

/** What a service's list of projects showed. */
export interface ProjectList {
  readonly service: string
  readonly coverage: Coverage
  /** Projects that the list did not have when it was last read. */
  readonly added: readonly ProjectRef[]
  /** Projects that had left the fleet, and that the list has again. */
  readonly returned: readonly ProjectRef[]
  /** Projects that had their ids as names, and now have that of a project which left the fleet. */
  readonly renamed: readonly ProjectRef[]
  /** Uids of projects that no name and no pattern of the configuration chooses. */
  readonly unchosen: readonly string[]
}

/** A page that was read and taken, or filter rows that were read. */
export interface PageRead {
  readonly listing: ProjectListing
  readonly items: number
  /** How long the walk waited for it, retries included. */
  readonly durationMs: number
}
