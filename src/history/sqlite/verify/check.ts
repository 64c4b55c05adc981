import type { Database } from 'better-sqlite3'
import type { VerificationDepth } from '../../upkeep.ts'

/** One check of `verify`: an invariant of docs/design.md by its number, or the file itself. */
export interface Check {
  readonly id: string
  /** Printed when there is no fault. */
  readonly invariant: string
  /** What a fault means for the users of the history. */
  readonly means: string
  /** Checked at this depth only; undefined: always. */
  readonly depth?: 'deep'
  /** Yields a sentence for each fault. May read the whole history, a row at a time. */
  find(db: Database, depth: VerificationDepth): Iterable<string>
}

/** One sentence for each row of a query that selects faults. */
export function* sentences<Row>(db: Database, sql: string, describe: (row: Row) => string): Generator<string> {
  for (const row of db.prepare<[], Row>(sql).iterate()) yield describe(row)
}
