import type { Database } from 'better-sqlite3'
import {
  type BrokenLink,
  checkCheckpoint,
  hasLink,
  type LastCheckpoint,
  type LinkedRun,
  lastCheckpointSql,
  linkChecker,
  linkedRunsSql,
} from '../../chain/check-links.ts'
import { carriedDigest, partsOfRun } from './chain.ts'
import { prunedRuns } from './pruned-runs.ts'

/** Links that do not verify, oldest first; then a checkpoint that does not. */
export function* findBrokenLinks(db: Database): Generator<BrokenLink> {
  const check = linkChecker(prunedRuns(db))
  for (const run of db.prepare<[], LinkedRun>(linkedRunsSql('')).all()) {
    yield* check(run, hasLink(run) ? partsOfRun(db, run.number) : undefined)
  }
  const last = db.prepare<[], LastCheckpoint>(lastCheckpointSql('')).get()
  if (last !== undefined) yield* checkCheckpoint(last, carriedDigest(db, last.id))
}
