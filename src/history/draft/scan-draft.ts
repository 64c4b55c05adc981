import type { Coverage } from '../../model/coverage.ts'
import type { Ending } from '../../model/ending.ts'
import type { ProjectNotice } from '../../model/notice.ts'
import { type Kind, type Listing, listings, type ProjectRef, resourceKey } from '../../model/resource.ts'
import type { Severity } from '../../model/violation.ts'
import { type Acceptance, type AcceptanceEnding, endedBy } from '../acceptances.ts'
import type { HistoryReader } from '../reader.ts'
import type { StagedChange } from '../records.ts'
import { acceptanceColumns, type StoredAcceptance, toAcceptance } from '../sql/acceptances.ts'
import type { Session, SqlValue } from '../sql/session.ts'
import { readVersionsAt } from '../sql/state-at.ts'
import type {
  ActiveViolation,
  CurrentVersion,
  NewVersion,
  OldViolation,
  OtherRules,
  ProjectHistory,
  ReadingName,
  StagedViolations,
} from '../staged.ts'
import { readStoredVersion, type StoredBody, type VersionPoint } from '../stored-body.ts'
import { type ActiveViolationRow, activeColumns, toActiveViolation } from '../stored-violation.ts'
import {
  type DraftedProject,
  DraftedVersions,
  type ExportedProject,
  type MarkChanges,
  type NumberedNotice,
  replacedBy,
  untouchedProject,
} from './drafted-project.ts'
import { OpenProjects } from './open-projects.ts'
import { readHistory } from './read-history.ts'

/** SQL: ids of violations without an end. SQLite finds them by their own index only where it reads what that has. */
const activeIdsSql = 'SELECT i.id FROM hookdrift.violation i WHERE i.to_run IS NULL AND'

const withheldOf = (listing: Listing) => `(SELECT h.uids
  FROM hookdrift.scan s CROSS JOIN hookdrift.walk w LEFT JOIN hookdrift.withheld_removal h
    ON h.project_id = w.project_id AND h.listing = w.listing AND h.run = w.run
  WHERE s.project_id = $1 AND s.run < $2 AND w.run = s.run AND w.project_id = s.project_id AND w.listing = '${listing}'
    AND w.status IN ('complete', 'suspect')
  ORDER BY s.run DESC LIMIT 1) AS ${listing}`

const withheldSql = `SELECT ${listings.map(withheldOf).join(', ')}`

/** Characters of bodies that a run keeps as they are: those of 10,000 resources. */
const packedBeyond = 8 * 1024 * 1024

/** A run whose row is in the history, and what of that row its drafts need. */
export interface BegunRun {
  readonly run: number
  /** ISO 8601, UTC. */
  readonly startedAt: string
  /** Which installation key seals what it writes. */
  readonly sealKeyId: string
}

/** Projects of a run being written. All of it stays in memory until the commit, which writes it. */
export class SqlScanDraft {
  readonly run: number
  /** What committed runs and people left. */
  readonly past: HistoryReader
  protected readonly db: Session
  protected readonly projects: OpenProjects
  readonly #begun: BegunRun
  #notices = 0
  /** Of the bodies of all projects. */
  #characters = 0

  /** `past`: the same history, for questions. */
  constructor(db: Session, past: HistoryReader, begun: BegunRun) {
    this.run = begun.run
    this.db = db
    this.past = past
    this.#begun = begun
    this.projects = new OpenProjects(db, begun.run)
  }

  /** The last run before this one that scanned the project. */
  async lastScannedRun(project: ProjectRef): Promise<number | undefined> {
    const { lastScan } = await this.projects.open(project)
    return lastScan ?? undefined
  }

