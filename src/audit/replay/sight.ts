import type { CommittedRun, HistoryReader, RecordedScan, RunInputs } from '../../history/reader.ts'
import type { Coverage } from '../../model/coverage.ts'
import type { Kind, Listing, ProjectRef } from '../../model/resource.ts'
import { rules } from '../../rules/rules.ts'
import { areSourcesListed, isKindComplete, isWholeUnder, listingOf, type Statuses } from '../project-scan.ts'
import { projectKey, type ReplayedVersion } from './fleet-then.ts'

/** What a look of a past run at a project can be shown to have seen. */
export interface Observation {
  readonly project: ProjectRef
  readonly statuses: Statuses
  /** Whether a kind was walked to its end, as far as it was asked for. */
  isComplete(kind: Kind): boolean
  /** Whether all there is of a kind was seen. */
  isWhole(kind: Kind): boolean
  /** Whether it is certain that a version which stands was seen. Keeps what the walk was narrowed to. */
  sees(version: ReplayedVersion): boolean
}

/**
 * A complete walk saw all that stands after it. Of any other the history knows only what it wrote, what it held back,
 * and which violations were found again then: whatever else it may have seen counts as not seen.
 */
export function observationOf(
  { project, run, coverage }: RecordedScan,
  runInputs: RunInputs,
  found: Found,
): Observation {
  const walks = new Map(coverage.map((walk): [Listing, Coverage] => [walk.listing, walk]))
  const statuses: Statuses = Object.fromEntries(coverage.map(({ listing, status }) => [listing, status]))
  const key = projectKey(project)
  const isHere = (row: { readonly project: Pick<ProjectRef, 'service' | 'uid'> }) => projectKey(row.project) === key
  const held = new Map(runInputs.withheldRemovals.filter(isHere).map(({ listing, uids }) => [listing, new Set(uids)]))
  const unreferenced = new Set(runInputs.unreferenced.filter(isHere).map(({ kind, uid }) => `${kind} ${uid}`))
  const onlyReferred = (kind: Kind) => kind === 'device' || (kind === 'source' && !areSourcesListed(statuses))

  const certainly = ({ resource: { kind, uid }, fromRun, seenUnder }: ReplayedVersion): boolean => {
    if (fromRun === run.number || found.has(`${key} ${kind} ${uid}`)) return true
    const listing = kind === 'project' ? 'project' : listingOf(kind, statuses)
    const walk = listing && walks.get(listing)
    if (walk === undefined) return false
    const { status, filter } = walk
    if (status === 'suspect') return filter === null && held.get(walk.listing)?.has(uid) === false
    if (status !== 'complete') return false
    if (onlyReferred(kind)) return filter === null && !unreferenced.has(`${kind} ${uid}`)
    // What lies outside of a filter stands on, unseen.
    return filter === null || seenUnder === filter
  }

  return {
    project,
    statuses,
    isComplete: (kind) => isKindComplete(statuses, kind),
    isWhole: (kind) => isWholeUnder(statuses, (listing) => walks.get(listing)?.filter ?? null, kind),
    sees(version) {
      if (!certainly(version)) return false
      const listing = listingOf(version.resource.kind, statuses)
      version.seenUnder = (listing && walks.get(listing)?.filter) ?? null
      return true
    },
  }
}

/** Resources that a run is known to have seen, because it found violations of theirs, as `project kind uid`. */
export type Found = ReadonlySet<string>

/** Asked only where a look was incomplete: elsewhere coverage says what was seen. */
export async function findEvidence(
  history: HistoryReader,
  { number, startedAt }: CommittedRun,
  scans: readonly RecordedScan[],
): Promise<Found> {
  const found = new Set<string>()
  const isCut = scans.some(({ coverage }) => coverage.some(({ status, filter }) => status !== 'complete' || filter))
  if (!isCut) return found
  const keys = new Map(scans.map(({ project }) => [project.name, projectKey(project)]))
  for (const { project, kind, uid, rule, state, lastSeen } of await history.violationsAt(number)) {
    const key = keys.get(project)
    if (key === undefined || state === 'unknown' || lastSeen !== startedAt || !tellsOfSight(rule)) continue
    found.add(`${key} ${kind} ${uid}`)
  }
  return found
}

/** What is said of a look, or of what is no longer there, needs no sight of it. */
function tellsOfSight(id: string): boolean {
  const scope = scopes.get(id)
  return scope !== 'scan' && scope !== 'drift'
}

const scopes = new Map(rules.map(({ id, scope }) => [id, scope]))
