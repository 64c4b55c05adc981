import type { Coverage } from '../../model/coverage.ts'
import type { Ending } from '../../model/ending.ts'
import type { ProjectNotice } from '../../model/notice.ts'
import type { Kind, Listing, ProjectRef } from '../../model/resource.ts'
import type { Severity } from '../../model/violation.ts'
import { type Acceptance, type AcceptanceEnding, endedBy } from '../acceptances.ts'
import { type HistoryReader, sqlReader } from '../reader.ts'
import type { StagedChange } from '../records.ts'
import { compareText } from '../report-order.ts'
import { acceptanceColumns, type StoredAcceptance, toAcceptance } from '../sql/acceptances.ts'
import type { HistoryBackend } from '../sql/backend.ts'
import type { HistoryDatabase, SqlValue } from '../sql/session.ts'
import { readVersionsAt } from '../sql/state-at.ts'
import type {
  ActiveViolation,
  CurrentVersion,
  NewVersion,
  OldViolation,
  ProjectHistory,
  ReadingName,
  StagedViolations,
  VersionText,
} from '../staged.ts'
import type { StoredBody, VersionPoint } from '../stored-body.ts'
import { type ActiveViolationRow, activeColumns, toActiveViolation } from '../stored-violation.ts'
import type { DraftIds } from './draft-ids.ts'
import { type DraftOptions, DraftWriter } from './draft-writer.ts'
import type { DraftedVersion, DraftedViolation } from './drafted-rows.ts'
import { type OpenProject, OpenProjects } from './open-projects.ts'
import { readHistories } from './read-histories.ts'
import {
  addId,
  hasId,
  idsIn,
  type NumberedNotice,
  type UncommittedProject,
  untouchedProject,
} from './uncommitted-project.ts'

/** SQL: ids of violations without an end. SQLite finds them by their own index only where it reads what that has. */
const activeIdsSql = 'SELECT i.id FROM hookdrift.violation i WHERE i.to_run IS NULL AND'

/**
 * Projects of a run being written, as long as the fence holds. New versions, changes and violations are inserted at
 * once, invisible to readers. Ends of rows, and what every run records of every project, are remembered until the
 * commit: a scan that finds nothing new writes nothing before it.
 */
export class SqlScanDraft {
  readonly run: number
  /** What committed runs and people left. */
  readonly past: HistoryReader
  protected readonly db: HistoryDatabase
  protected readonly projects: OpenProjects
  protected readonly writer: DraftWriter
  readonly #ids: DraftIds
  #notices = 0

  constructor(backend: HistoryBackend, { run, fence, ids }: DraftOptions) {
    this.run = run
    this.db = backend.db
    this.past = sqlReader(backend.db)
    this.#ids = ids
    this.projects = new OpenProjects(backend.db, run, ids)
    this.writer = new DraftWriter(backend, { run, fence, ids, projects: this.projects })
  }

  /** The last run before this one that scanned the project. */
  async lastScannedRun(project: ProjectRef): Promise<number | undefined> {
    const { lastScan } = await this.projects.open(project)
    return lastScan ?? undefined
  }

  /** Which of some runs evaluated under the same policy, configuration and tool as this one. */
  async underSameRules(runs: readonly number[]): Promise<ReadonlySet<number>> {
    if (runs.length === 0) return new Set()
    const same = await this.db.column<number>(
      `SELECT b.number FROM hookdrift.run b CROSS JOIN hookdrift.run r
       WHERE b.number = ANY($1) AND r.number = $2 AND b.policy_digest = r.policy_digest
         AND b.configuration_digest = r.configuration_digest AND b.tool_version = r.tool_version`,
      [runs, this.run],
    )
    return new Set(same)
  }

  /**
   * What earlier runs left of some projects, by their names: one read for all of them. `since`: from when changes are
   * wanted (ISO 8601, UTC); undefined: none are.
   */
  async historiesOf(
    projects: readonly ProjectRef[],
    since: string | undefined,
  ): Promise<ReadonlyMap<string, ProjectHistory>> {
    const opened = await this.projects.openAll(projects)
    return this.past.ask((session) => readHistories(session, { run: this.run, projects, opened, since }))
  }

