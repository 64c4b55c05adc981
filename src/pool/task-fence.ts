import type { Fence } from '../history/sql/backend.ts'

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
