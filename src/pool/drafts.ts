import { blockIds, type DraftIds } from '../history/draft/draft-ids.ts'
import { type AcquiredRun, acquireRun, RunDraft } from '../history/draft/run-draft.ts'
import { SqlScanDraft } from '../history/draft/scan-draft.ts'
import type { RunStart } from '../history/history.ts'
import type { PostgresDatabase } from '../history/postgres/connect.ts'
import { type SharedProcess, successionMs } from '../history/postgres/lease.ts'
import { postgresBackend } from '../history/postgres/postgres-backend.ts'
import type { Fence, HistoryBackend } from '../history/sql/backend.ts'
import { AuditError } from '../model/errors.ts'
import { briefTransaction, type TaskKey } from './tasks.ts'

/** The draft of a run to which other processes leave what their projects' drafts keep. */
export class SharedRunDraft extends RunDraft {
  constructor(backend: HistoryBackend, acquired: AcquiredRun, ids: DraftIds) {
    super(backend, acquired, ids)
    // Other processes insert rows of the run, too.
    this.writer.spoilDigests()
  }

  /** The run itself gives nothing up: whether another process can go on is decided by the error. */
  override async abandon(): Promise<void> {}

  /** Records the run as interrupted and removes its other rows. */
  giveUp(finishedAt: string): Promise<void> {
    return super.abandon(finishedAt)
  }
}

export interface RunDrafts {
  /** @throws AuditError.busy when another live run owns the lease */
  begin(start: RunStart): Promise<SharedRunDraft>
  /** Goes on with a run whose process was lost. @throws AuditError.busy as `begin`, and where the run has ended */
  adopt(run: number): Promise<SharedRunDraft>
  /** Drafts a project whose task this worker took. */
  ofTask(task: TaskKey & { readonly token: number }): SqlScanDraft
}

/** Drafts whose rows get ids that no other process of the run gives out. */
export function openDrafts(db: PostgresDatabase, owner: SharedProcess): RunDrafts {
  const backend = postgresBackend(db, owner)
  return {
    begin: async (start) => new SharedRunDraft(backend, await acquireRun(backend, start), blockIds(db)),
    async adopt(run) {
      const { lease } = postgresBackend(db, owner, { expiryMs: successionMs })
      const token = await briefTransaction(db, async (transaction) => {
        const token = await lease.take(transaction)
        // Another process may have closed it since it was read, and a later run may have linked that.
        const state = await transaction.value<string>('SELECT state FROM hookdrift.run WHERE number = $1', [run])
        if (state !== 'running') throw AuditError.busy(`run ${run} was ended by another process`)
        return token
      })
      return new SharedRunDraft(backend, { run, token, interrupted: [] }, blockIds(db))
    },
    ofTask({ run, projectId, token }) {
      return new SqlScanDraft(backend, { run, fence: taskFence({ run, projectId, token }), ids: blockIds(db) })
    },
  }
}

/** Of a project of a run, as long as the worker with this token has its task. */
function taskFence({
  run,
  projectId,
  token,
}: {
  readonly run: number
  readonly projectId: number
  readonly token: number
}): Fence {
  return {
    sql: (at) =>
      `SELECT 1 FROM hookdrift.task WHERE run = $${at} AND project_id = $${at + 1} AND token = $${at + 2} AND state = 'running'`,
    values: [run, projectId, token],
  }
}
