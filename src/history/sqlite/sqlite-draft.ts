import type { Database } from 'better-sqlite3'
import type { Coverage } from '../../model/coverage.ts'
import { AuditError, type ExitCode } from '../../model/errors.ts'
import type { Kind, Listing, ProjectRef } from '../../model/resource.ts'
import type {
  Baselines,
  Draft,
  KnownVersion,
  RunRecord,
  StagedChange,
  StagedPage,
  StagedViolations,
  StandingViolation,
  StoredBody,
  UnseenVersion,
} from '../history.ts'
import { type Holder, heartbeatMs } from '../holder.ts'
import { IdSet } from '../id-set.ts'
import { prepareStatements } from './draft-statements.ts'
import { readRun } from './read-run.ts'
import { type BodyRow, projectIds, toStoredBody } from './rows.ts'
import { closeAsInterrupted } from './sqlite-history.ts'

interface Hold {
  readonly run: number
  readonly token: number
  readonly interrupted: readonly number[]
}

/**
 * A run being written. New rows are inserted at once, with ids above the run's floors and invisible to readers; rows
 * that end are only remembered, and ended in the sealing transaction.
 */
export class SqliteDraft implements Draft {
  readonly run: number
  readonly interrupted: readonly number[]
  readonly #db: Database
  readonly #token: number
  readonly #idOf: (project: ProjectRef) => number
  readonly #sql: ReturnType<typeof prepareStatements>
  readonly #stopHeartbeat: () => void
  readonly #seen = new IdSet()
  readonly #confirmed = new IdSet()
  readonly #endedVersions = new Set<number>()
  readonly #endedViolations: number[] = []
  readonly #unreferenced: { project: number; kind: Kind; uids: readonly string[] }[] = []

