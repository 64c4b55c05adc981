import type { FollowedViolation } from '../audit/compare-with-origins.ts'
import type { Acceptance } from '../history/acceptances.ts'
import { columnsOf } from '../history/body-columns.ts'
import type { NamedVersion, ViolationDraft } from '../history/history.ts'
import type { HistoryReader } from '../history/reader.ts'
import type { RecordedViolation } from '../history/records.ts'
import type { CommittedRun } from '../history/sql/runs.ts'
import { type EndedVersion, readEarlierVersions } from '../history/sql/state-at.ts'
import type { ActiveViolation, NewViolation, OldViolation, StagedViolations } from '../history/staged.ts'
import { readStoredVersion, type VersionPoint } from '../history/stored-body.ts'
import type { Ending } from '../model/ending.ts'
import { type Kind, type ProjectRef, projectKey, type ResourceKey, resourceKey } from '../model/resource.ts'
import type { Severity } from '../model/violation.ts'
import { type FleetState, projectState } from './fleet-state.ts'

/** A violation from the run that would have opened it to the one that would have found it gone. */
export interface ViolationLifetime extends ActiveViolation {
  /** With the name that it had when a run last scanned it. */
  readonly project: ProjectRef
  readonly first: CommittedRun
  /** The last run that saw it. */
  readonly last: CommittedRun
  /** The run that found it gone; undefined: it is active. */
  readonly gone: CommittedRun | undefined
  /** undefined while it is active. */
  readonly ending: Ending | undefined
  /** The owner of its resource as of that run, or as of the one before where that removed it; or as of the last one. */
  readonly owner: string | null
}

/** As the record of a run has it. */
export function lifetimeRecord(violation: ViolationLifetime, run: CommittedRun): RecordedViolation {
  const { project, fingerprint, rule, severity, kind, uid, name, path, message } = violation
  const { state, waiver, first, last, gone, ending, owner } = violation
  const active = state === 'open' ? (first === run ? 'opened' : 'continuing') : state
  return {
    fingerprint,
    rule,
    severity,
    kind,
    uid,
    name,
    owner,
    path,
    message,
    project: project.name,
    state: gone === undefined ? active : 'resolved',
    first_seen: first.started_at,
    last_seen: last.started_at,
    resolution: ending?.resolution ?? null,
    ended_by: ending?.ended_by ?? null,
    ...(waiver === undefined || gone !== undefined ? {} : { waiver }),
  }
}

/** Changed in place: nearly all of them are confirmed unchanged in every run. */
type MutableLifetime = { -readonly [Member in keyof ViolationLifetime]: ViolationLifetime[Member] } & {
  /** The run that confirmed or replaced it last. */
  decided: CommittedRun
}

interface ProjectViolations {
  readonly active: Map<number, MutableLifetime>
  readonly ended: ViolationLifetime[]
  /** The last run that scanned it, and the one before that. */
  scan: number | undefined
  scanBefore: number | undefined
  /** Ended versions of resources whose past was read, the newest first: they never change. */
  readonly pastOf: Map<ResourceKey, readonly EndedVersion[]>
}

type Identity = Pick<VersionPoint, 'kind' | 'uid'>

/** Keeps what runs would have drafted of violations, one run after the other; there are no acceptances. */
export class ReplayDraft implements ViolationDraft {
  readonly past: HistoryReader
  readonly #fleet: FleetState
  readonly #projects = new Map<string, ProjectViolations>()
  #run: CommittedRun = { number: 0, started_at: '', finished_at: '' }
  #lastId = 0

  /** `fleet`: as of the run that is replayed. */
  constructor(past: HistoryReader, fleet: FleetState) {
    this.past = past
    this.#fleet = fleet
  }

  get run(): number {
    return this.#run.number
  }

  begin(run: CommittedRun): void {
    this.#run = run
  }

