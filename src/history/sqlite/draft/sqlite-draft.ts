import type { Database } from 'better-sqlite3'
import { type ProjectRef, policyProject, projectKey } from '../../../model/resource.ts'
import { readApprovedBodies } from '../../approved-state.ts'
import type { Draft } from '../../history.ts'
import { heartbeatMs, leaseLost } from '../../lease-owner.ts'
import type { RunRecord } from '../../records.ts'
import { readRun } from '../../sql/read-run.ts'
import { completeScansAt } from '../../sql/scans.ts'
import { appendLink, attributeToRun } from '../chain/chain.ts'
import { closeAsInterrupted, type LocalProcess } from '../lease.ts'
import { recordNotifications } from '../record-notifications.ts'
import { prepareApproved } from '../sqlite-approvals.ts'
import type { SqliteDatabase } from '../sqlite-database.ts'
import { versionsAt } from '../state-at.ts'
import { writeTransaction } from '../write-transaction.ts'
import type { DraftAccess } from './draft-access.ts'
import { draftResources } from './draft-resources.ts'
import { draftScans } from './draft-scans.ts'
import { type DraftStatements, prepareStatements } from './draft-statements.ts'
import { draftViolations } from './draft-violations.ts'
import { readHistories } from './read-histories.ts'

interface AcquiredLease {
  readonly run: number
  readonly token: number
  /** Killed runs that were closed. */
  readonly interrupted: readonly number[]
}

/**
 * A run being written. New versions, changes and violations are inserted at once, a transaction a call, with ids above
 * the run's floors and invisible to readers. Ends of rows, and what every run records of every project, are remembered
 * until the commit: a run that finds nothing new writes nothing before it.
 */
export function openSqliteDraft(
  database: SqliteDatabase,
  owner: LocalProcess,
  { run, token, interrupted }: AcquiredLease,
): Draft {
  const db = database.connection
  const sql = prepareStatements(db)
  const approved = prepareApproved(db)
  const projects = draftProjects(run, sql)
  const { idOf } = projects
  const requireLease = () => {
    if (sql.token.get() !== token) throw leaseLost(run, db.name)
  }
  // Every write checks the lease: a process that was paused while another took it, and a page that arrives after the
  // run was given up, must leave no rows.
  const write = <Result>(work: () => Result): Result => {
    try {
      const result = writeTransaction(db, () => {
        requireLease()
        projects.insert()
        return work()
      })
      projects.clear()
      return result
    } catch (error) {
      for (const part of parts) part.spoilDigests()
      throw error
    }
  }
  const access: DraftAccess = {
    run,
    sql,
    idOf,
    requireLease,
    write,
    hadVersions: projects.hadVersions,
    hadViolations: projects.hadViolations,
  }
  const [resources, violations, scans] = [draftResources(access), draftViolations(access), draftScans(access)]
  const parts = [resources, violations, scans]
  const stopHeartbeat = owner.every(heartbeatMs, () => {
    try {
      writeTransaction(db, () => sql.heartbeat.run(new Date(owner.now()).toISOString(), token))
    } catch {
      // The file is locked, full or closed. The next heartbeat or the commit reports it.
    }
  })

  return {
    run,
    interrupted,
    ...resources.methods,
    ...violations.methods,
    ...scans.methods,
    historiesOf: async (asked, since) => readHistories(access, asked, since),
    approved: async (project) => approved.active(idOf(project)),
    lastApproval: async (project) => approved.last(idOf(project)),
    completeScansAt: (project, at) => completeScansAt(database, project, at),
    versionsAt: async (project, points) => versionsAt(db, project, points),
    approvedBodies: (approval, resources) =>
      readApprovedBodies(approval, resources, {
        stored: async (some) => approved.stored(approval.id, some),
        versionsAt: async (project, points) => versionsAt(db, project, points),
      }),
    approvedUids: async (approval, kind) => approved.uids(approval, idOf(approval.project), kind),

    async discard(project) {
      const id = idOf(project)
      write(() => {
        for (const part of parts) part.deleteRows(id)
      })
      for (const part of parts) part.forget(id)
    },

    async commit(finishedAt, exitCodeOf, compose) {
      stopHeartbeat()
      // Every run scans the policy, so it needs a row even if the run stages nothing of it.
      idOf(policyProject)
      // The one commit that must survive a power cut before hookdrift reports on the run.
      db.pragma('synchronous = FULL')
      let committed: RunRecord
      try {
        committed = await database.transaction(async (session) => {
          requireLease()
          projects.insert()
          for (const part of parts) part.finish()
          sql.setCommitted.run(finishedAt, run)
          attributeToRun(db, run)
          const record = await readRun(session, run)
          if (record === undefined) throw new Error(`run ${run} vanished during its commit`)
          sql.setExitCode.run(exitCodeOf(record), run)
          // The link covers the exit code, which follows from the record, and the record contains the link.
          const chain = appendLink(db, run, new Map(parts.flatMap((part) => [...part.digests()])))
          recordNotifications(db, { ...record, chain }, compose)
          sql.release.run(token)
          return { ...record, chain }
        })
      } finally {
        db.pragma('synchronous = NORMAL')
      }
      for (const part of parts) for (const work of part.afterCommit?.() ?? []) writeIfPossible(db, work)
      return committed
    },

    async abandon(finishedAt) {
      stopHeartbeat()
      writeTransaction(db, () => {
        // Another owner of the lease has closed this run already.
        if (sql.token.get() !== token) return
        closeAsInterrupted(db, run, finishedAt)
        sql.release.run(token)
      })
    },
  }
}

/** The run is committed: what cannot be written now is left out, and the next run does without it. */
function writeIfPossible(db: Database, work: () => void): void {
  try {
    writeTransaction(db, work)
  } catch {
    // The file is locked or full.
  }
}

interface DraftProjects {
  /** The id of a project's row. One that is missing gets the next id, and its row with the rows that are staged. */
  idOf(project: ProjectRef): number
  hadVersions(project: number): boolean
  hadViolations(project: number): boolean
  /** Within a transaction. */
  insert(): void
  /** Once the transaction is known to be written. */
  clear(): void
}

/** The projects of a run. No other process adds one while the run owns the lease. */
function draftProjects(run: number, sql: DraftStatements): DraftProjects {
  const ids = new Map<string, number>()
  /** Rows that wait to be inserted, by their id. */
  let waiting = new Map<number, ProjectRef>()
  let last: number | undefined

  const remembering = (find: (project: number) => boolean) => {
    const known = new Map<number, boolean>()
    return (project: number) => {
      const found = known.get(project) ?? find(project)
      known.set(project, found)
      return found
    }
  }

  function makeId(project: ProjectRef): number {
    last = (last ?? sql.lastProject.get() ?? 0) + 1
    waiting.set(last, project)
    return last
  }

  return {
    idOf(project) {
      const key = projectKey(project)
      const id = ids.get(key) ?? sql.findProject.get(project.service, project.uid) ?? makeId(project)
      ids.set(key, id)
      return id
    },
    hadVersions: remembering((project) => !waiting.has(project) && sql.hadVersions.get(project, run) === 1),
    hadViolations: remembering((project) => !waiting.has(project) && sql.hadViolations.get(project, run) === 1),
    insert() {
      for (const [id, { service, uid }] of waiting) sql.insertProject.run(id, service, uid)
    },
    clear() {
      waiting = new Map()
    },
  }
}
