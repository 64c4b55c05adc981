import { chunks } from '../../model/chunks.ts'
import type { ExitCode } from '../../model/errors.ts'
import { policyProject } from '../../model/resource.ts'
import { appendLink, attributeToRun } from '../chain/links.ts'
import { leaseLost } from '../lease-owner.ts'
import type { ComposeNotifications } from '../notification-facts.ts'
import { sqlReader } from '../reader.ts'
import type { RunContext, RunRecord, WrittenRun } from '../records.ts'
import type { HistoryBackend } from '../sql/backend.ts'
import { recordOf } from '../sql/read-run.ts'
import { recordNotifications } from '../sql/record-notifications.ts'
import type { Session, Transaction } from '../sql/session.ts'
import type { RunStart } from '../staged.ts'
import type { NumberedNotice } from './drafted-project.ts'
import { makeRows, type RunRows } from './run-rows.ts'
import { type BegunRun, SqlScanDraft } from './scan-draft.ts'
import { closeAsInterrupted, closeKilledRuns, readOutcome, unknownRun } from './unfinished-runs.ts'
import { writeReadings, writeRun } from './write-run.ts'

export interface AcquiredRun extends BegunRun {
  /** Of the lease: as long as the lease has it, this process may write. */
  readonly token: number
  /** Killed runs that were closed. */
  readonly interrupted: readonly number[]
}

interface RunCommit {
  readonly run: number
  readonly record: RunRecord
}

interface CommitParts {
  readonly rows: RunRows
  readonly exitCodeOf: (record: WrittenRun) => ExitCode
  readonly compose: ComposeNotifications | undefined
}

/** Projects whose items are written in one transaction, once the run is committed. */
const writtenTogether = 20

/** A run being written, by the owner of the lease. */
export class RunDraft extends SqlScanDraft {
  /** Killed runs that `begin` closed. */
  readonly interrupted: readonly number[]
  readonly token: number
  readonly #backend: HistoryBackend
  readonly #stopHeartbeat: () => void
  readonly #notices: NumberedNotice[] = []
  #context: RunContext | undefined

  constructor(backend: HistoryBackend, acquired: AcquiredRun) {
    super(backend.db, sqlReader(backend.db), acquired)
    const { token, interrupted } = acquired
    this.#backend = backend
    this.interrupted = interrupted
    this.token = token
    this.#stopHeartbeat = backend.lease.keep(token)
  }

  /** The rules and evaluated projects of the run. Equal contexts are stored once for all runs. */
  async stageContext(context: RunContext): Promise<void> {
    this.#context = context
  }

  /**
   * Makes the run part of the history in one transaction, with the exit code of its record and the messages about it.
   * @throws AuditError.busy when the lease was lost meanwhile: then nothing was written
   */
  async commit(
    finishedAt: string,
    exitCodeOf: (record: WrittenRun) => ExitCode,
    compose?: ComposeNotifications,
  ): Promise<RunRecord> {
    const { db, lease } = this.#backend
    // Every run scans the policy, so it needs a row even if the run stages nothing of it.
    await this.projects.open(policyProject)
    const rows = await makeRows(db, this.run, await this.projects.all())
    this.#stopHeartbeat()
    let isLost = false
    try {
      const { record } = await this.#backend.commitSurely<RunCommit>({
        work: (transaction) => this.#commitWithin(transaction, finishedAt, { rows, exitCodeOf, compose }),
        ...unknownRun,
        isRecorded: async (transaction, { record }) => {
          await lease.lock(transaction)
          const outcome = await readOutcome(transaction, this.run)
          const isCommitted = outcome?.state === 'committed' && outcome.chain === record.chain
          isLost = !isCommitted && outcome?.token !== this.token
          return isCommitted
        },
      })
      for (const batch of chunks(rows.projects, writtenTogether)) {
        // What cannot be written now is left out, and the next run does without it.
        await db.transaction((transaction) => writeReadings(transaction, batch, 'items')).catch(() => {})
      }
      return record
    } catch (error) {
      // One that still owns the lease can be abandoned.
      throw isLost ? this.#lost() : error
    }
  }

  /** Ends the lease and leaves the run as it is, so that another process can go on with it. */
  async release(): Promise<void> {
    this.#stopHeartbeat()
    await this.#backend.lease.release(this.db, this.token)
  }

  /** Records the run as interrupted, after an error where one ended it. */
  async abandon(finishedAt: string, _error?: unknown): Promise<void> {
    const { db, lease } = this.#backend
    this.#stopHeartbeat()
    await db.transaction(async (transaction) => {
      // Another owner of the lease has closed this run already.
      if (!(await lease.isHeld(transaction, this.token))) return
      await closeAsInterrupted(transaction, [this.run], finishedAt)
      await lease.release(transaction, this.token)
    })
  }

  protected override noteOfRun(notice: NumberedNotice): void {
    this.#notices.push(notice)
  }

  async #commitWithin(
    transaction: Transaction,
    finishedAt: string,
    { rows, exitCodeOf, compose }: CommitParts,
  ): Promise<RunCommit> {
    const { lease } = this.#backend
    const { run } = this
    if (!(await lease.isHeld(transaction, this.token))) throw this.#lost()
    await writeRun(transaction, { run, rows, notices: this.#notices, context: this.#context })
    // Results of a pool are part of the run from now on.
    if (transaction.dialect === 'postgres') await transaction.run('DELETE FROM hookdrift.task WHERE run = $1', [run])
    await transaction.run("UPDATE hookdrift.run SET state = 'committed', finished_at = $2 WHERE number = $1", [
      run,
      finishedAt,
    ])
    await attributeToRun(transaction, run)
    const record = await recordOf(transaction, run)
    if (record === undefined) throw new Error(`run ${run} vanished during its commit`)
    await transaction.run('UPDATE hookdrift.run SET exit_code = $2 WHERE number = $1', [run, exitCodeOf(record)])
    // The link covers the exit code, which follows from the record, and the record contains the link.
    const chain = await appendLink(transaction, run, rows.digests)
    await recordNotifications(transaction, { ...record, chain }, compose)
    await lease.release(transaction, this.token)
    return { run, record: { ...record, chain } }
  }

  #lost(): Error {
    return leaseLost(this.run, this.#backend.db.displayName)
  }
}

/**
 * Begins a run, as `History.begin` does.
 * @throws AuditError.busy when another live run owns the lease
 */
export async function beginRun(backend: HistoryBackend, start: RunStart): Promise<RunDraft> {
  return new RunDraft(backend, await acquireRun(backend, start))
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
      const { startedAt, sealKeyId } = start
      return { run: await insertRun(transaction, start), startedAt, sealKeyId, token, interrupted }
    },
    ...unknownRun,
    // If it is, the lease is this process's.
    async isRecorded(transaction, { run, token }) {
      await lease.lock(transaction)
      return (await readOutcome(transaction, run))?.token === token
    },
  })
}

async function insertRun(session: Session, start: RunStart): Promise<number> {
  const number =
    start.number ?? ((await session.value<number | null>('SELECT max(number) FROM hookdrift.run')) ?? 0) + 1
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