  /** All that is active, or that ended. */
  lifetimes(): Record<'active' | 'ended', readonly ViolationLifetime[]> {
    const all = [...this.#projects.values()].flatMap(({ active }) => [...active.values()])
    return {
      active: all.map((violation) => Object.assign(violation, { owner: this.#ownerOf(violation) })),
      ended: [...this.#projects.values()].flatMap(({ ended }) => ended),
    }
  }

  /** Active violations of a project that a comparison with an earlier version decides. */
  withOrigin(project: ProjectRef): readonly FollowedViolation[] {
    const followed: FollowedViolation[] = []
    for (const violation of this.#of(project).active.values()) {
      const { originRun, first } = violation
      if (originRun !== undefined)
        followed.push({ ...violation, originRun, first_seen: first.started_at, isActive: true })
    }
    return followed
  }

  async stageScan(project: ProjectRef): Promise<void> {
    const ofProject = this.#of(project)
    for (const violation of ofProject.active.values()) violation.project = project
    ofProject.scanBefore = ofProject.scan
    ofProject.scan = this.run
  }

  /** Reads the past of some resources, where it was not read before. */
  async readPast(project: ProjectRef, resources: readonly Identity[]): Promise<void> {
    const { pastOf } = this.#of(project)
    const missing = [...new Map(resources.map((one) => [resourceKey(one), one]))].filter(([key]) => !pastOf.has(key))
    if (missing.length === 0) return
    const ended = await readEarlierVersions(
      this.past,
      project,
      missing.map(([, resource]) => resource),
    )
    const byResource = Map.groupBy(ended, resourceKey)
    for (const [key] of missing) pastOf.set(key, byResource.get(key) ?? [])
  }

  /** As an earlier run left it. @throws Error where it is not what is current, nor what that replaced, and was not read */
  at(project: ProjectRef, resource: Identity, run: number): NamedVersion | undefined {
    const { kind, uid } = resource
    const current = projectState(this.#fleet, projectKey(project)).versions.get(kind)?.get(uid)
    const known = [current?.stored, current?.replaced].find((one) => one !== undefined && one.fromRun <= run)
    if (known !== undefined) return known
    const past = this.#of(project).pastOf.get(resourceKey(resource))
    if (past === undefined) throw new Error(`the past of ${kind} ${uid} was not read`)
    const version = past.find(({ fromRun, toRun }) => fromRun <= run && toRun > run)
    return version && readStoredVersion(version)
  }

  async versionsAt(
    project: ProjectRef,
    points: readonly VersionPoint[],
  ): Promise<readonly (NamedVersion | undefined)[]> {
    const { versions } = projectState(this.#fleet, projectKey(project))
    return points.map(({ kind, uid }) => versions.get(kind)?.get(uid)?.stored)
  }

  async lastScannedRun(project: ProjectRef): Promise<number | undefined> {
    const { scan, scanBefore } = this.#of(project)
    return scan === this.run ? scanBefore : scan
  }

  async unconfirmedViolations(project: ProjectRef): Promise<readonly ActiveViolation[]> {
    return this.#unconfirmed(project).toArray()
  }

  async unconfirmedBy(
    rules: readonly string[],
    projects: readonly ProjectRef[],
  ): Promise<ReadonlyMap<string, readonly ActiveViolation[]>> {
    const ruleIds = new Set(rules)
    return new Map(
      projects.map((project) => [
        project.name,
        this.#unconfirmed(project)
          .filter(({ rule }) => ruleIds.has(rule))
          .toArray(),
      ]),
    )
  }

  async oldViolations(
    project: ProjectRef,
    before: Readonly<Partial<Record<Severity, string>>>,
  ): Promise<readonly OldViolation[]> {
    const { active, ended } = this.#of(project)
    const asOld = (violation: ViolationLifetime): OldViolation[] => {
      const { severity, first } = violation
      const time = before[severity]
      return time !== undefined && first.started_at < time ? [{ ...violation, first_seen: first.started_at }] : []
    }
    if (Object.keys(before).length === 0) return []
    return [...active.values().flatMap(asOld), ...ended.filter(({ gone }) => gone === this.#run).flatMap(asOld)]
  }

  async stageViolations(project: ProjectRef, { confirmed, violations }: StagedViolations): Promise<void> {
    const { active } = this.#of(project)
    for (const id of confirmed) {
      const violation = active.get(id)
      if (violation !== undefined) violation.decided = violation.last = this.#run
    }
    for (const violation of violations) {
      const replaced = violation.replaces === undefined ? undefined : active.get(violation.replaces)
      if (replaced === undefined) this.#open(project, violation)
      else {
        const { name, severity, message, state, waiver, lastRun } = violation
        Object.assign(replaced, { name, severity, message, state, waiver, lastRun, decided: this.#run })
        if (state !== 'unknown') replaced.last = this.#run
      }
    }
  }

  async endViolations(project: ProjectRef, violations: ReadonlyMap<number, Ending>): Promise<void> {
    const { active, ended } = this.#of(project)
    for (const [id, ending] of violations) {
      const violation = active.get(id)
      if (violation === undefined) continue
      active.delete(id)
      const owner = this.#ownerOf(violation, ending.resolution === 'removed')
      ended.push(Object.assign(violation, { gone: this.#run, ending, owner }))
    }
  }

  async acceptancesOf(): Promise<ReadonlyMap<string, readonly Acceptance[]>> {
    return new Map()
  }

  async endAcceptances(): Promise<void> {}

  #of(project: ProjectRef): ProjectViolations {
    const key = projectKey(project)
    const known = this.#projects.get(key)
    if (known !== undefined) return known
    const made: ProjectViolations = {
      active: new Map(),
      ended: [],
      scan: undefined,
      scanBefore: undefined,
      pastOf: new Map(),
    }
    this.#projects.set(key, made)
    return made
  }

  #open(project: ProjectRef, { lastRun: _, replaces: __, ...violation }: NewViolation): void {
    const { active } = this.#of(project)
    const run = this.#run
    const id = ++this.#lastId
    const opened: MutableLifetime = {
      ...violation,
      id,
      project,
      firstRun: run.number,
      lastRun: undefined,
      first: run,
      last: run,
      gone: undefined,
      ending: undefined,
      owner: null,
      decided: run,
    }
    active.set(id, opened)
  }

  /** `wasRemoved`: whether by the run, so that its owner is that of before. */
  #ownerOf({ project, kind, uid }: Pick<ViolationLifetime, 'project' | 'kind' | 'uid'>, wasRemoved = false) {
    const { versions, removed } = projectState(this.#fleet, projectKey(project))
    const versionOf = (of: Kind, its: string) =>
      versions.get(of)?.get(its) ?? (wasRemoved ? removed.get(resourceKey({ kind: of, uid: its })) : undefined)
    const columns = (of: Kind, its: string) => columnsOf(of, versionOf(of, its)?.resource.attributes ?? {})
    if (kind !== 'subscription') return columns(kind, uid).owner_id
    return columns('endpoint', columns(kind, uid).endpoint_uid ?? '').owner_id
  }

  #unconfirmed(project: ProjectRef): IteratorObject<MutableLifetime> {
    return this.#of(project)
      .active.values()
      .filter(({ decided }) => decided !== this.#run)
  }
}
