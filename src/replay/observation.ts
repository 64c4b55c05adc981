import { areSourcesListed, type Statuses } from '../audit/project-scan.ts'
import type { HistoryReader } from '../history/reader.ts'
import type { RunInputs } from '../history/sql/read-run.ts'
import type { CommittedRun } from '../history/sql/runs.ts'
import type { RecordedScan } from '../history/sql/scans.ts'
import { readViolationsAt } from '../history/sql/violations.ts'
import type { CoverageCause } from '../model/coverage.ts'
import { isListing, type Kind, type Listing, projectKey, resourceKey } from '../model/resource.ts'
import { listingOf } from '../model/walks-for.ts'
import { rules } from '../rules/rules.ts'
import type { ReplayedVersion } from './fleet-state.ts'

/** What a scan of a past run can be shown to have seen. */
export interface Observation {
  readonly statuses: Statuses
  /** Listings that a filter narrowed. */
  readonly narrowed: readonly Listing[]
  /** Whether it is certain that a current version was seen. Keeps what the walk was narrowed to. */
  observed(version: ReplayedVersion): boolean
}

/**
 * A complete walk saw everything that is current after it. Of any other the history knows only what it wrote, what it
 * withheld, and which violations were found again then: everything else counts as not seen.
 */
export function observationOf(
  { project, run, coverage }: RecordedScan,
  runInputs: RunInputs,
  evidence: Evidence,
): Observation {
  const walks = new Map(coverage.map((walk) => [walk.listing, walk]))
  const statuses: Statuses = Object.fromEntries(coverage.map(({ listing, status }) => [listing, status]))
  const key = projectKey(project)
  const isHere = (row: { readonly project: Parameters<typeof projectKey>[0] }) => projectKey(row.project) === key
  const withheld = new Map(
    runInputs.withheldRemovals.filter(isHere).map(({ listing, uids }) => [listing, new Set(uids)]),
  )
  const unreferenced = new Set(runInputs.unreferenced.filter(isHere).map(resourceKey))
  const onlyReferred = (kind: Kind) => kind === 'device' || (kind === 'source' && !areSourcesListed(statuses))

  const certainly = ({ key: ofResource, resource, since, seenUnder }: ReplayedVersion): boolean => {
    const { kind, uid } = resource
    if (since === run.number || (evidence.size > 0 && evidence.has(`${key} ${ofResource}`))) return true
    const listing = listingOf(kind, areSourcesListed(statuses))
    const walk = listing && walks.get(listing)
    if (walk === undefined) return false
    const { status, filter, cause } = walk
    if (status === 'suspect')
      return filter === null && listing !== undefined && sawAround(cause, withheld.get(listing), uid)
    if (status !== 'complete') return false
    if (onlyReferred(kind)) return filter === null && !unreferenced.has(ofResource)
    // What lies outside of a filter is carried, unseen.
    return filter === null || seenUnder === filter
  }

  return {
    statuses,
    narrowed: coverage.flatMap(({ listing, filter }) => (filter !== null && isListing(listing) ? [listing] : [])),
    observed(version) {
      if (!certainly(version)) return false
      const listing = listingOf(version.resource.kind, areSourcesListed(statuses))
      version.seenUnder = (listing && walks.get(listing)?.filter) ?? null
      return true
    },
  }
}

/** Whether a suspect walk saw a resource: all but what it withheld. One that misses fields may have missed nothing. */
function sawAround(cause: CoverageCause | null, withheld: ReadonlySet<string> | undefined, uid: string): boolean {
  return withheld === undefined ? cause === 'unseen_fields' : !withheld.has(uid)
}

/** Resources that a run is known to have seen, because it found violations of theirs: `project resource`, by their keys. */
export type Evidence = ReadonlySet<string>

/** Asked only where a scan was incomplete: elsewhere coverage says what was seen. */
export async function findEvidence(
  history: HistoryReader,
  { number, started_at }: CommittedRun,
  scans: readonly RecordedScan[],
): Promise<Evidence> {
  const uids = new Set<string>()
  const isCut = scans.some(({ coverage }) => coverage.some(({ status, filter }) => status !== 'complete' || filter))
  if (!isCut) return uids
  const keys = new Map(scans.map(({ project }) => [project.name, projectKey(project)]))
  for (const violation of await readViolationsAt(history, number)) {
    const key = keys.get(violation.project)
    const wasSeen = violation.state !== 'unknown' && violation.last_seen === started_at
    if (key !== undefined && wasSeen && provesObservation(violation.rule)) uids.add(`${key} ${resourceKey(violation)}`)
  }
  return uids
}

/** A finding about a scan, about what was removed, or about violations, does not prove that the resource was observed. */
function provesObservation(id: string): boolean {
  const scope = scopes.get(id)
  return scope !== 'scan' && scope !== 'drift' && scope !== 'violations'
}

const scopes = new Map(rules.map(({ id, scope }) => [id, scope]))
