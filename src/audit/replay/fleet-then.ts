import type { Differing, EvaluableVersion, ProjectKey } from '../../history/reader.ts'
import { malformedFields } from '../../inventory/malformed.ts'
import type { JsonObject } from '../../model/json.ts'
import type { Facts, Kind, Resource } from '../../model/resource.ts'
import type { ActiveRule } from '../../policy/policy.ts'
import type { KeyedFinding } from './ledger.ts'

/** The fleet as a run left it, while a replay goes from run to run. */
export type FleetState = Map<string, ProjectStateAtRun>

export interface ProjectStateAtRun {
  /** By `kind uid`. */
  readonly standing: Map<string, ReplayedVersion>
  /** Those that are not what the last complete look at their kind saw. */
  readonly fresh: Set<ReplayedVersion>
}

/** A version that stands, with what a replay knows of it. */
export interface ReplayedVersion {
  readonly resource: Resource
  readonly fromRun: number
  readonly sealKeyId: string
  /** As of the last complete look at its kind; undefined when it was not there. */
  base: ReplayedVersion | undefined
  /** What the walk that saw it last was narrowed to; undefined: none saw it since the replay began. */
  seenUnder: string | null | undefined
  /** What rules about one resource said of it; worked out when it is first seen. */
  evaluated: EvaluatedVersion | undefined
}

/** What rules about one resource say of a version: most of them once and for all. */
export interface EvaluatedVersion {
  /** What holds while the version stands. */
  readonly lasting: readonly KeyedFinding[]
  /** Rules to ask in every run: they ask the time, may be waived until a time, or failed. */
  readonly timed: readonly ActiveRule[]
  /** Dates of values, for rules that want them. */
  readonly since: ((path: string) => string | undefined) | undefined
  /** Labels that it was judged under. */
  readonly labels: object
}

export function projectKey({ service, uid }: ProjectKey['project']): string {
  return JSON.stringify([service, uid])
}

/** How many resources of a kind are gone, by project. */
export type Losses = ReadonlyMap<string, ReadonlyMap<Kind, number>>

/** Takes over what a run wrote and ended; only what differs is parsed. */
export function applyDifferences(fleet: FleetState, differences: readonly Differing[]): Losses {
  const losses: Map<string, Map<Kind, number>> = new Map()
  for (const { project, kind, uid, after } of differences) {
    const then = projectThen(fleet, projectKey(project))
    const key = `${kind} ${uid}`
    const before = then.standing.get(key)
    if (before !== undefined) then.fresh.delete(before)
    if (after === undefined) {
      then.standing.delete(key)
      const lost = losses.get(projectKey(project)) ?? new Map<Kind, number>()
      losses.set(projectKey(project), lost.set(kind, (lost.get(kind) ?? 0) + 1))
      continue
    }
    const version = read(kind, uid, after, before)
    then.standing.set(key, version)
    then.fresh.add(version)
  }
  return losses
}

export function projectThen(fleet: FleetState, key: string): ProjectStateAtRun {
  const known = fleet.get(key)
  if (known !== undefined) return known
  const made: ProjectStateAtRun = { standing: new Map(), fresh: new Set() }
  fleet.set(key, made)
  return made
}

/** From now on changes of these kinds are told from what stands now. */
export function markAsCompared({ fresh }: ProjectStateAtRun, isComplete: (kind: Kind) => boolean): void {
  for (const version of fresh) {
    if (!isComplete(version.resource.kind)) continue
    version.base = version
    fresh.delete(version)
  }
}

function read(kind: Kind, uid: string, kept: EvaluableVersion, before: ReplayedVersion | undefined): ReplayedVersion {
  const { name, body, facts, fromRun, sealKeyId } = kept
  // What we wrote ourselves as canonical JSON of these types.
  const attributes = JSON.parse(body) as JsonObject
  const known = facts === '' ? {} : (JSON.parse(facts) as Facts)
  const malformed = malformedFields(kind, attributes)
  const marked = malformed.length === 0 ? {} : { malformed }
  return {
    resource: { kind, uid, name, attributes, facts: known, volatile: {}, ...marked },
    fromRun,
    sealKeyId,
    base: before?.base,
    seenUnder: before?.seenUnder,
    evaluated: undefined,
  }
}
