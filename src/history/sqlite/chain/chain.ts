import type { Database } from 'better-sqlite3'
import { canonicalJson } from '../../../model/canonical-json.ts'
import { type DigestedRows, RowsDigest, selectRows } from '../../chain/digested-rows.ts'
import { attributionsToRun, type Checkpoint, carriedDigestOf, linkOf } from '../../chain/links.ts'
import { carriedRows, type KnownParts, type PartRows, type Parts, runRows, type SqlNames } from '../../chain/parts.ts'

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

const sqlNames: SqlNames = { schema: '', number: '@number' }

/** Digests of what a run recorded, as it is now, but for those that are known. */
export function partsOfRun(db: Database, run: number, known: KnownParts = new Map()): Parts {
  return digestsOf(db, runRows(sqlNames), run, known)
}

/** Digests of all that no link covers, as a checkpoint carries them. */
function partsCarried(db: Database, checkpoint: number): Parts {
  return digestsOf(db, carriedRows(sqlNames), checkpoint)
}

function digestsOf(db: Database, parts: PartRows, number: number, known: KnownParts = new Map()): Parts {
  const digests = Object.entries(parts).flatMap(([name, rows]): [string, string][] => {
    const digest = known.has(name) ? known.get(name) : digestRows(db, rows, number)
    return digest === undefined ? [] : [[name, digest]]
  })
  return Object.fromEntries(digests)
}

function digestRows(db: Database, rows: DigestedRows, number: number): string | undefined {
  const { names, sql } = selectRows(rows)
  const digest = new RowsDigest(names)
  for (const row of db.prepare<[{ number: number }], unknown[]>(sql).raw().iterate({ number })) digest.add(row)
  return digest.end()
}
