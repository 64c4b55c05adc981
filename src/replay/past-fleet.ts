import { asResource } from '../audit/as-resource.ts'
import { isWithin } from '../audit/listing-filters.ts'
import { areSourcesListed, type ProjectScan, type Statuses } from '../audit/project-scan.ts'
import type { SeenProject } from '../audit/read-project.ts'
import { ReleaseSigns } from '../gateway/release-signs.ts'
import type { HistoryReader } from '../history/reader.ts'
import { readDiffering } from '../history/sql/differing.ts'
import type { RunInputs } from '../history/sql/read-run.ts'
import type { RecordedScan } from '../history/sql/scans.ts'
import type { EvaluableVersion } from '../history/sql/state-at.ts'
import { readViolationsAt } from '../history/sql/violations.ts'
import { parseFacts, parseStored } from '../history/stored-body.ts'
import type { Coverage, ProjectCoverage } from '../model/coverage.ts'
import type { JsonObject } from '../model/json.ts'
import {
  isListing,
  type Listing,
  type ProjectRef,
  projectKey,
  type Resource,
  type ResourceKey,
  resourceKey,
} from '../model/resource.ts'
import { listingOf } from '../model/walks-for.ts'
import { rules } from '../rules/rules.ts'

interface PastResource {
  readonly resource: Resource
  /** The run that wrote its version, and the digest of that. */
  readonly fromRun: number
  readonly digest: string
}

/** The fleet as the history has it, from run to run: only what differs is read. */
export class PastFleet {
  readonly #history: HistoryReader
  readonly #projects = new Map<string, Map<ResourceKey, PastResource>>()
  #run = 0

  constructor(history: HistoryReader) {
    this.#history = history
  }

  async goTo(run: number): Promise<void> {
    for (const { project, kind, uid, after } of await readDiffering(this.#history, this.#run, run)) {
      const resources = this.of(project)
      const key = resourceKey({ kind, uid })
      if (after === undefined) resources.delete(key)
      else resources.set(key, { ...after, resource: asResource({ kind, uid }, versionOf(after)) })
    }
    this.#run = run
  }

  of(project: ProjectRef): Map<ResourceKey, PastResource> {
    const resources = this.#projects.get(projectKey(project)) ?? new Map<ResourceKey, PastResource>()
    this.#projects.set(projectKey(project), resources)
    return resources
  }
}

/** Hookdrift wrote it. */
function versionOf({ name, body, facts }: EvaluableVersion) {
  return { name, attributes: parseStored<JsonObject>(body), ...parseFacts(facts) }
}

interface PastEvidence extends Pick<ProjectScan, 'before' | 'filters'> {
  readonly inputs: RunInputs
  /** See `findViolated`. */
  readonly violated: ReadonlySet<string>
}

/**
 * What the scan of a project by a past run is known to have shown. A complete walk showed all that is current after it. Of
 * any other the history knows what it wrote, what it withheld, and of which resources it found violations.
 * `resources`: as that run left them.
 */
export function seenProject(
  { project, run, coverage }: RecordedScan,
  resources: Iterable<PastResource>,
  { inputs, violated, before, filters }: PastEvidence,
): SeenProject {
  const walks = coverage.filter(isOfListing)
  const statuses: Statuses = Object.fromEntries(walks.map(({ listing, status }) => [listing, status]))
  const areListed = areSourcesListed(statuses)
  const key = projectKey(project)
  const unreferenced = new Set(inputs.unreferenced.filter((one) => projectKey(one.project) === key).map(resourceKey))
  const withheldOf = (listing: Listing) =>
    inputs.withheldRemovals.find((one) => one.listing === listing && projectKey(one.project) === key)?.uids

  const isSeen = ({ resource, fromRun }: PastResource, listing: Listing): boolean => {
    const { kind, uid, attributes } = resource
    if (fromRun === run.number || violated.has(`${project.name} ${resourceKey(resource)}`)) return true
    const { status, filter, cause } = walks.find((walk) => walk.listing === listing) ?? {}
    // A suspect walk showed all but what it withheld. One that misses fields may have missed nothing.
    const withheld = withheldOf(listing)
    if (status === 'suspect')
      return filter === null && (withheld === undefined ? cause === 'unseen_fields' : !withheld.includes(uid))
    if (status !== 'complete') return false
    const isOnlyReferred = kind === 'device' || (kind === 'source' && !areListed)
    return isOnlyReferred
      ? filter === null && !unreferenced.has(resourceKey(resource))
      : isWithin(filters, kind, attributes)
  }

  const seen = [...resources].flatMap((one) => {
    const listing = listingOf(one.resource.kind, areListed)
    return listing !== undefined && isSeen(one, listing) ? [{ listing, ...one }] : []
  })
  // What is current already need not be compared.
  const isKnown = ({ resource: { kind, uid }, digest }: PastResource) =>
    before.versions.find(kind, uid)?.digest === digest
  const read = new Set(seen.filter(isKnown).map(({ resource }) => resource))
  const ofListing = Map.groupBy(seen, ({ listing }) => listing)
  return {
    proof: { walks: walks.map((walk) => ({ coverage: walk, lacksPromisedPage: false })), unproven: new Set() },
    listings: walks.map(({ listing }) => {
      const listed = ofListing.get(listing)?.map(({ resource }) => resource) ?? []
      return { listing, listed, lifted: [], identities: [], read }
    }),
    rows: undefined,
    shapes: new Map(),
    release: new ReleaseSigns(),
    settings: undefined,
    targets: [],
    access: { projectUid: project.uid, key: '', filters, signal: never, traffic: noTraffic, budget: { waitedMs: 0 } },
  }
}

/** Nothing is asked of a service. */
const never = new AbortController().signal
const noTraffic = { requests: 0, retries: 0 }

function isOfListing(walk: Coverage): walk is Coverage & ProjectCoverage & { readonly listing: Listing } {
  return isListing(walk.listing)
}

/**
 * Resources that a run is known to have seen, because it found violations of theirs: `project resource`, by name and key.
 * Asked only where a walk was incomplete: elsewhere coverage says what was seen.
 */
export async function findViolated(
  history: HistoryReader,
  { number, started_at }: RecordedScan['run'],
  scans: readonly RecordedScan[],
): Promise<ReadonlySet<string>> {
  const isCut = scans.some(({ coverage }) => coverage.some(({ status, filter }) => status !== 'complete' || filter))
  if (!isCut) return new Set()
  const names = new Set(scans.map(({ project }) => project.name))
  const found = (await readViolationsAt(history, number)).filter(
    ({ project, rule, state, last_seen }) =>
      names.has(project) && state !== 'unknown' && last_seen === started_at && !aboutUnseen.has(rule),
  )
  return new Set(found.map((violation) => `${violation.project} ${resourceKey(violation)}`))
}

/** Rules about a scan, about what was removed, or about violations: they find something in what was not seen. */
const aboutUnseen = new Set(
  rules.flatMap(({ id, scope }) => (scope === 'scan' || scope === 'drift' || scope === 'violations' ? [id] : [])),
)
