import type { Database } from 'better-sqlite3'
import { canonicalJson } from '../../../model/canonical-json.ts'
import { attributionsToRun, type Checkpoint, carriedDigestOf, linkOf } from '../../chain/links.ts'
import type { KnownParts } from '../../chain/parts.ts'
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
  const parts = partsOfRun(db, run, known)
  const chain = linkOf(previous, parts)
  const update = db.prepare('UPDATE run SET previous = ?, part_digests = ?, chain = ? WHERE number = ?')
  update.run(previous, canonicalJson(parts), chain, run)
  return chain
}

/** Records a digest of all rows that no link covers. The link of the next committed run covers the checkpoint. */
export function makeCheckpoint(db: Database, { madeAt, toolVersion, options, runs }: Checkpoint): void {
  const insert = db.prepare(
    "INSERT INTO checkpoint (made_at, tool_version, options, runs, state_digest) VALUES (?, ?, ?, ?, '')",
  )
  const { lastInsertRowid } = insert.run(madeAt, toolVersion, JSON.stringify(options), JSON.stringify(runs))
  const id = Number(lastInsertRowid)
  db.prepare('UPDATE checkpoint SET state_digest = ? WHERE id = ?').run(carriedDigest(db, id), id)
}

export function carriedDigest(db: Database, checkpoint: number): string {
  return carriedDigestOf(partsCarried(db, checkpoint))
}
