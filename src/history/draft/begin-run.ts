import type { RunStart } from '../history.ts'
import type { HistoryBackend } from '../sql/backend.ts'
import type { Session } from '../sql/session.ts'
import { followingIds } from './draft-ids.ts'
import { type AcquiredRun, RunDraft } from './run-draft.ts'
import { closeKilledRuns, readOutcome, unknownRun } from './unfinished-runs.ts'

/**
 * Begins a run, as `History.begin` does.
 * @throws AuditError.busy when another live run owns the lease
 */
export async function beginRun(backend: HistoryBackend, start: RunStart): Promise<RunDraft> {
  return new RunDraft(backend, await acquireRun(backend, start), await followingIds(backend.db))
}

/** Takes the lease and makes the row of a run. @throws AuditError.busy as `beginRun` */
export async function acquireRun(backend: HistoryBackend, start: RunStart): Promise<AcquiredRun> {
  const { lease } = backend
  // At once where another run lives, without waiting for a transaction that writes.
  await lease.refuseOther()
  return backend.commitSurely<AcquiredRun>({
    async work(transaction) {
      const token = await lease.take(transaction)
      const interrupted = await closeKilledRuns(transaction, start.startedAt)
      return { run: await insertRun(transaction, start), token, interrupted }
    },
    subject: unknownRun.subject,
    advice: unknownRun.advice,
    // If it is, the lease is this process's.
    async isRecorded(transaction, { run, token }) {
      await lease.lock(transaction)
      return (await readOutcome(transaction, run))?.token === token
    },
  })
}

async function insertRun(session: Session, start: RunStart): Promise<number> {
  const number = ((await session.value<number | null>('SELECT max(number) FROM hookdrift.run')) ?? 0) + 1
  await session.run(
    `INSERT INTO hookdrift.run (number, state, started_at, fail_on, tool_version, policy_digest, configuration_digest,
       seal_key_id, normal_form_version, version_floor, violation_floor)
     VALUES ($1, 'running', $2, $3, $4, $5, $6, $7, $8,
       (SELECT coalesce(max(id), 0) FROM hookdrift.version), (SELECT coalesce(max(id), 0) FROM hookdrift.violation))`,
    [
      ...[number, start.startedAt, start.failOn, start.toolVersion, start.policyDigest, start.configurationDigest],
      ...[start.sealKeyId, start.normaliser],
    ],
  )
  return number
}
