import type { Database } from 'better-sqlite3'
import type { CheckWords } from '../../check-result.ts'
import type { VerificationDepth } from '../../upkeep.ts'

/** One check of `verify`: an invariant of docs/design.md by its number, or the file itself. */
export interface Check extends CheckWords {
  /** Checked at this depth only; undefined: always. */
  readonly depth?: 'deep'
  /** Yields a sentence for each fault. May read the whole history, a row at a time. */
  find(db: Database, depth: VerificationDepth): Iterable<string> | AsyncIterable<string>
}

/** One sentence for each row of a query that selects faults. */
export function* sentences<Row>(db: Database, sql: string, describe: (row: Row) => string): Generator<string> {
  for (const row of db.prepare<[], Row>(sql).iterate()) yield describe(row)
}

/** SQL: whether a column contains anything but a time as hookdrift writes it, such as 2026-11-21T03:01:00.000Z. */
export function isInvalidTime(column: string): string {
  const digits = (count: number) => '[0-9]'.repeat(count)
  const form = `${digits(4)}-${digits(2)}-${digits(2)}T${digits(2)}:${digits(2)}:${digits(2)}.${digits(3)}Z`
  return `(${column} NOT GLOB '${form}' OR datetime(${column}) IS NULL)`
}