  /**
   * The versions of a project that are valid in runs, this one included, in the order of `points`; undefined where there
   * is none.
   */
  async versionsAt(project: ProjectRef, points: readonly VersionPoint[]): Promise<readonly (StoredBody | undefined)[]> {
    const versions = await readVersionsAt(this.past, project, points)
    // What this draft wrote may be gone because another one began in its place.
    const isMissing = versions.some((version, at) => version === undefined && (points[at]?.run ?? 0) >= this.run)
    if (isMissing) await this.writer.checkFence()
    return versions
  }

  /** Versions of a project that were current before this run. */
  async current(project: ProjectRef): Promise<readonly CurrentVersion[]> {
    const { id, hadVersions } = await this.projects.open(project)
    if (hadVersions === null) return []
    return this.db.all<CurrentVersion>(
      `SELECT v.id, v.kind, v.uid, v.name, v.from_run AS "fromRun", v.digest, r.seal_key_id AS "sealKeyId"
       FROM hookdrift.version v CROSS JOIN hookdrift.run r
       WHERE v.project_id = $1 AND v.to_run IS NULL AND v.from_run < $2 AND r.number = v.from_run
       ORDER BY v.kind, v.uid`,
      [id, this.run],
    )
  }

  /** The texts of some of them, by id. */
  async textsOf(versions: readonly number[]): Promise<ReadonlyMap<number, VersionText>> {
    if (versions.length === 0) return new Map()
    const rows = await this.db.all<VersionText & { readonly id: number }>(
      'SELECT id, body, facts FROM hookdrift.version WHERE id = ANY($1)',
      [versions],
    )
    return new Map(rows.map(({ id, body, facts }) => [id, { body, facts }]))
  }

  /** Writes new versions. One that replaces another ends it. */
  async stage(project: ProjectRef, versions: readonly NewVersion[]): Promise<void> {
    if (versions.length === 0) return
    const { id, state } = await this.projects.open(project)
    const first = await this.#ids.take('version', versions.length)
    const rows = versions.map(
      ({ normaliser, columns, replaces = null, ...version }, at): DraftedVersion => ({
        ...version,
        ...columns,
        id: first + at,
        project_id: id,
        from_run: this.run,
        replaces,
        normal_form_version: normaliser,
      }),
    )
    await this.writer.insert({ version: rows })
    for (const { replaces } of versions) if (replaces !== undefined) addId(state.endedVersions, replaces)
  }

  async stageChanges(project: ProjectRef, changes: readonly StagedChange[]): Promise<void> {
    if (changes.length === 0) return
    const { id } = await this.projects.open(project)
    const rows = changes.map(({ fields, referrers, between, ...change }) => ({
      ...change,
      id: 0,
      run: this.run,
      project_id: id,
      fields: JSON.stringify(fields),
      referrers: referrers ? JSON.stringify(referrers) : null,
      after_at: between?.after ?? null,
      before_at: between?.before ?? null,
    }))
    await this.writer.insert({ change: rows })
  }

  /** Ends versions of a project at this run. */
  async endVersions(project: ProjectRef, versions: readonly number[]): Promise<void> {
    const { state } = await this.projects.open(project)
    for (const id of versions) addId(state.endedVersions, id)
  }

  /** Uids of current subscriptions, by the uid of the source they use. */
  async referrers(project: ProjectRef, sources: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>> {
    if (sources.length === 0) return new Map()
    const { id, state } = await this.projects.open(project)
    const rows = await this.db.all<{ id: number; uid: string; source: string }>(
      `SELECT v.id, v.uid, v.source_uid AS source FROM hookdrift.version v
       WHERE v.project_id = $1 AND v.kind = 'subscription' AND v.to_run IS NULL AND v.source_uid = ANY($3)
         AND NOT EXISTS (SELECT 1 FROM hookdrift.version n WHERE n.project_id = $1 AND n.kind = 'subscription'
           AND n.uid = v.uid AND n.from_run = $2 AND n.id <> v.id)`,
      [id, this.run, sources],
    )
    const current = rows.filter(({ id }) => !hasId(state.endedVersions, id))
    const bySource = Map.groupBy(current, ({ source }) => source)
    return new Map([...bySource].map(([source, users]) => [source, users.map(({ uid }) => uid).sort(compareText)]))
  }

  /** Marks resources as unreferenced and clears the mark of all others of that kind; returns the newly marked uids. */
  async markUnreferenced(project: ProjectRef, kind: Kind, uids: readonly string[]): Promise<readonly string[]> {
    const { id, state } = await this.projects.open(project)
    const before = await this.db.column<string>(
      'SELECT uid FROM hookdrift.unreferenced WHERE project_id = $1 AND kind = $2 AND to_run IS NULL ORDER BY uid',
      [id, kind],
    )
    const marked = new Set(before)
    const unreferenced = new Set(uids)
    const added = [...unreferenced].filter((uid) => !marked.has(uid))
    const removed = [...marked].filter((uid) => !unreferenced.has(uid))
    state.unreferenced[kind] = { added, removed }
    return added
  }

  /** Violations of some resources that were active before this run. */
  async activeViolations(
    project: ProjectRef,
    kind: Kind,
    uids: readonly string[],
  ): Promise<readonly ActiveViolation[]> {
    const { id, hadViolations } = await this.projects.open(project)
    if (hadViolations === null || uids.length === 0) return []
    return this.#read(
      `SELECT ${activeColumns} FROM hookdrift.violation x WHERE x.project_id = $1 AND x.kind = $2 AND x.to_run IS NULL
         AND x.uid = ANY($3) AND x.from_run < $4 ORDER BY x.uid, x.id`,
      [id, kind, uids, this.run],
      toActiveViolation,
    )
  }

