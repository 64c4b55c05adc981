import type { Database } from 'better-sqlite3'
import { canonicalJson } from '../../../model/canonical-json.ts'
import { attributionsToRun, type Checkpoint, carriedDigestOf, linkOf } from '../../chain/links.ts'
import { type ChainVersion, chainVersion, type KnownParts } from '../../chain/parts.ts'
import { partsCarried, partsOfRun, sqlNames } from './digest-rows.ts'

/** Attributes what was written between two runs to the run that is being committed. */
export function attributeToRun(db: Database, run: number): void {
  for (const sql of attributionsToRun(sqlNames)) db.prepare(sql).run({ number: run })
}

/** Links a run that is being committed, with all that it wrote, to the one before it. Returns the link. */
export function appendLink(db: Database, run: number, known: KnownParts): string {
  const previous =
    db
      .prepare<[number], string>(
        "SELECT chain FROM run WHERE number < ? AND state = 'committed' ORDER BY number DESC LIMIT 1",
      )
      .pluck()
      .get(run) ?? null
  const parts = partsOfRun(db, run, chainVersion, known)
  const chain = linkOf(chainVersion, previous, parts)
  const update = db.prepare(
    'UPDATE run SET previous = ?, part_digests = ?, chain = ?, chain_version = ? WHERE number = ?',
  )
  update.run(previous, canonicalJson(parts), chain, chainVersion, run)
  return chain
}

/** Records a digest of all rows that no link covers. The link of the next committed run covers the checkpoint. */
export function makeCheckpoint(db: Database, { madeAt, toolVersion, reason, options, runs }: Checkpoint): void {
  const { lastInsertRowid } = db
    .prepare(
      `INSERT INTO checkpoint (made_at, reason, tool_version, options, runs, chain_version, state_digest)
       VALUES (?, ?, ?, ?, ?, ?, '')`,
    )
    .run(
      madeAt,
      reason,
      toolVersion,
      options === undefined ? null : JSON.stringify(options),
      JSON.stringify(runs),
      chainVersion,
    )
  const id = Number(lastInsertRowid)
  db.prepare('UPDATE checkpoint SET state_digest = ? WHERE id = ?').run(carriedDigest(db, id, chainVersion), id)
}

export function carriedDigest(db: Database, checkpoint: number, version: ChainVersion): string {
  return carriedDigestOf(version, partsCarried(db, checkpoint, version))
}

/** Makes a checkpoint for the runs older than the chain, once, when the first run after them is committed. */
export function carryUnchainedRuns(db: Database, checkpoint: Omit<Checkpoint, 'reason' | 'runs'>): void {
  const isDue = db
    .prepare(
      `SELECT 1 FROM run WHERE state = 'committed' AND chain IS NULL
       AND NOT EXISTS (SELECT 1 FROM checkpoint) LIMIT 1`,
    )
    .get()
  if (isDue !== undefined) makeCheckpoint(db, { ...checkpoint, reason: 'upgrade', runs: [] })
}
