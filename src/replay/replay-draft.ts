import type { FollowedViolation } from '../audit/compare-with-origins.ts'
import type { Acceptance } from '../history/acceptances.ts'
import { columnsOf } from '../history/body-columns.ts'
import type { NamedVersion, ViolationDraft } from '../history/history.ts'
import type { HistoryReader } from '../history/reader.ts'
import type { RecordedViolation } from '../history/records.ts'
import type { CommittedRun } from '../history/sql/runs.ts'
import { readVersionsAt } from '../history/sql/state-at.ts'
import type { ActiveViolation, NewViolation, OldViolation, StagedViolations } from '../history/staged.ts'
import type { VersionPoint } from '../history/stored-body.ts'
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
  readonly byResource: Map<ResourceKey, Set<MutableLifetime>>
  readonly ended: ViolationLifetime[]
  /** The last run that scanned it, and the one before that. */
  scan: number | undefined
  scanBefore: number | undefined
  /** Earlier versions that the scan before asked for and this one, and those that this one did: they never change. */
  versions: Map<string, NamedVersion | undefined>
  used: Map<string, NamedVersion | undefined>
}

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
    ofProject.versions = ofProject.used
    ofProject.used = new Map()
  }

  /** Reads only what is not current, nor what that replaced, and what the scan before did not ask for. */
  async versionsAt(
    project: ProjectRef,
    points: readonly VersionPoint[],
  ): Promise<readonly (NamedVersion | undefined)[]> {
    const { versions, used } = this.#of(project)
    const current = projectState(this.#fleet, projectKey(project)).versions
    const keyOf = (point: VersionPoint) => `${point.run} ${resourceKey(point)}`
    const versionInMemory = ({ kind, uid, run }: VersionPoint) => {
      const version = current.get(kind)?.get(uid)
      return [version?.stored, version?.replaced].find((one) => one !== undefined && one.fromRun <= run)
    }
    const missing = points.filter((point) => versionInMemory(point) === undefined && !versions.has(keyOf(point)))
    const read = missing.length === 0 ? [] : await readVersionsAt(this.past, project, missing)
    for (const [at, point] of missing.entries()) versions.set(keyOf(point), read[at])
    return points.map((point) => {
      const inMemory = versionInMemory(point)
      if (inMemory !== undefined) return inMemory
      const version = versions.get(keyOf(point))
      used.set(keyOf(point), version)
      return version
    })
  }

  async lastScannedRun(project: ProjectRef): Promise<number | undefined> {
    const { scan, scanBefore } = this.#of(project)
    return scan === this.run ? scanBefore : scan
  }

  /** One policy evaluates all runs of a replay. */
  async underSameRules(runs: readonly number[]): Promise<ReadonlySet<number>> {
    return new Set(runs)
  }

  async activeViolations(
    project: ProjectRef,
    kind: Kind,
    uids: readonly string[],
  ): Promise<readonly ActiveViolation[]> {
    const { byResource } = this.#of(project)
    return uids.flatMap((uid) => [...(byResource.get(resourceKey({ kind, uid })) ?? [])].filter(this.#isOlder))
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
    const { active, byResource, ended } = this.#of(project)
    for (const [id, ending] of violations) {
      const violation = active.get(id)
      if (violation === undefined) continue
      active.delete(id)
      byResource.get(resourceKey(violation))?.delete(violation)
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
      byResource: new Map(),
      ended: [],
      scan: undefined,
      scanBefore: undefined,
      versions: new Map(),
      used: new Map(),
    }
    this.#projects.set(key, made)
    return made
  }

  #open(project: ProjectRef, { lastRun: _, replaces: __, ...violation }: NewViolation): void {
    const { active, byResource } = this.#of(project)
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
    const key = resourceKey(violation)
    active.set(id, opened)
    byResource.set(key, (byResource.get(key) ?? new Set()).add(opened))
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

  /** Whether it was active before the run. */
  readonly #isOlder = ({ first }: MutableLifetime) => first !== this.#run
}
