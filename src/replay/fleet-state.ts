import type { ScannedResource } from '../audit/comparison.ts'
import { type EvaluatedScan, isKindComplete, type Statuses } from '../audit/project-scan.ts'
import type { NamedVersion } from '../history/history.ts'
import type { ResourceDifference } from '../history/sql/differing.ts'
import type { EvaluableVersion } from '../history/sql/state-at.ts'
import { parseFacts, parseStored } from '../history/stored-body.ts'
import { malformedFields } from '../inventory/malformed.ts'
import type { JsonObject } from '../model/json.ts'
import { type Kind, projectKey, type Resource, type ResourceKey, resourceKey, unseenIn } from '../model/resource.ts'

/** The fleet as a run left it, while a replay goes from run to run; by project. */
export type FleetState = Map<string, ReplayedProject>

export interface ReplayedProject {
  /** Current versions by uid, in the order of walking. */
  readonly versions: ReadonlyMap<Kind, Map<string, ReplayedVersion>>
  /** Those that the run removed, as they were before. */
  readonly removed: Map<ResourceKey, ReplayedVersion>
  /** Those that are not what the last complete scan of their kind saw. */
  readonly fresh: Set<ReplayedVersion>
  /** The last complete scan of each kind. */
  lastComplete: EvaluatedScan['lastComplete']
}

/** A current version, as a scan shows it in which it did not change. */
export interface ReplayedVersion extends ScannedResource {
  readonly key: ResourceKey
  readonly stored: NamedVersion
  readonly change: undefined
  readonly previous: undefined
  /** What it replaced. */
  readonly replaced: NamedVersion | undefined
  base: NamedVersion | undefined | 'same'
  /** What the walk that saw it last was narrowed to; undefined: none saw it since the replay began. */
  seenUnder: string | null | undefined
}

/** Which resources of a kind are gone, by project. */
export type Losses = ReadonlyMap<string, ReadonlyMap<Kind, readonly ResourceKey[]>>

/** Takes over what a run wrote and ended; only what differs is parsed. */
export function applyDifferences(fleet: FleetState, differences: readonly ResourceDifference[]): Losses {
  const losses: Map<string, Map<Kind, ResourceKey[]>> = new Map()
  for (const { removed } of fleet.values()) removed.clear()
  for (const { project, kind, uid, after } of differences) {
    const ofProject = projectKey(project)
    const { versions, removed, fresh } = projectState(fleet, ofProject)
    const before = versions.get(kind)?.get(uid)
    if (before !== undefined) fresh.delete(before)
    if (after === undefined) {
      if (before !== undefined) removed.set(before.key, before)
      versions.get(kind)?.delete(uid)
      const lost = losses.get(ofProject) ?? new Map<Kind, ResourceKey[]>()
      const keys = lost.get(kind) ?? []
      keys.push(resourceKey({ kind, uid }))
      losses.set(ofProject, lost.set(kind, keys))
      continue
    }
    const version = read({ kind, uid }, after, before)
    versions.get(kind)?.set(uid, version)
    fresh.add(version)
  }
  return losses
}

const walked = ['project', 'endpoint', 'source', 'event_type', 'subscription', 'device'] as const

export function projectState(fleet: FleetState, key: string): ReplayedProject {
  const known = fleet.get(key)
  if (known !== undefined) return known
  const made: ReplayedProject = {
    versions: new Map(walked.map((kind) => [kind, new Map()])),
    removed: new Map(),
    fresh: new Set(),
    lastComplete: {},
  }
  fleet.set(key, made)
  return made
}

/** From now on, versions of kinds that a run saw completely are compared with those that are current now. */
export function noteComplete(state: ReplayedProject, statuses: Statuses, run: number): void {
  const complete = walked.filter((kind) => isKindComplete(statuses, kind))
  state.lastComplete = { ...state.lastComplete, ...Object.fromEntries(complete.map((kind) => [kind, { run }])) }
  markAsCompared(state, (kind) => isKindComplete(statuses, kind))
}

export function markAsCompared({ fresh }: ReplayedProject, isComplete: (kind: Kind) => boolean): void {
  for (const version of fresh) {
    if (!isComplete(version.resource.kind)) continue
    version.base = 'same'
    fresh.delete(version)
  }
}

function read(
  { kind, uid }: Pick<Resource, 'kind' | 'uid'>,
  version: EvaluableVersion,
  before: ReplayedVersion | undefined,
): ReplayedVersion {
  const { name, body, facts, fromRun, since, sealKeyId } = version
  // What we wrote ourselves as canonical JSON of these types.
  const attributes = parseStored<JsonObject>(body)
  const ofVersion = parseFacts(facts)
  const malformed = malformedFields(kind, attributes)
  const unseen = unseenIn({ attributes, ...ofVersion })
  const marked = {
    ...(malformed.length === 0 ? {} : { malformed }),
    ...(unseen.length === 0 ? {} : { unseen }),
  }
  return {
    key: resourceKey({ kind, uid }),
    resource: { kind, uid, name, attributes, ...ofVersion, volatile: {}, ...marked },
    stored: { name, attributes, ...ofVersion, fromRun, since, sealKeyId },
    since: fromRun,
    change: undefined,
    previous: undefined,
    replaced: before?.stored,
    base: before?.base === 'same' ? before.stored : before?.base,
    seenUnder: before?.seenUnder,
  }
}
