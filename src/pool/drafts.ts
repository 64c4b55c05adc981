import type { RunStart } from '../history/history.ts'
import type { PostgresDatabase } from '../history/postgres/connect.ts'
import { acquireRun } from '../history/postgres/draft/begin-run.ts'
import { taskFence } from '../history/postgres/draft/draft-fence.ts'
import { blockIds } from '../history/postgres/draft/draft-ids.ts'
import {
  openProjectDraft,
  openRunDraft,
  type PostgresDraft,
  type ProjectDraft,
} from '../history/postgres/draft/postgres-draft.ts'
import { type SharedProcess, successionMs, takeLease } from '../history/postgres/lease.ts'
import type { ProjectRef } from '../model/resource.ts'
import { briefTransaction } from './brief-transaction.ts'
import type { TaskKey } from './tasks.ts'

/** The draft of a run, to which other processes leave what their projects' drafts keep. */
export interface RunDraft extends PostgresDraft {
  /** Of the lease: as long as the lease has it, this process may write. */
  readonly token: number
}

export interface RunDrafts {
  /** @throws AuditError.busy when another live run owns the lease */
  begin(start: RunStart): Promise<RunDraft>
  /** Goes on with a run whose process was lost. @throws AuditError.busy as `begin` */
  adopt(run: number): Promise<RunDraft>
  /** Drafts a project whose task this worker took. */
  ofTask(task: TaskKey & { readonly project: ProjectRef; readonly token: number }): ProjectDraft
}

/** Drafts whose rows get ids that no other process of the run gives out. */
export function openDrafts(db: PostgresDatabase, owner: SharedProcess): RunDrafts {
  const ids = () => blockIds(db)
  return {
    async begin(start) {
      const acquired = await acquireRun(db, owner, start)
      return { ...(await openRunDraft(db, owner, { ...acquired, ids: ids() })), token: acquired.token }
    },
    async adopt(run) {
      const token = await briefTransaction(db, (transaction) => takeLease(transaction, owner, db.shown, successionMs))
      return { ...(await openRunDraft(db, owner, { run, token, interrupted: [], ids: ids() })), token }
    },
    ofTask({ run, projectId, token, project }) {
      const fence = taskFence({ run, projectId, token })
      return openProjectDraft(db, { run, project, fence, ids: ids(), now: owner.now })
    },
  }
}
