import type { ValueDates } from '../audit/date-values.ts'
import type { KeyedFinding } from '../audit/reconcile.ts'
import type { ResourceDifference } from '../history/sql/differing.ts'
import type { EvaluableVersion } from '../history/sql/state-at.ts'
import { parseFacts, parseStored } from '../history/stored-body.ts'
import { malformedFields } from '../inventory/malformed.ts'
import type { JsonObject } from '../model/json.ts'
import { type Kind, projectKey, type Resource, type ResourceKey, resourceKey } from '../model/resource.ts'
import type { KnownFacts } from '../policy/fleet-facts.ts'
import type { BoundRules } from '../policy/rule-sets.ts'
import type { Labels } from '../policy/selector.ts'
import type { LastingScan } from './lasting-scan.ts'
import type { Origins } from './remember-origins.ts'

/** What rules about one resource find in a version: most of it once and for all. */
export interface VersionEvaluation {
  /** Of rules whose answers hold as long as the version is current. */
  readonly lasting: readonly KeyedFinding[]
  /** Rules to ask again: they ask the time, may be waived until a time, or failed. */
  readonly timed: readonly BoundRules<'resource'>[]
  /** What all rules found when they were asked last. */
  readonly findings: readonly KeyedFinding[]
  /** When the timed rules are asked again, in milliseconds since the epoch; minus infinity: in every run. */
  readonly until: number
  readonly since: ValueDates | undefined
  /** Labels that it was evaluated under. */
  readonly labels: Labels
  /** Start of the run for which it was evaluated (milliseconds since the epoch): a run whose clock was behind asks anew. */
  readonly at: number
  /** Start of the run in which the timed rules were asked last. */
  readonly askedAt: number
}

/** The fleet as a run left it, while a replay goes from run to run; by project. */
export type FleetState = Map<string, ReplayedProject>

export interface ReplayedProject {
  readonly versions: Map<ResourceKey, ReplayedVersion>
  /** The versions in the order of walking; undefined after a change. */
  walk: ProjectWalk | undefined
  /** What the last scan found, if the next one may find the same; undefined after a change. */
  lasting: LastingScan | undefined
  /** What rules across projects keep of resources. */
  readonly facts: KnownFacts
  /** Versions that followed violations began with, by resource and run, as the last scan read them. */
  origins: Origins
  /** Those that are not what the last complete scan of their kind saw. */
  readonly fresh: Set<ReplayedVersion>
}

interface ProjectWalk {
  readonly versions: readonly ReplayedVersion[]
  readonly kinds: readonly Kind[]
}

/** A current version, with what a replay knows of it. */
export interface ReplayedVersion {
  readonly key: ResourceKey
  readonly resource: Resource
  readonly fromRun: number
  readonly sealKeyId: string
  /** As of the last complete scan of its kind; undefined when it was not there. */
  base: ReplayedVersion | undefined
  /** What the walk that saw it last was narrowed to; undefined: none saw it since the replay began. */
  seenUnder: string | null | undefined
  /** What rules about one resource found; worked out when it is first seen. */
  evaluation: VersionEvaluation | undefined
}

/** How many resources of a kind are gone, by project. */
export type Losses = ReadonlyMap<string, ReadonlyMap<Kind, number>>

/** Takes over what a run wrote and ended; only what differs is parsed. */
export function applyDifferences(fleet: FleetState, differences: readonly ResourceDifference[]): Losses {
  const losses: Map<string, Map<Kind, number>> = new Map()
  for (const { project, kind, uid, after } of differences) {
    const ofProject = projectKey(project)
    const state = projectState(fleet, ofProject)
    const { versions, fresh } = state
    state.walk = undefined
    state.lasting = undefined
    const key = resourceKey({ kind, uid })
    const before = versions.get(key)
    if (before !== undefined) fresh.delete(before)
    if (after === undefined) {
      versions.delete(key)
      const lost = losses.get(ofProject) ?? new Map<Kind, number>()
      losses.set(ofProject, lost.set(kind, (lost.get(kind) ?? 0) + 1))
      continue
    }
    const version = read(key, { kind, uid }, after, before)
    versions.set(key, version)
    fresh.add(version)
  }
  return losses
}

export function projectState(fleet: FleetState, key: string): ReplayedProject {
  const known = fleet.get(key)
  if (known !== undefined) return known
  const made: ReplayedProject = {
    versions: new Map(),
    fresh: new Set(),
    walk: undefined,
    lasting: undefined,
    facts: new WeakMap(),
    origins: new Map(),
  }
  fleet.set(key, made)
  return made
}

const walked = [
  'project',
  'endpoint',
  'source',
  'event_type',
  'subscription',
  'device',
] as const satisfies readonly Kind[]

/** The versions of a project in the order of walking. */
export function walkThrough(state: ReplayedProject): ProjectWalk {
  if (state.walk !== undefined) return state.walk
  const byKind = Map.groupBy(state.versions.values(), ({ resource }) => resource.kind)
  state.walk = { versions: walked.flatMap((kind) => byKind.get(kind) ?? []), kinds: [...byKind.keys()] }
  return state.walk
}

/** From now on, versions of these kinds are compared with those that are current now. */
export function markAsCompared({ fresh }: ReplayedProject, isComplete: (kind: Kind) => boolean): void {
  for (const version of fresh) {
    if (!isComplete(version.resource.kind)) continue
    version.base = version
    fresh.delete(version)
  }
}

function read(
  key: ResourceKey,
  { kind, uid }: Pick<Resource, 'kind' | 'uid'>,
  kept: EvaluableVersion,
  before: ReplayedVersion | undefined,
): ReplayedVersion {
  const { name, body, facts, fromRun, sealKeyId } = kept
  // What we wrote ourselves as canonical JSON of these types.
  const attributes = parseStored<JsonObject>(body)
  const ofVersion = parseFacts(facts)
  const malformed = malformedFields(kind, attributes)
  const unseen = Object.entries(ofVersion.doubts ?? {}).flatMap(([name, { cause }]) =>
    cause === 'unseen' ? [`/${name}`] : [],
  )
  const marked = {
    ...(malformed.length === 0 ? {} : { malformed }),
    ...(unseen.length === 0 ? {} : { unseen }),
  }
  return {
    key,
    resource: { kind, uid, name, attributes, ...ofVersion, volatile: {}, ...marked },
    fromRun,
    sealKeyId,
    base: before?.base,
    seenUnder: before?.seenUnder,
    evaluation: undefined,
  }
}