  async stageViolations(project: ProjectRef, { confirmed, violations }: StagedViolations): Promise<void> {
    const { id, state } = await this.projects.open(project)
    for (const violation of confirmed) addId(state.confirmed, violation)
    if (violations.length === 0) return
    const rows = violations.map(
      ({ firstRun, lastRun = null, originRun = null, replaces = null, waiver, ...violation }): DraftedViolation => ({
        ...violation,
        id: 0,
        project_id: id,
        from_run: this.run,
        first_run: firstRun ?? this.run,
        last_run: lastRun,
        origin_run: originRun,
        replaces,
        waiver: waiver === undefined ? null : JSON.stringify(waiver),
      }),
    )
    await this.writer.insert({ violation: rows })
    for (const { replaces } of violations) {
      if (replaces === undefined) continue
      addId(state.confirmed, replaces)
      addId(state.replaced, replaces)
    }
  }

  /** Violations of a project that were active before this run and that it neither confirmed nor replaced. */
  async unconfirmedViolations(project: ProjectRef): Promise<readonly ActiveViolation[]> {
    const { id, hadViolations, state } = await this.projects.open(project)
    if (hadViolations === null) return []
    return this.#read(
      `SELECT ${activeColumns} FROM hookdrift.violation x WHERE x.id IN (${activeIdsSql} i.project_id = $1 AND i.from_run < $2)
         AND x.id NOT IN (SELECT unnest($3::bigint[])) ORDER BY x.id`,
      [id, this.run, [...idsIn(state.confirmed)]],
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
      [opened.flatMap(({ id, hadViolations }) => (hadViolations === null ? [] : [id])), this.run, rules],
      ({ project, ...row }: ActiveViolationRow & { readonly project: number }) => {
        return { project, violation: toActiveViolation(row) }
      },
    )
    const byProject = Map.groupBy(rows, ({ project }) => project)
    for (const [at, { id, state }] of opened.entries()) {
      const violations = (byProject.get(id) ?? []).map(({ violation }) => violation)
      const unconfirmed = violations.filter((violation) => !hasId(state.confirmed, violation.id))
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
    const times = Object.entries(before)
    if (times.length === 0) return []
    const isOld = times.map((_, at) => `(x.severity = $${2 * at + 2} AND f.started_at < $${2 * at + 3})`)
    return this.#read(
      `SELECT ${activeColumns}, f.started_at AS first_seen
       FROM hookdrift.violation x LEFT JOIN hookdrift.run f ON f.number = x.first_run
       WHERE x.id IN (${activeIdsSql} i.project_id = $1) AND (${isOld.join(' OR ')})
         AND NOT EXISTS (SELECT 1 FROM hookdrift.violation n WHERE n.replaces = x.id) ORDER BY x.id`,
      [id, ...times.flat()],
      ({ first_seen, ...row }: ActiveViolationRow & { readonly first_seen: string }) => {
        return { ...toActiveViolation(row), first_seen, ending: state.endedViolations[row.id] }
      },
    )
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
    const rows = await this.db.all<StoredAcceptance & { readonly projectId: number; readonly startedAt: string }>(
      `SELECT ${acceptanceColumns}, a.project_id AS "projectId",
         (SELECT started_at FROM hookdrift.run WHERE number = $2) AS "startedAt"
       FROM hookdrift.acceptance a JOIN hookdrift.project p ON p.id = a.project_id
       WHERE a.project_id = ANY($1) AND a.revoked_at IS NULL ORDER BY a.id`,
      [opened.map(({ id }) => id), this.run],
    )
    const byProject = Map.groupBy(rows, ({ projectId }) => projectId)
    for (const [at, { id, state }] of opened.entries()) {
      const rowsOfProject = byProject.get(id)
      if (rowsOfProject === undefined) continue
      const endings = new Map(Object.entries(state.endedAcceptances).map(([id, by]) => [Number(id), by]))
      const acceptances = rowsOfProject.map(({ projectId: _, startedAt, ...row }) =>
        endedBy(toAcceptance(row), endings, startedAt),
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
   * Uids of the removals that were withheld at the last complete or suspect walk of a listing before this run;
   * undefined when none were.
   */
  async previouslyWithheld(project: ProjectRef, listing: Listing): Promise<readonly string[] | undefined> {
    const { id, lastScan } = await this.projects.open(project)
    if (lastScan === null) return undefined
    return this.past.ask(async (session) => {
      const uids = await session.value<string | null>(
        `SELECT h.uids FROM hookdrift.scan s CROSS JOIN hookdrift.walk w LEFT JOIN hookdrift.withheld_removal h
           ON h.project_id = w.project_id AND h.listing = w.listing AND h.run = w.run
         WHERE s.project_id = $1 AND s.run < $3 AND w.run = s.run AND w.project_id = s.project_id AND w.listing = $2
           AND w.status IN ('complete', 'suspect')
         ORDER BY s.run DESC LIMIT 1`,
        [id, listing, this.run],
      )
      return uids === undefined || uids === null ? undefined : JSON.parse(uids)
    })
  }

  /** Records removals that wait for the next scan to confirm them. */
  async withholdRemovals(project: ProjectRef, listing: Listing, uids: readonly string[]): Promise<void> {
    await this.writer.requireFence()
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
    await this.writer.requireFence()
    const { state } = await this.projects.open(project)
    state.readings[name] = body
  }

  /** Stages the scan of a project. The policy is scanned like a project and has no walks. */
  async stageScan(project: ProjectRef): Promise<void> {
    await this.writer.requireFence()
    const { state } = await this.projects.open(project)
    state.scan = project.name
  }

  /**
   * Stages what the walk of a listing proved. The project's scan must be staged before. The last call for a listing
   * counts. `shape`: undefined where it equals the last one.
   */
  async stageWalk(project: ProjectRef, coverage: Coverage, shape: readonly string[] | undefined): Promise<void> {
    await this.writer.requireFence()
    const { state } = await this.projects.open(project)
    if (state.scan === null) throw new Error(`a walk of ${project.name} was staged before its scan`)
    state.walks[coverage.listing] = { ...coverage, shape: shape === undefined ? null : JSON.stringify(shape) }
  }

  /** Stages a notice about a scanned project or one of its listings; `undefined`: about the run. */
  async stageNotice(project: ProjectRef | undefined, notice: ProjectNotice): Promise<void> {
    const numbered = { ...notice, at: this.nextNotice() }
    await this.writer.requireFence()
    if (project === undefined) this.noteOfRun(numbered)
    else (await this.projects.open(project)).state.notices.push(numbered)
  }

  /** Drops all that this run staged, marked, ended, confirmed or noted of a project, except its scan and walks. */
  async discard(project: ProjectRef): Promise<void> {
    const opened = await this.projects.open(project)
    await this.writer.discard(opened.id)
    opened.state = untouchedProject(opened.state)
  }

  /** What is kept of a project until the commit: its rows are in the database. */
  async exportProject(project: ProjectRef): Promise<UncommittedProject> {
    const { state } = await this.projects.open(project)
    // Its row, where it has no other.
    await this.writer.insert()
    await this.writer.checkFence()
    return state
  }

  /** Takes over what another draft of the same run exported, in place of what this one kept of the project. */
  async importProject(project: ProjectRef, state: UncommittedProject): Promise<void> {
    const opened: OpenProject = await this.projects.open(project)
    // Another process inserted its rows.
    this.writer.spoilDigests()
    opened.state = { ...state, notices: state.notices.map((notice) => ({ ...notice, at: this.nextNotice() })) }
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
}
