import type { Database } from 'better-sqlite3'
import { inRanges } from '../../chain/pruned-runs.ts'

/** Whether a run was pruned, according to the checkpoints. */
export function prunedRuns(db: Database): (run: number) => boolean {
  return inRanges(db.prepare<[], string>('SELECT runs FROM checkpoint ORDER BY id').pluck().all())
}
