import type { Database } from 'better-sqlite3'

/** One thing that `verify` looks at: an invariant of docs/design.md by its number, or the file itself. */
export interface Check {
  readonly id: string
  /** What holds when nothing is found. */
  readonly holds: string
  /** What a fault means for the person who relies on the history. */
  readonly means: string
  /** Looked at only then; always where nothing is said. */
  readonly depth?: 'deep'
  /** Looks; yields a sentence for each fault. May read the whole history, a row at a time. */
  find(db: Database, depth: Depth): Iterable<string>
}

/** `deep` also looks at what takes long: every run's report, every body for secrets. */
export type Depth = 'plain' | 'deep'

export interface CheckResult {
  readonly id: string
  readonly ok: boolean
  /** What holds; or the faults, the first of them in words. */
  readonly detail: string
  /** Of a check that failed. */
  readonly means?: string
}

/** Sentences from rows: the query gives what is wrong. */
export function* sentences<Row>(db: Database, sql: string, tell: (row: Row) => string): Generator<string> {
  for (const row of db.prepare<[], Row>(sql).iterate()) yield tell(row)
}
