import type { Database } from 'better-sqlite3'
import type { History, RunStart } from '../history.ts'
import { describingDamage } from './describe-damage.ts'
import { openSqliteDraft } from './draft/sqlite-draft.ts'
import { closeKilledRuns, type LocalProcess, readLease, takeLease } from './lease.ts'
import { refuseNetworkFileSystem } from './network-file-system.ts'
import { openDatabase } from './open-database.ts'
import { projectIds } from './rows.ts'
import { readAcceptances, revokeAcceptances, writeAcceptances } from './sqlite-acceptances.ts'
import { readApprovals, readApproved, revokeApprovals, writeApprovals } from './sqlite-approvals.ts'
import { SqliteDatabase } from './sqlite-database.ts'
import { sqliteOutbox } from './sqlite-outbox.ts'
import { sqliteReader } from './sqlite-reader.ts'
import { writeTransaction } from './write-transaction.ts'

/**
 * Opens the history in one SQLite file.
 * @throws AuditError.failure when the file cannot be used
 */
export function openSqliteHistory(file: string, owner: LocalProcess): History {
  refuseNetworkFileSystem(file, owner.mounts?.())
  const db = openDatabase(file, new Date(owner.now()).toISOString(), { owner })
  const database = new SqliteDatabase(db)
  const idOf = projectIds(db)
  /** One transaction, in which no run may live or begin. */
  const writeBetweenRuns = (work: () => void) => {
    writeTransaction(db, () => {
      readLease(db, owner)
      work()
    })
  }
  const history: History = {
    ...sqliteReader(database),
    ...sqliteOutbox(db, owner),
    approvals: async () => readApprovals(db),
    approvedResources: async (approval) => readApproved(db, approval),
    approve: async (approvals) => writeBetweenRuns(() => writeApprovals(db, idOf, approvals)),
    revoke: async (approvals, by) => writeBetweenRuns(() => revokeApprovals(db, approvals, by)),
    acceptances: async () => readAcceptances(db),
    accept: async (acceptances) => writeBetweenRuns(() => writeAcceptances(db, idOf, acceptances)),
    revokeAcceptances: async (acceptances, by) => writeBetweenRuns(() => revokeAcceptances(db, acceptances, by)),
    async begin(start) {
      // Refuses at once where another run lives, without waiting for the write lock.
      readLease(db, owner)
      const lease = writeTransaction(db, () => {
        const token = takeLease(db, owner)
        const interrupted = closeKilledRuns(db, start.startedAt)
        return { run: insertRun(db, start), token, interrupted }
      })
      return describingDamage(openSqliteDraft(database, owner, lease), file)
    },
  }
  return describingDamage(history, file)
}

function insertRun(db: Database, start: RunStart): number {
  const number = db.prepare<[], number>('SELECT ifnull(max(number), 0) + 1 FROM run').pluck().get() ?? 1
  db.prepare(
    `INSERT INTO run (number, state, started_at, fail_on, tool_version, policy_digest, configuration_digest,
                      seal_key_id, normal_form_version, version_floor, violation_floor)
     VALUES (?, 'running', ?, ?, ?, ?, ?, ?, ?, (SELECT ifnull(max(id), 0) FROM version),
             (SELECT ifnull(max(id), 0) FROM violation))`,
  ).run(
    number,
    start.startedAt,
    start.failOn,
    start.toolVersion,
    start.policyDigest,
    start.configurationDigest,
    start.sealKeyId,
    start.normaliser,
  )
  return number
}
