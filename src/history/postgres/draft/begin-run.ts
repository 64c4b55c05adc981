import type { RunStart } from '../../history.ts'
import { commitSurely } from '../commit-surely.ts'
import type { PostgresDatabase, Session } from '../connect.ts'
import { lockLease, readLease, type SharedProcess, takeLease } from '../lease.ts'
import { closeKilledRuns } from './close-runs.ts'
import { type AcquiredRun, openRunDraft, type PostgresDraft } from './postgres-draft.ts'
import { readOutcome, unknownRun } from './read-outcome.ts'

/**
 * Begins a run, as `History.begin` does.
 * @throws AuditError.busy when another live run owns the lease
 */
export async function beginRun(db: PostgresDatabase, owner: SharedProcess, start: RunStart): Promise<PostgresDraft> {
  return openRunDraft(db, owner, await acquireRun(db, owner, start))
}

/** Takes the lease and makes the row of a run. @throws AuditError.busy as `beginRun` */
export async function acquireRun(
  db: PostgresDatabase,
  owner: SharedProcess,
  start: RunStart,
): Promise<Omit<AcquiredRun, 'ids'>> {
  // Refuses at once where another run lives, without waiting for a transaction that has the lease locked.
  await readLease(db, owner, db.shown)
  return commitSurely<Omit<AcquiredRun, 'ids'>>(db, {
    async work(transaction) {
      const token = await takeLease(transaction, owner, db.shown)
      const interrupted = await closeKilledRuns(transaction, start.startedAt)
      return { run: await insertRun(transaction, start), token, interrupted }
    },
    ...unknownRun,
    // If it is, the lease is this process's.
    async isRecorded(transaction, { run, token }) {
      await lockLease(transaction)
      return (await readOutcome(transaction, run))?.token === token
    },
  })
}

async function insertRun(session: Session, start: RunStart): Promise<number> {
  const number = await session.value<number>(
    `INSERT INTO hookdrift.run (number, state, started_at, fail_on, tool_version, policy_digest, configuration_digest,
       seal_key_id, normal_form_version, version_floor, violation_floor)
     VALUES ((SELECT coalesce(max(number), 0) + 1 FROM hookdrift.run), 'running', $1, $2, $3, $4, $5, $6, $7,
       (SELECT coalesce(max(id), 0) FROM hookdrift.version), (SELECT coalesce(max(id), 0) FROM hookdrift.violation))
     RETURNING number`,
    [
      ...[start.startedAt, start.failOn, start.toolVersion, start.policyDigest, start.configurationDigest],
      ...[start.sealKeyId, start.normaliser],
    ],
  )
  return number ?? 1
}