  /** Those of some runs that evaluated under another policy, configuration or program than this one. */
  async otherRules(runs: readonly number[]): Promise<ReadonlyMap<number, OtherRules>> {
    if (runs.length === 0) return new Map()
    const rows = await this.db.all<{
      readonly number: number
      readonly isPolicyAlike: 0 | 1
      readonly version: string
    }>(
      `SELECT b.number, r.tool_version AS version, CASE WHEN b.policy_digest = r.policy_digest
           AND b.configuration_digest = r.configuration_digest THEN 1 ELSE 0 END AS "isPolicyAlike"
       FROM hookdrift.run b CROSS JOIN hookdrift.run r
       WHERE b.number = ANY($1) AND r.number = $2 AND NOT (b.policy_digest = r.policy_digest
         AND b.configuration_digest = r.configuration_digest AND b.tool_version = r.tool_version)`,
      [runs, this.run],
    )
    return new Map(
      rows.map(({ number, isPolicyAlike, version }) => [number, { isPolicyAlike: isPolicyAlike === 1, version }]),
    )
  }

  /** What earlier runs left of a project. `since`: from when changes are wanted (ISO 8601, UTC); undefined: none are. */
  async historyOf(project: ProjectRef, since: string | undefined): Promise<ProjectHistory> {
    const opened = await this.projects.open(project)
    return this.past.ask((session) => readHistory(session, opened, { run: this.run, since }))
  }

