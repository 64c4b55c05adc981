import { hash } from 'node:crypto'
import type { Database } from 'better-sqlite3'
import { canonicalJson } from '../../model/canonical-json.ts'
import type { Coverage } from '../../model/coverage.ts'
import type { ExitCode } from '../../model/errors.ts'
import type { Json } from '../../model/json.ts'
import type { ProjectNotice } from '../../model/notice.ts'
import { type Kind, type Listing, type ProjectRef, policyProject } from '../../model/resource.ts'
import type { Approval, ApprovedBody } from '../approvals.ts'
import { deriveCompleteScans } from '../derive-complete-scans.ts'
import {
  type ActiveViolation,
  type Draft,
  type KnownVersion,
  type Modification,
  type StagedPage,
  type StagedViolations,
  type StoredBody,
  type UnseenVersion,
  unscanned,
} from '../history.ts'
import { heartbeatMs, type LeaseOwner, leaseLost } from '../lease-owner.ts'
import type { ComposeNotifications } from '../notification-facts.ts'
import type { CompleteScans, RunContext, RunRecord, StagedChange } from '../records.ts'
import { compareText } from '../report-order.ts'
import { toStoredBody } from '../stored-body.ts'
import { appendLink, carryUnchainedRuns } from './chain/chain.ts'
import { closeAsInterrupted } from './close-as-interrupted.ts'
import { prepareStatements } from './draft-statements.ts'
import { IdSet } from './id-set.ts'
import { readRun } from './read-run.ts'
import { recordNotifications } from './record-notifications.ts'
import { projectIds, toActiveViolation } from './rows.ts'
import { prepareApproved } from './sqlite-approvals.ts'
import { writeTransaction } from './write-transaction.ts'

interface AcquiredLease {
  readonly run: number
  readonly token: number
  readonly interrupted: readonly number[]
}

interface WalkRow extends Coverage {
  readonly projectId: number
  readonly run: number
  readonly shape: string | null
}

/** What the seal does to the unreferenced marks of a project and kind. */
interface Marks {
  readonly project: number
  readonly kind: Kind
  readonly set: readonly string[]
  readonly taken: readonly string[]
}

/**
 * A run being written. New versions, changes and violations are inserted at once, with ids above the run's floors and
 * invisible to readers. Rows that end, and what every run says of every project, are only remembered until the sealing
 * transaction: a run that finds nothing new writes nothing before it.
 */
export class SqliteDraft implements Draft {
  readonly run: number
  readonly interrupted: readonly number[]
  readonly #db: Database
  readonly #token: number
  readonly #idOf: (project: ProjectRef) => number
  readonly #sql: ReturnType<typeof prepareStatements>
  readonly #approved: ReturnType<typeof prepareApproved>
  readonly #stopHeartbeat: () => void
  readonly #seen = new IdSet()
  readonly #confirmed = new IdSet()
  readonly #endedVersions = new Set<number>()
  readonly #endedViolations = new Set<number>()
  readonly #marks = new Map<string, Marks>()
  /** Names of projects by id. */
  readonly #scans = new Map<number, string>()
  /** By project and listing. */
  readonly #walks = new Map<string, WalkRow>()
  #notices: (ProjectNotice & { readonly projectId: number | null })[] = []
  #context: RunContext | undefined

