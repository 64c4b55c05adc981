import type { ScanDraft, ViolationDraft } from '../history/history.ts'
import type { CompleteScan, CompleteScans } from '../history/records.ts'
import type { CurrentVersion, ProjectHistory } from '../history/staged.ts'
import type { Sealer } from '../inventory/sealer.ts'
import type { FilterReadings } from '../inventory/take-inventory.ts'
import type { Coverage, CoverageStatus } from '../model/coverage.ts'
import {
  type Kind,
  type Listing,
  type ProjectListing,
  type ProjectRef,
  type Resource,
  unseenIn,
} from '../model/resource.ts'
import type { FileLocation } from '../model/schema.ts'
import { listingOf } from '../model/walks-for.ts'
import type { ChangeWindow } from '../policy/change-window.ts'
import type { IgnoredPath } from '../policy/ignored-paths.ts'
import type { RawPage, ServiceClient } from '../service/service-client.ts'
import type { Filters, Offers } from '../service/settings.ts'
import type { ExpectedState } from './expected-state.ts'
import { filterText } from './listing-filters.ts'

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
  /** Uids of projects that no name and no pattern of the configuration chooses. */
  readonly unchosen: readonly string[]
}

/** A scan as its evaluation sees it: what it shows comes from a service, or from the history of a past run. */
export interface EvaluatedScan {
  readonly draft: ViolationDraft
  readonly project: ProjectRef
  /** Names the installation key that sealed what the scan shows. */
  readonly sealer: Pick<Sealer, 'keyId'>
  /** Start of the run, in milliseconds since the epoch. */
  readonly now: number
  /** Fields whose changes are not drift. */
  readonly ignored: readonly IgnoredPath[]
  /** When changes of the project are expected. */
  readonly windows: readonly ChangeWindow[]
  /** The last complete walk of each kind, before this run. */
  readonly lastComplete: Readonly<Partial<Record<Kind, Pick<CompleteScan, 'run'>>>>
}

/** One scan of a project: what each of its steps reads and writes with, and what the history knows from before. */
export interface ProjectScan extends EvaluatedScan {
  readonly draft: ScanDraft
  readonly sealer: Sealer
  readonly filters: Filters
  readonly currentVersions: CurrentVersions
  readonly lastComplete: CompleteScans
  /** What earlier runs left of the project. */
  readonly history: ProjectHistory
}

/** What the history knows of a project's resources from before the run, and which of them the run has seen again. */
export class CurrentVersions {
  readonly #byKind = new Map<Kind, Map<string, CurrentVersion>>()
  readonly #seen = new Set<CurrentVersion>()

  constructor(versions: readonly CurrentVersion[]) {
    for (const version of versions) {
      const ofKind = this.#byKind.get(version.kind) ?? new Map<string, CurrentVersion>()
      this.#byKind.set(version.kind, ofKind.set(version.uid, version))
    }
  }

  find(kind: Kind, uid: string): CurrentVersion | undefined {
    return this.#byKind.get(kind)?.get(uid)
  }

  see(version: CurrentVersion): void {
    this.#seen.add(version)
  }

  /** Those of a kind that the run has not seen, in the order of their uids. */
  unseen(kind: Kind): readonly CurrentVersion[] {
    return [...(this.#byKind.get(kind)?.values() ?? [])].filter((version) => !this.#seen.has(version))
  }
}

/** A page of a listing: items that are a proof of what they show. */
export interface Page extends Pick<RawPage, 'number' | 'items' | 'identities'> {
  /** Of subscriptions whose filter rows were due. */
  readonly filters?: FilterReadings
}

/** A page that was read and taken, or filter rows that were read. */
export interface PageRead {
  readonly listing: ProjectListing
  readonly items: number
  /** How long the walk waited for it, retries included. */
  readonly durationMs: number
}

/**
 * What the walks of a project proved, by listing; a listing that is off has no entry. `probes` are complete when they
 * were due; which of them could not run is said one by one.
 */
export type Statuses = Readonly<Partial<Record<Listing | 'probes', CoverageStatus>>>

/** The kind that each listing lists. */
export const kindOf = {
  project: 'project',
  endpoints: 'endpoint',
  sources: 'source',
  event_types: 'event_type',
  subscriptions: 'subscription',
} as const satisfies Record<Listing, Kind>

/** Whether a kind was walked to its end, as far as it was asked for. */
export function isKindComplete(statuses: Statuses, kind: Kind): boolean {
  const walked = kind === 'probe' ? 'probes' : listingOf(kind, areSourcesListed(statuses))
  return walked !== undefined && statuses[walked] === 'complete'
}

/** Whether all there is of a kind was seen, without a filter: then what is missing does not exist. */
export function isKindWhole(statuses: Statuses, filters: Filters, kind: Kind): boolean {
  return isWholeUnder(statuses, (listing) => filterText(listing, filters), kind)
}

/** The same, where what a listing was narrowed to is known as text alone; null when it was not. */
export function isWholeUnder(statuses: Statuses, filterOf: (listing: Listing) => string | null, kind: Kind): boolean {
  const listing = listingOf(kind, areSourcesListed(statuses))
  return isKindComplete(statuses, kind) && (listing === undefined || filterOf(listing) === null)
}

/** False where the service does not list sources: then all that is known of them is what subscriptions carry. */
export function areSourcesListed({ sources }: Statuses): boolean {
  return sources !== undefined && sources !== 'skipped'
}

/** JSON Pointers of what a version or the resource as it is now did not show. */
export function unseenInEither(
  version: Parameters<typeof unseenIn>[0],
  { unseen = [] }: Pick<Resource, 'unseen'>,
): readonly string[] {
  return [...unseenIn(version), ...unseen]
}