  /**
   * The versions of a project that are valid in runs, this one included, in the order of `points`; undefined where there
   * is none.
   */
  async versionsAt(project: ProjectRef, points: readonly VersionPoint[]): Promise<readonly (StoredBody | undefined)[]> {
    const { state } = await this.projects.open(project)
    const asked = new Set(points.map(resourceKey))
    const isOwn = points.some(({ run }) => run >= this.run)
    const drafted = new Map(
      Iterator.from(isOwn ? state.versions : [])
        .filter((version) => asked.has(resourceKey(version)))
        .map((version) => [resourceKey(version), version]),
    )
    const own = points.map((point) => (point.run < this.run ? undefined : drafted.get(resourceKey(point))))
    const earlier = await readVersionsAt(
      this.past,
      project,
      points.filter((_, at) => own[at] === undefined),
    )
    const remaining = earlier.values()
    return own.map((version) => (version === undefined ? remaining.next().value : this.#toStoredBody(version)))
  }

  /** Versions of a project that were current before this run. */
  async current(project: ProjectRef): Promise<readonly CurrentVersion[]> {
    const { id, hadVersions } = await this.projects.open(project)
    if (hadVersions === null || id === null) return []
    return this.db.all<CurrentVersion>(
      `SELECT v.id, v.kind, v.uid, v.name, v.from_run AS "fromRun", v.digest, r.seal_key_id AS "sealKeyId",
         r.started_at AS since, v.normal_form_version AS normaliser, v.body, v.facts
       FROM hookdrift.version v CROSS JOIN hookdrift.run r
       WHERE v.project_id = $1 AND v.to_run IS NULL AND v.from_run < $2 AND r.number = v.from_run
       ORDER BY v.kind, v.uid`,
      [id, this.run],
    )
  }

  /** Drafts new versions. One that replaces another ends it. */
  async stage(project: ProjectRef, versions: readonly NewVersion[] | DraftedVersions): Promise<void> {
    const { state } = await this.projects.open(project)
    this.#characters -= state.versions.characters
    if (versions instanceof DraftedVersions && state.versions.characters === 0) state.versions = versions
    else state.versions.add(versions)
    this.#characters += state.versions.characters
  }

  async stageChanges(project: ProjectRef, changes: readonly StagedChange[]): Promise<void> {
    const { state } = await this.projects.open(project)
    for (const change of changes) state.changes.push(change)
  }

  /** Ends versions of a project at this run. */
  async endVersions(project: ProjectRef, versions: readonly number[]): Promise<void> {
    const { state } = await this.projects.open(project)
    for (const id of versions) state.endedVersions.push(id)
  }

  /** Uids of resources that no other one referred to before this run, by their kind. */
  async unreferenced(project: ProjectRef): Promise<ReadonlyMap<Kind, ReadonlySet<string>>> {
    const { id } = await this.projects.open(project)
    const rows = await this.db.all<{ readonly kind: Kind; readonly uid: string }>(
      'SELECT kind, uid FROM hookdrift.unreferenced WHERE project_id = $1 AND to_run IS NULL',
      [id],
    )
    return new Map(
      [...Map.groupBy(rows, ({ kind }) => kind)].map(([kind, ofKind]) => [kind, new Set(ofKind.map(({ uid }) => uid))]),
    )
  }

  /** Marks resources of a kind as unreferenced, and takes the mark from others. */
  async markUnreferenced(project: ProjectRef, kind: Kind, changes: MarkChanges): Promise<void> {
    const { state } = await this.projects.open(project)
    state.unreferenced[kind] = changes
  }

  async stageViolations(project: ProjectRef, { confirmed, violations }: StagedViolations): Promise<void> {
    const { state } = await this.projects.open(project)
    for (const id of confirmed) state.confirmed.push(id)
    for (const violation of violations) state.violations.push(violation)
  }

  /** Violations of a project that were active before this run and that it neither confirmed nor replaced. */
  async unconfirmedViolations(project: ProjectRef): Promise<readonly ActiveViolation[]> {
    const { id, hadViolations, state } = await this.projects.open(project)
    if (hadViolations === null || id === null) return []
    return this.#read(
      `SELECT ${activeColumns} FROM hookdrift.violation x WHERE x.id IN (${activeIdsSql} i.project_id = $1 AND i.from_run < $2)
         AND x.id NOT IN (SELECT unnest($3::bigint[])) ORDER BY x.id`,
      [id, this.run, [...decidedIn(state)]],
      toActiveViolation,
    )
  }

  /** Those of some rules, in some projects at once; by the project's name, where there are any. */
  async unconfirmedBy(
    rules: readonly string[],
    projects: readonly ProjectRef[],
  ): Promise<ReadonlyMap<string, readonly ActiveViolation[]>> {
    const byName = new Map<string, readonly ActiveViolation[]>()
    if (rules.length === 0) return byName
    const opened = await this.projects.openAll(projects)
    const rows = await this.#read(
      `SELECT ${activeColumns}, x.project_id AS project FROM hookdrift.violation x
       WHERE x.id IN (${activeIdsSql} i.project_id = ANY($1) AND i.from_run < $2 AND i.rule = ANY($3)) ORDER BY x.id`,
      [opened.flatMap(({ id, hadViolations }) => (hadViolations === null || id === null ? [] : [id])), this.run, rules],
      ({ project, ...row }: ActiveViolationRow & { readonly project: number }) => {
        return { project, violation: toActiveViolation(row) }
      },
    )
    const byProject = Map.groupBy(rows, ({ project }) => project)
    for (const [at, { id, state }] of opened.entries()) {
      const violations = (byProject.get(id ?? 0) ?? []).map(({ violation }) => violation)
      const decided = decidedIn(state)
      const unconfirmed = violations.filter((violation) => !decided.has(violation.id))
      if (unconfirmed.length > 0) byName.set(projects[at]?.name ?? '', unconfirmed)
    }
    return byName
  }