  constructor(db: Database, holder: Holder, { run, token, interrupted }: Hold) {
    this.run = run
    this.interrupted = interrupted
    this.#db = db
    this.#token = token
    this.#idOf = projectIds(db)
    this.#sql = prepareStatements(db)
    this.#stopHeartbeat = holder.every(heartbeatMs, () => {
      this.#sql.heartbeat.run(new Date(holder.now()).toISOString(), token)
    })
  }

  async baselines(project: ProjectRef): Promise<Baselines> {
    const id = this.#idOf(project)
    const complete = (listing: Listing) => this.#sql.lastComplete.get(id, listing, this.run)
    const at = (listing: Listing) => {
      const run = complete(listing)
      return run === undefined ? undefined : { run, listing }
    }
    const subscriptions = at('subscriptions')
    // Where sources are not listed, the subscriptions that carry them are the look at them.
    const lifted = this.#sql.lastLifted.get(id, this.run)
    const listed = complete('sources')
    const source =
      lifted !== undefined && lifted > (listed ?? 0)
        ? { run: lifted, listing: 'subscriptions' as const }
        : at('sources')
    const found = { project: at('project'), endpoint: at('endpoints'), subscription: subscriptions, source }
    return Object.fromEntries(
      Object.entries({ ...found, device: subscriptions }).filter(([, baseline]) => baseline !== undefined),
    )
  }

  async lastLook(project: ProjectRef): Promise<number | undefined> {
    return this.#sql.lastLook.get(this.#idOf(project), this.run) ?? undefined
  }

  async lastShape(project: ProjectRef, listing: Listing): Promise<readonly string[] | undefined> {
    const shape = this.#sql.lastShape.get(this.#idOf(project), listing, this.run)
    return shape === undefined ? undefined : JSON.parse(shape)
  }

  async known(project: ProjectRef, kind: Kind, uids: readonly string[]): Promise<ReadonlyMap<string, KnownVersion>> {
    const rows = this.#sql.known.all(this.#idOf(project), kind, JSON.stringify(uids), this.run)
    return new Map(rows.map((row) => [row.uid, row]))
  }

  async bodies(versions: readonly number[]): Promise<ReadonlyMap<number, StoredBody>> {
    const rows = this.#sql.bodies.all(JSON.stringify(versions))
    return new Map(rows.map((row) => [row.id, toStoredBody(row)]))
  }

  async versionAt(project: ProjectRef, kind: Kind, uid: string, run: number): Promise<StoredBody | undefined> {
    const row: BodyRow | undefined = this.#sql.versionAt.get({ project: this.#idOf(project), kind, uid, run })
    return row === undefined ? undefined : toStoredBody(row)
  }

  async stage(project: ProjectRef, { seen, versions }: StagedPage): Promise<void> {
    for (const id of seen) this.#seen.add(id)
    if (versions.length === 0) return
    const id = this.#idOf(project)
    this.#db.transaction(() => {
      for (const { kind, uid, name, digest, body, facts, normaliser, replaces } of versions) {
        const replaced = replaces ?? null
        this.#sql.insertVersion.run(id, kind, uid, this.run, replaced, normaliser, name, digest, body, facts)
        if (replaces !== undefined) this.#seen.add(replaces)
      }
    })()
  }

  async stageChanges(project: ProjectRef, changes: readonly StagedChange[]): Promise<void> {
    if (changes.length === 0) return
    const id = this.#idOf(project)
    this.#db.transaction(() => {
      for (const { kind, uid, name, change, fields, referrers } of changes) {
        const users = referrers === undefined ? null : JSON.stringify(referrers)
        this.#sql.insertChange.run(this.run, id, kind, uid, name, change, JSON.stringify(fields), users)
      }
    })()
  }

  async unseen(project: ProjectRef, kind: Kind): Promise<readonly UnseenVersion[]> {
    const unseen: UnseenVersion[] = []
    for (const row of this.#sql.current.iterate(this.#idOf(project), kind, this.run)) {
      if (!this.#seen.has(row.id)) unseen.push(row)
    }
    return unseen
  }

  async endVersions(versions: readonly number[]): Promise<void> {
    for (const id of versions) this.#endedVersions.add(id)
  }

  async referrers(project: ProjectRef, sources: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>> {
    if (sources.length === 0) return new Map()
    const rows = this.#sql.referrers.all(this.#idOf(project), this.run, JSON.stringify(sources))
    const current = rows.filter(({ id }) => !this.#endedVersions.has(id))
    const bySource = Map.groupBy(current, ({ source }) => source)
    return new Map([...bySource].map(([source, users]) => [source, users.map(({ uid }) => uid)]))
  }

  async markUnreferenced(project: ProjectRef, kind: Kind, uids: readonly string[]): Promise<readonly string[]> {
    const id = this.#idOf(project)
    const marked = new Set(this.#sql.marked.all(id, kind))
    if (uids.length > 0 || marked.size > 0) this.#unreferenced.push({ project: id, kind, uids })
    return uids.filter((uid) => !marked.has(uid))
  }

  async standing(project: ProjectRef, kind: Kind, uids: readonly string[]): Promise<readonly StandingViolation[]> {
    return this.#sql.standing.all(this.#idOf(project), kind, JSON.stringify(uids), this.run)
  }

  async stageViolations(project: ProjectRef, { confirmed, violations }: StagedViolations): Promise<void> {
    for (const id of confirmed) this.#confirmed.add(id)
    if (violations.length === 0) return
    const id = this.#idOf(project)
    this.#db.transaction(() => {
      for (const violation of violations) {
        const { rule, severity, kind, uid, name, path, message, state, firstRun, lastRun, replaces } = violation
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
        )
        if (replaces !== undefined) this.#confirmed.add(replaces)
      }
    })()
  }

  async unconfirmed(project: ProjectRef): Promise<readonly StandingViolation[]> {
    const unconfirmed: StandingViolation[] = []
    for (const row of this.#sql.standingOfProject.iterate(this.#idOf(project), this.run)) {
      if (!this.#confirmed.has(row.id)) unconfirmed.push(row)
    }
    return unconfirmed
  }

  async endViolations(violations: readonly number[]): Promise<void> {
    this.#endedViolations.push(...violations)
  }

  async stageWalk(project: ProjectRef, coverage: Coverage, shape: readonly string[] | undefined): Promise<void> {
    this.#sql.insertWalk.run({
      ...coverage,
      projectId: this.#idOf(project),
      project: project.name,
      run: this.run,
      shape: shape === undefined ? null : JSON.stringify(shape),
    })
  }

  async stageNotice(project: ProjectRef, listing: Listing, text: string): Promise<void> {
    this.#sql.insertNotice.run(this.run, this.#idOf(project), listing, text)
  }

  async discard(project: ProjectRef): Promise<void> {
    const id = this.#idOf(project)
    this.#db.transaction(() => {
      this.#sql.discardVersions.run(id, this.run)
      this.#sql.discardChanges.run(id, this.run)
      this.#sql.discardViolations.run(id, this.run)
    })()
    for (const { id: violation } of this.#sql.standingOfProject.iterate(id, this.run)) this.#confirmed.delete(violation)
  }

  async seal(finishedAt: string, exitCodeOf: (record: RunRecord) => ExitCode): Promise<RunRecord> {
    this.#stopHeartbeat()
    // The one commit that must survive a power cut before anything is said about the run.
    this.#db.pragma('synchronous = FULL')
    try {
      return this.#db
        .transaction(() => {
          if (this.#sql.token.get() !== this.#token) {
            throw new AuditError(5, `run ${this.run} lost its lease to another process and was not sealed`, {
              advice: 'the machine was paused for too long; the next run looks again',
            })
          }
          this.#endRows()
          this.#db
            .prepare("UPDATE run SET state = 'sealed', finished_at = ? WHERE number = ?")
            .run(finishedAt, this.run)
          const record = readRun(this.#db, this.run)
          if (record === undefined) throw new Error(`run ${this.run} vanished while it was sealed`)
          this.#db.prepare('UPDATE run SET exit_code = ? WHERE number = ?').run(exitCodeOf(record), this.run)
          this.#sql.release.run(this.#token)
          return record
        })
        .immediate()
    } finally {
      this.#db.pragma('synchronous = NORMAL')
    }
  }

  async abandon(finishedAt: string): Promise<void> {
    this.#stopHeartbeat()
    this.#db
      .transaction(() => {
        if (this.#sql.token.get() !== this.#token) return
        closeAsInterrupted(this.#db, this.run, finishedAt)
        this.#sql.release.run(this.#token)
      })
      .immediate()
  }

  #endRows(): void {
    this.#sql.endReplaced.run(this.run, this.run)
    this.#sql.endReplacedViolations.run(this.run, this.run)
    for (const id of this.#endedVersions) this.#sql.endVersion.run(this.run, id)
    for (const id of this.#endedViolations) this.#sql.endViolation.run(this.run, id)
    for (const { project, kind, uids } of this.#unreferenced) {
      const list = JSON.stringify(uids)
      this.#sql.unmark.run(this.run, project, kind, list)
      this.#sql.mark.run(project, kind, this.run, list)
    }
  }
}
