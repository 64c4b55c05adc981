import type { SeenState } from '../gateway/inventory/compare-fields.ts'
import { maskSealsInText } from '../gateway/inventory/diff-attributes.ts'
import { splitUrl } from '../gateway/inventory/split-url.ts'
import type { HistoryReader } from '../history/reader.ts'
import type { CompleteScan, CompleteScans } from '../history/records.ts'
import type { CommittedRun } from '../history/sql/runs.ts'
import { type RecordedScan, readCompleteScans } from '../history/sql/scans.ts'
import { type ResourceAtRun, readStateAt } from '../history/sql/state-at.ts'
import type { CoverageStatus } from '../model/coverage.ts'
import type { JsonObject } from '../model/json.ts'
import { type Kind, type ProjectRef, resourceKey } from '../model/resource.ts'
import { listingOf } from '../model/walks-for.ts'
import { stateIn, stateOf } from './field-gaps.ts'

export type Matching = 'name' | 'url_path' | 'owner+name'

/** A resource of one of two compared projects. */
export interface SidedResource extends Omit<ResourceAtRun, 'body'>, SeenState {
  /** Resources of both sides with one key have the same purpose. */
  readonly key: string
}

/** One of two compared projects, as its last scan left it. */
export interface ComparedSide {
  readonly project: ProjectRef
  readonly scan: RecordedScan
  readonly resources: readonly SidedResource[]
  readonly byKey: ReadonlyMap<string, readonly SidedResource[]>
  /** The resource that a reference names. */
  find(kind: Kind, uid: string): SidedResource | undefined
  /** What the last scan proved of a kind; undefined when it did not scan it completely. */
  viewOf(kind: Kind): CompleteScan | undefined
}

/** A project's last scan, what was scanned completely by then, and its resources. */
export interface ScannedState {
  readonly scan: RecordedScan
  readonly complete: CompleteScans
  readonly state: readonly ResourceAtRun[]
}

export async function readScannedState(
  reader: HistoryReader,
  scan: RecordedScan,
  { number }: CommittedRun,
): Promise<ScannedState> {
  const complete = await readCompleteScans(reader, scan.project, number)
  return { scan, complete, state: await readStateAt(reader, scan.project, number) }
}

/** `matching`: by uid for a project that is compared with itself. */
export function openSide({ scan, complete, state }: ScannedState, matching: Matching | 'uid'): ComparedSide {
  const { project } = scan
  const resources = state.map((version): SidedResource => {
    const { body, ...resource } = version
    const seen = stateIn(scan.coverage, resource.kind, stateOf(version))
    const key = matching === 'uid' ? resourceKey(resource) : keyOf(resource, seen.attributes, matching)
    return { ...resource, ...seen, key }
  })
  const byUid = new Map(resources.map((resource) => [resourceKey(resource), resource]))
  return {
    project,
    scan,
    resources,
    byKey: Map.groupBy(resources, ({ key }) => key),
    find: (kind, uid) => byUid.get(resourceKey({ kind, uid })),
    viewOf: (kind) => (complete[kind]?.run === scan.run.number ? complete[kind] : undefined),
  }
}

/** Only endpoints have an owner and an address of their own; the other kinds match by name. */
function keyOf({ kind, name }: Pick<ResourceAtRun, 'kind' | 'name'>, attributes: JsonObject, matching: Matching) {
  if (kind === 'project') return kind
  const isByName = kind !== 'endpoint' || matching === 'name'
  if (isByName) return JSON.stringify([kind, name])
  if (matching === 'owner+name') return JSON.stringify([kind, attributes.owner_id ?? null, name])
  const { url } = attributes
  const path = typeof url === 'string' ? maskSealsInText(splitUrl(url).path) : ''
  return JSON.stringify([kind, path === '' ? '/' : path])
}

/** Why nothing can be said of all resources of a kind; undefined where it can. */
export function gapOf(side: ComparedSide, kind: Kind, other: ComparedSide): string | undefined {
  const view = side.viewOf(kind)
  if (view === undefined) {
    // What an earlier scan showed may have changed, or be gone.
    if (side.resources.some((resource) => resource.kind === kind)) return describeMissed(side, kind)
    const walk = side.scan.coverage.find(({ listing }) => listing === listingOf(kind, true))
    const otherWalk = other.scan.coverage.find(({ listing }) => listing === listingOf(kind, true))
    // Runs before event types were read, or without them, are as comparable as ever.
    if (kind === 'event_type' && isUnlisted(walk) && isUnlisted(otherWalk)) return undefined
    if (walk?.status !== 'skipped') return describeMissed(side, kind)
    if (otherWalk?.status === 'skipped') return undefined
    return kind === 'project' ? 'its service did not show the settings' : `its service did not list any ${kind}`
  }
  const otherFilter = other.viewOf(kind)?.filter
  if (view.filter === null || otherFilter === undefined || view.filter === otherFilter) return undefined
  return `it was scanned with ${view.filter} only`
}

/** In words: the last scan of a side did not show all resources of a kind. */
export function describeMissed({ scan }: ComparedSide, kind: Kind): string {
  return `run ${scan.run.number} did not ${kind === 'project' ? 'read the settings' : `scan every ${kind}`}`
}

/** Whether a walk was never made, or the service did not offer its listing. */
function isUnlisted(walk: { readonly status: CoverageStatus } | undefined): boolean {
  return walk === undefined || walk.status === 'skipped'
}