  constructor(db: Database, owner: LeaseOwner, { run, token, interrupted }: AcquiredLease) {
    this.run = run
    this.interrupted = interrupted
    this.#db = db
    this.#token = token
    this.#idOf = projectIds(db)
    this.#sql = prepareStatements(db)
    this.#approved = prepareApproved(db)
    this.#stopHeartbeat = owner.every(heartbeatMs, () => {
      try {
        writeTransaction(db, () => this.#sql.heartbeat.run(new Date(owner.now()).toISOString(), token))
      } catch {
        // A missed beat, because the file is locked or full or was closed. The next one, or the seal, will tell.
      }
    })
  }

  async lastCompleteScans(project: ProjectRef): Promise<CompleteScans> {
    const id = this.#idOf(project)
    return deriveCompleteScans({
      lastComplete: (listing) => this.#sql.lastComplete.get(id, listing, this.run),
      lastLifted: () => this.#sql.lastLifted.get(id, this.run),
      normaliserOf: (run) => this.#sql.normaliserOf.get(run) ?? undefined,
    })
  }

  async lastScannedRun(project: ProjectRef): Promise<number | undefined> {
    return this.#sql.lastScan.get(this.#idOf(project), this.run) ?? undefined
  }

  async previouslyWithheld(project: ProjectRef, listing: Listing): Promise<readonly string[] | undefined> {
    const uids = this.#sql.previouslyWithheld.get(this.#idOf(project), listing, this.run)
    return uids === undefined || uids === null ? undefined : JSON.parse(uids)
  }

  async lastShape(project: ProjectRef, listing: Listing): Promise<readonly string[] | undefined> {
    const shape = this.#sql.lastShape.get(this.#idOf(project), listing, this.run)
    return shape === undefined ? undefined : JSON.parse(shape)
  }

  async known(project: ProjectRef, kind: Kind, uids: readonly string[]): Promise<ReadonlyMap<string, KnownVersion>> {
    const rows = this.#sql.known.all({
      project: this.#idOf(project),
      kind,
      uids: JSON.stringify(uids),
      run: this.run,
    })
    return new Map(rows.map((row) => [row.uid, row]))
  }

  async bodies(versions: readonly number[]): Promise<ReadonlyMap<number, StoredBody>> {
    const rows = this.#sql.bodies.all(JSON.stringify(versions))
    return new Map(rows.map((row) => [row.id, toStoredBody(row)]))
  }

  async versionAt(project: ProjectRef, kind: Kind, uid: string, run: number): Promise<StoredBody | undefined> {
    const row = this.#sql.versionAt.get({ project: this.#idOf(project), kind, uid, run })
    return row === undefined ? undefined : toStoredBody(row)
  }

  async approved(project: ProjectRef): Promise<Approval | undefined> {
    return this.#approved.holds(this.#idOf(project))
  }

  async approvedBody(approval: Approval, kind: Kind, uid: string): Promise<ApprovedBody | undefined> {
    if (approval.run !== undefined) return this.versionAt(approval.project, kind, uid, approval.run)
    return this.#approved.imported(approval.id, kind, uid)
  }

  async approvedUids(approval: Approval, kind: Kind): Promise<readonly string[]> {
    return this.#approved.uids(approval, this.#idOf(approval.project), kind)
  }

  async modifiedSince(project: ProjectRef, time: string): Promise<readonly Modification[]> {
    const rows = this.#sql.modifiedSince.all({ project: this.#idOf(project), time, run: this.run })
    return rows.map(({ paths, ...row }) => ({ ...row, paths: JSON.parse(paths) }))
  }

  async stage(project: ProjectRef, { seen, versions }: StagedPage): Promise<void> {
    for (const id of seen) this.#seen.add(id)
    if (versions.length === 0) return
    const id = this.#idOf(project)
    this.#write(() => {
      for (const { kind, uid, name, digest, body, facts, normaliser, replaces } of versions) {
        const replaced = replaces ?? null
        this.#sql.insertVersion.run(id, kind, uid, this.run, replaced, normaliser, name, digest, body, facts)
        if (replaces !== undefined) this.#seen.add(replaces)
      }
    })
  }

  async stageChanges(project: ProjectRef, changes: readonly StagedChange[]): Promise<void> {
    if (changes.length === 0) return
    const id = this.#idOf(project)
    this.#write(() => {
      for (const { kind, uid, name, change, fields, referrers } of changes) {
        const users = referrers === undefined ? null : JSON.stringify(referrers)
        this.#sql.insertChange.run(this.run, id, kind, uid, name, change, JSON.stringify(fields), users)
      }
    })
  }

  async unseen(project: ProjectRef, kind: Kind): Promise<readonly UnseenVersion[]> {
    const unseen: number[] = []
    for (const id of this.#sql.current.iterate(this.#idOf(project), kind, this.run)) {
      if (!this.#seen.has(id)) unseen.push(id)
    }
    return unseen.flatMap((id) => this.#sql.unseen.all(id))
  }

  async endVersions(versions: readonly number[]): Promise<void> {
    for (const id of versions) this.#endedVersions.add(id)
  }

  async referrers(project: ProjectRef, sources: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>> {
    if (sources.length === 0) return new Map()
    const list = JSON.stringify(sources.map((source) => JSON.stringify(source)))
    const rows = this.#sql.referrers.all({ project: this.#idOf(project), run: this.run, sources: list })
    const current = rows.filter(({ id }) => !this.#endedVersions.has(id))
    // The uid as canonical JSON, which we wrote ourselves.
    const bySource = Map.groupBy(current, ({ source }) => JSON.parse(source) as string)
    return new Map([...bySource].map(([source, users]) => [source, users.map(({ uid }) => uid).sort(compareText)]))
  }

  async markUnreferenced(project: ProjectRef, kind: Kind, uids: readonly string[]): Promise<readonly string[]> {
    const id = this.#idOf(project)
    const marked = new Set(this.#sql.marked.all(id, kind))
    const unreferenced = new Set(uids)
    const set = [...unreferenced].filter((uid) => !marked.has(uid))
    const taken = [...marked].filter((uid) => !unreferenced.has(uid))
    this.#marks.set(`${id} ${kind}`, { project: id, kind, set, taken })
    return set
  }

  async activeViolations(
    project: ProjectRef,
    kind: Kind,
    uids: readonly string[],
  ): Promise<readonly ActiveViolation[]> {
    return this.#sql.standing.all(this.#idOf(project), kind, JSON.stringify(uids), this.run).map(toActiveViolation)
  }

  async stageViolations(project: ProjectRef, { confirmed, violations }: StagedViolations): Promise<void> {
    for (const id of confirmed) this.#confirmed.add(id)
    if (violations.length === 0) return
    const id = this.#idOf(project)
    this.#write(() => {
      for (const violation of violations) {
        const { rule, severity, kind, uid, name, path, message, state, waiver, firstRun, lastRun, replaces } = violation
        this.#sql.insertViolation.run(
          violation.fingerprint,
          id,
          kind,
          uid,
          rule,
          path,
          state,
          severity,
          name,
          message,
          this.run,
          firstRun ?? this.run,
          lastRun ?? null,
          replaces ?? null,
          waiver === undefined ? null : JSON.stringify(waiver),
        )
        if (replaces !== undefined) this.#confirmed.add(replaces)
      }
    })
  }

  async unconfirmedViolations(project: ProjectRef): Promise<readonly ActiveViolation[]> {
    const unconfirmed: ActiveViolation[] = []
    for (const row of this.#sql.standingOfProject.iterate(this.#idOf(project), this.run)) {
      if (!this.#confirmed.has(row.id)) unconfirmed.push(toActiveViolation(row))
    }
    return unconfirmed
  }

  async unconfirmedBy(
    rules: readonly string[],
    projects: readonly ProjectRef[],
  ): Promise<ReadonlyMap<string, readonly ActiveViolation[]>> {
    const found = new Map<string, readonly ActiveViolation[]>()
    if (rules.length === 0) return found
    const wanted = JSON.stringify(rules)
    for (const project of projects) {
      const rows = this.#sql.standingByRule.all(this.#idOf(project), this.run, wanted)
      const ofProject = rows.filter(({ id }) => !this.#confirmed.has(id))
      if (ofProject.length > 0) found.set(project.name, ofProject.map(toActiveViolation))
    }
    return found
  }

  async endViolations(violations: readonly number[]): Promise<void> {
    for (const id of violations) this.#endedViolations.add(id)
  }

  async stageScan(project: ProjectRef): Promise<void> {
    this.#requireLease()
    this.#scans.set(this.#idOf(project), project.name)
  }

  async stageWalk(project: ProjectRef, coverage: Coverage, shape: readonly string[] | undefined): Promise<void> {
    this.#requireLease()
    const projectId = this.#idOf(project)
    if (!this.#scans.has(projectId)) throw unscanned(project)
    const shown = shape === undefined ? null : JSON.stringify(shape)
    const walk = { ...coverage, projectId, run: this.run, shape: shown }
    this.#walks.set(`${projectId} ${coverage.listing}`, walk)
  }

  async stageNotice(project: ProjectRef | undefined, notice: ProjectNotice): Promise<void> {
    this.#requireLease()
    this.#notices.push({ ...notice, projectId: project === undefined ? null : this.#idOf(project) })
  }

  async stageContext(context: RunContext): Promise<void> {
    this.#context = context
  }

  async withholdRemovals(project: ProjectRef, listing: Listing, uids: readonly string[]): Promise<void> {
    const id = this.#idOf(project)
    this.#write(() => this.#sql.hold.run(id, listing, this.run, JSON.stringify(uids)))
  }

  async discard(project: ProjectRef): Promise<void> {
    const id = this.#idOf(project)
    this.#write(() => {
      this.#sql.discardVersions.run(id, this.run)
      this.#sql.discardChanges.run(id, this.run)
      this.#sql.discardViolations.run(id, this.run)
      this.#sql.discardHeld.run(id, this.run)
    })
    this.#notices = this.#notices.filter(({ projectId }) => projectId !== id)
    for (const version of this.#sql.currentIds.iterate(id, this.run)) {
      this.#seen.delete(version)
      this.#endedVersions.delete(version)
    }
    for (const { id: violation } of this.#sql.standingOfProject.iterate(id, this.run)) {
      this.#confirmed.delete(violation)
      this.#endedViolations.delete(violation)
    }
    for (const [key, marks] of this.#marks) if (marks.project === id) this.#marks.delete(key)
  }

  async commit(
    finishedAt: string,
    exitCodeOf: (record: RunRecord) => ExitCode,
    tell?: ComposeNotifications,
  ): Promise<RunRecord> {
    this.#stopHeartbeat()
    // The one commit that must survive a power cut before anything is said about the run.
    this.#db.pragma('synchronous = FULL')
    try {
      return this.#write(() => {
        // Every run looks at the policy, whether or not there is something to say of it.
        this.#idOf(policyProject)
        carryUnchainedRuns(this.#db, { madeAt: finishedAt, toolVersion: this.#toolVersion() })
        this.#endRows()
        for (const [project, name] of this.#scans) this.#sql.insertScan.run(project, this.run, name)
        for (const walk of this.#walks.values()) this.#sql.insertWalk.run(walk)
        for (const [at, { code, projectId, listing, text }] of this.#notices.entries()) {
          this.#sql.insertNotice.run(this.run, at + 1, code, projectId, listing, text)
        }
        this.#keepContext()
        this.#db
          .prepare("UPDATE run SET state = 'committed', finished_at = ? WHERE number = ?")
          .run(finishedAt, this.run)
        const record = readRun(this.#db, this.run)
        if (record === undefined) throw new Error(`run ${this.run} vanished while it was sealed`)
        this.#db.prepare('UPDATE run SET exit_code = ? WHERE number = ?').run(exitCodeOf(record), this.run)
        // The exit code is in the link, the record gives the exit code, and the link is in the record.
        const chain = appendLink(this.#db, this.run)
        recordNotifications(this.#db, { ...record, chain }, tell)
        this.#sql.release.run(this.#token)
        return { ...record, chain }
      })
    } finally {
      this.#db.pragma('synchronous = NORMAL')
    }
  }

  async abandon(finishedAt: string): Promise<void> {
    this.#stopHeartbeat()
    writeTransaction(this.#db, () => {
      // Whoever took the lease has closed this run.
      if (this.#sql.token.get() !== this.#token) return
      closeAsInterrupted(this.#db, this.run, finishedAt)
      this.#sql.release.run(this.#token)
    })
  }

  /**
   * All writing goes through here: a holder that was paused while another took its lease, and a page that arrives
   * after the run was given up, must leave no rows behind.
   */
  #write<Result>(work: () => Result): Result {
    return writeTransaction(this.#db, () => {
      this.#requireLease()
      return work()
    })
  }

  #requireLease(): void {
    if (this.#sql.token.get() !== this.#token) throw leaseLost(this.run, this.#db.name)
  }

  #toolVersion(): string {
    const version = this.#db.prepare<[number], string>('SELECT tool_version FROM run WHERE number = ?').pluck()
    return version.get(this.run) ?? ''
  }

  #keepContext(): void {
    if (this.#context === undefined) return
    const keep = (value: Json): string => {
      const body = canonicalJson(value)
      const sha256 = hash('sha256', body)
      this.#sql.insertDocument.run(sha256, body)
      return sha256
    }
    const { rules, projects } = this.#context
    // Both are JSON by their types, which interfaces do not tell the compiler.
    this.#sql.nameDocuments.run(keep(rules as unknown as Json), keep(projects as unknown as Json), this.run)
  }

  #endRows(): void {
    this.#sql.endReplaced.run(this.run, this.run)
    this.#sql.endReplacedViolations.run(this.run, this.run)
    for (const id of this.#endedVersions) this.#sql.endVersion.run(this.run, id)
    for (const id of this.#endedViolations) this.#sql.endViolation.run(this.run, id)
    for (const { project, kind, set, taken } of this.#marks.values()) {
      for (const uid of taken) this.#sql.unmark.run(this.run, project, kind, uid)
      for (const uid of set) this.#sql.mark.run(project, kind, uid, this.run)
    }
  }
}