  /**
   * Violations of a project as the run leaves them, those that it ended included, that were first seen before a time that
   * depends on their severity (ISO 8601, UTC); none of a severity without a time.
   */
  async oldViolations(
    project: ProjectRef,
    before: Readonly<Partial<Record<Severity, string>>>,
  ): Promise<readonly OldViolation[]> {
    const { id, state } = await this.projects.open(project)
    const latest = Object.values(before).sort().at(-1)
    if (id === null || latest === undefined) return []
    const old = await this.#read(
      `SELECT ${activeColumns}, f.started_at AS first_seen
       FROM hookdrift.violation x JOIN hookdrift.run f ON f.number = x.first_run
       WHERE x.id IN (${activeIdsSql} i.project_id = $1) AND f.started_at < $2 ORDER BY x.id`,
      [id, latest],
      ({ first_seen, ...row }: ActiveViolationRow & { readonly first_seen: string }) => {
        return { violation: toActiveViolation(row), first_seen }
      },
    )
    // What this run opened is not old.
    const drafted = new Map(
      state.violations.flatMap((one) => (one.replaces === undefined ? [] : [[one.replaces, one]])),
    )
    return old.flatMap(({ violation, first_seen }): OldViolation[] => {
      const { id, firstRun } = violation
      const now: ActiveViolation = { ...violation, ...drafted.get(id), id, firstRun }
      const isOld = first_seen < (before[now.severity] ?? '')
      return isOld ? [{ ...now, first_seen, ending: state.endedViolations[id] }] : []
    })
  }

  /** Ends violations of a project, by their ids: each with its reason. */
  async endViolations(project: ProjectRef, violations: ReadonlyMap<number, Ending>): Promise<void> {
    const { state } = await this.projects.open(project)
    for (const [id, ending] of violations) state.endedViolations[id] = ending
  }

  /**
   * Acceptances of some projects that no person revoked, those that ended included, oldest first; by the project's name,
   * where there are any. What this run ended has ended.
   */
  async acceptancesOf(projects: readonly ProjectRef[]): Promise<ReadonlyMap<string, readonly Acceptance[]>> {
    const byName = new Map<string, readonly Acceptance[]>()
    const opened = await this.projects.openAll(projects)
    const rows = await this.db.all<StoredAcceptance & { readonly projectId: number }>(
      `SELECT ${acceptanceColumns}, a.project_id AS "projectId"
       FROM hookdrift.acceptance a JOIN hookdrift.project p ON p.id = a.project_id
       WHERE a.project_id = ANY($1) AND a.revoked_at IS NULL ORDER BY a.id`,
      [opened.flatMap(({ id }) => id ?? [])],
    )
    const byProject = Map.groupBy(rows, ({ projectId }) => projectId)
    for (const [at, { id, state }] of opened.entries()) {
      const rowsOfProject = byProject.get(id ?? 0)
      if (rowsOfProject === undefined) continue
      const endings = new Map(Object.entries(state.endedAcceptances).map(([id, by]) => [Number(id), by]))
      const acceptances = rowsOfProject.map(({ projectId: _, ...row }) =>
        endedBy(toAcceptance(row), endings, this.#begun.startedAt),
      )
      byName.set(projects[at]?.name ?? '', acceptances)
    }
    return byName
  }

  /** Ends acceptances of a project, by their ids: each with its reason. */
  async endAcceptances(project: ProjectRef, acceptances: ReadonlyMap<number, AcceptanceEnding>): Promise<void> {
    const { state } = await this.projects.open(project)
    for (const [id, ending] of acceptances) state.endedAcceptances[id] = ending
  }

  /**
   * Uids of the removals that were withheld at the last complete or suspect walk of each listing before this run; no entry
   * for one without such a walk.
   */
  async previouslyWithheld(project: ProjectRef): Promise<ReadonlyMap<Listing, readonly string[]>> {
    const { id, lastScan } = await this.projects.open(project)
    if (lastScan === null) return new Map()
    return this.past.ask(async (session) => {
      const row = await session.get<Readonly<Record<string, string | null>>>(withheldSql, [id, this.run])
      const byListing = Object.entries(row ?? {}) as [Listing, string | null][]
      return new Map(byListing.flatMap(([listing, uids]) => (uids === null ? [] : [[listing, JSON.parse(uids)]])))
    })
  }

  /** Records removals that wait for the next scan to confirm them. */
  async withholdRemovals(project: ProjectRef, listing: Listing, uids: readonly string[]): Promise<void> {
    const { state } = await this.projects.open(project)
    state.withheld[listing] = JSON.stringify(uids)
  }

  /** What the last scan of a project left for the next one, as staged; undefined when it left nothing. */
  async reading(project: ProjectRef, name: ReadingName): Promise<string | undefined> {
    const { id, lastScan } = await this.projects.open(project)
    if (lastScan === null) return undefined
    return this.db.value<string>('SELECT body FROM hookdrift.reading WHERE project_id = $1 AND name = $2', [id, name])
  }

  /**
   * Stages it. It replaces what was staged before, and is derived: the chain does not cover it. Items are written once the
   * run is committed, some projects at a time, because so many would hold the write lock for long; a process that ends
   * before leaves those of an earlier scan.
   */
  async stageReading(project: ProjectRef, name: ReadingName, body: string): Promise<void> {
    const { state } = await this.projects.open(project)
    state.readings[name] = body
  }

  /** Stages the scan of a project. The policy is scanned like a project and has no walks. */
  async stageScan(project: ProjectRef): Promise<void> {
    const { state } = await this.projects.open(project)
    state.scan = project.name
  }

  /**
   * Stages what the walk of a listing proved. The project's scan must be staged before. The last call for a listing
   * counts. `shape`: undefined where it equals the last one.
   */
  async stageWalk(project: ProjectRef, coverage: Coverage, shape: readonly string[] | undefined): Promise<void> {
    const { state } = await this.projects.open(project)
    if (state.scan === null) throw new Error(`a walk of ${project.name} was staged before its scan`)
    state.walks[coverage.listing] = { ...coverage, shape: shape === undefined ? null : JSON.stringify(shape) }
  }

  /** Stages a notice about a scanned project or one of its listings; `undefined`: about the run. */
  async stageNotice(project: ProjectRef | undefined, notice: ProjectNotice): Promise<void> {
    const numbered = { ...notice, at: this.nextNotice() }
    if (project === undefined) this.noteOfRun(numbered)
    else (await this.projects.open(project)).state.notices.push(numbered)
  }

  /** Drops all that this run staged, marked, ended, confirmed or noted of a project, except its scan and walks. */
  async discard(project: ProjectRef): Promise<void> {
    const opened = await this.projects.open(project)
    opened.state = untouchedProject(opened.state)
  }

  /** Called when the audit of a project has ended: in a large run, its versions take less memory from then on. */
  async pack(project: ProjectRef): Promise<void> {
    const { state } = await this.projects.open(project)
    if (this.#characters > packedBeyond) state.versions.pack()
  }

  /** All that the run leaves of a project. */
  async exportProject(project: ProjectRef): Promise<ExportedProject> {
    const { state } = await this.projects.open(project)
    return { ...state, versions: [...state.versions] }
  }

  /** Takes over what another draft of the same run exported, in place of what this one has of the project. */
  async importProject(project: ProjectRef, exported: ExportedProject): Promise<void> {
    const opened = await this.projects.open(project)
    const notices = exported.notices.map((notice) => ({ ...notice, at: this.nextNotice() }))
    const versions = new DraftedVersions()
    versions.add(exported.versions)
    versions.pack()
    opened.state = { ...exported, notices, versions }
  }

  #read<Row extends object, Result>(
    sql: string,
    values: readonly SqlValue[],
    convert: (row: Row) => Result,
  ): Promise<readonly Result[]> {
    return this.past.ask(async (session) => (await session.all<Row>(sql, values)).map(convert))
  }

  /** A notice about the run as a whole, which is another process's. */
  protected noteOfRun(_notice: NumberedNotice): void {
    throw new Error('a notice about the run was staged while one of its projects is drafted')
  }

  protected nextNotice(): number {
    this.#notices += 1
    return this.#notices
  }

  #toStoredBody({ name, body, facts, normaliser }: NewVersion): StoredBody {
    const { run, startedAt, sealKeyId } = this.#begun
    return readStoredVersion({ name, body, facts, normaliser, fromRun: run, since: startedAt, sealKeyId })
  }
}

/** Ids of violations from before the run that it confirmed or replaced. */
function decidedIn({ confirmed, violations }: DraftedProject): ReadonlySet<number> {
  return new Set([...confirmed, ...replacedBy(violations)])
}
