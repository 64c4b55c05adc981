import type { Database } from 'better-sqlite3'
import { type DigestedRows, RowsDigest, selectRows } from '../../chain/digested-rows.ts'
import { carriedRows, type KnownParts, type PartRows, type Parts, runRows, type SqlNames } from '../../chain/parts.ts'

export const sqlNames: SqlNames = { schema: '', number: '@number' }

/** Digests of what a run recorded, as it is now, but for those that are known. */
export function partsOfRun(db: Database, run: number, known: KnownParts = new Map()): Parts {
  return digestsOf(db, runRows(sqlNames), run, known)
}

/** Digests of all that no link covers, as a checkpoint carries them. */
export function partsCarried(db: Database, checkpoint: number): Parts {
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
