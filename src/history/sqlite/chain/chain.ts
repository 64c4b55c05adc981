import { hash } from 'node:crypto'
import type { Database } from 'better-sqlite3'
import { canonicalJson } from '../../../model/canonical-json.ts'
import { type Parts, partsCarried, partsOfRun } from './parts.ts'

/** The digest of one sealed run and, through the one before it, of all that led to it. */
export function linkOf(previous: string | null, parts: Parts): string {
  return hash('sha256', canonicalJson(['hookdrift.chain/1', previous, parts]))
}

/** Links a run that is being sealed to the one before it, with all that it wrote, and returns the link. */
export function appendLink(db: Database, run: number): string {
  db.prepare('UPDATE checkpoint SET run = ? WHERE run IS NULL').run(run)
  db.prepare('UPDATE approval SET approved_in = ? WHERE approved_in IS NULL').run(run)
  db.prepare('UPDATE approval SET revoked_in = ? WHERE revoked_at IS NOT NULL AND revoked_in IS NULL').run(run)
  const previous =
    db
      .prepare<[number], string>(
        "SELECT chain FROM run WHERE number < ? AND state = 'sealed' ORDER BY number DESC LIMIT 1",
      )
      .pluck()
      .get(run) ?? null
  const parts = partsOfRun(db, run)
  const chain = linkOf(previous, parts)
  db.prepare('UPDATE run SET previous = ?, parts = ?, chain = ? WHERE number = ?').run(
    previous,
    canonicalJson(parts),
    chain,
    run,
  )
  return chain
}

export interface Checkpoint {
  /** ISO 8601, UTC. */
  readonly madeAt: string
  readonly toolVersion: string
  readonly reason: 'upgrade' | 'prune' | 'reseal'
  /** What was to be kept. */
  readonly options?: Readonly<Record<string, number | string>>
  /** First and last of each stretch of runs that were pruned. */
  readonly runs: readonly (readonly [number, number])[]
}

/** Vouches for all that no link covers, as it stands now. The run that is sealed next vouches for the checkpoint. */
export function makeCheckpoint(db: Database, { madeAt, toolVersion, reason, options, runs }: Checkpoint): void {
  const { lastInsertRowid } = db
    .prepare(
      `INSERT INTO checkpoint (made_at, reason, tool_version, options, runs, carried) VALUES (?, ?, ?, ?, ?, '')`,
    )
    .run(madeAt, reason, toolVersion, options === undefined ? null : JSON.stringify(options), JSON.stringify(runs))
  const id = Number(lastInsertRowid)
  db.prepare('UPDATE checkpoint SET carried = ? WHERE id = ?').run(carriedDigest(db, id), id)
}

export function carriedDigest(db: Database, checkpoint: number): string {
  return hash('sha256', canonicalJson(['hookdrift.carried/1', partsCarried(db, checkpoint)]))
}

/** Runs that were sealed before there was a chain are vouched for once, by the first run after them. */
export function carryUnchainedRuns(db: Database, checkpoint: Omit<Checkpoint, 'reason' | 'runs'>): void {
  const isDue = db
    .prepare(
      `SELECT 1 FROM run WHERE state = 'sealed' AND chain IS NULL
       AND NOT EXISTS (SELECT 1 FROM checkpoint) LIMIT 1`,
    )
    .get()
  if (isDue !== undefined) makeCheckpoint(db, { ...checkpoint, reason: 'upgrade', runs: [] })
}
