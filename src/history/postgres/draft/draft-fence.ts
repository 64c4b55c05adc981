import type { SqlValue } from '../../sql/session.ts'

/** What makes a draft its owner's: every statement that writes rows checks it in the same statement. */
export interface Fence {
  /** Selects one row as long as the draft may write. `at`: the number of the first parameter. */
  sql(at: number): string
  readonly values: readonly SqlValue[]
}

/** Of a project of a run, as long as the worker with this token has its task. */
export function taskFence({
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

/** Of a run that owns the lease. */
export function leaseFence(token: number): Fence {
  return { sql: (at) => `SELECT 1 FROM hookdrift.lease WHERE token = $${at}`, values: [token] }
}
