import type { Row } from '../table-rows.ts'

export type SqlValue = string | number | boolean | null | readonly (string | number | null)[]

/**
 * Where statements of the history are executed. They are written once, in words that both databases have: tables as
 * `hookdrift.run` in any schema, parameters as `$1`, one among a list as `= ANY($1)`, none of them as
 * `NOT IN (SELECT unnest($1::bigint[]))`, names of columns as `"startedAt"`,
 * types as `$1::text` where PostgreSQL needs them. Where plans differ, `sqlOf` chooses between two texts.
 * Texts may contain every character; bigints are numbers.
 * @throws AuditError by every method: `describe` of its database says which
 */
export interface Session {
  readonly dialect: SqlDialect
  all<Row extends object>(sql: string, values?: readonly SqlValue[]): Promise<Row[]>
  get<Row extends object>(sql: string, values?: readonly SqlValue[]): Promise<Row | undefined>
  /** The only column of the first row; undefined without a row. */
  value<Value>(sql: string, values?: readonly SqlValue[]): Promise<Value | undefined>
  /** Executes a statement, and returns how many rows it touched. */
  /** The only column of every row. */
  column<Value>(sql: string, values?: readonly SqlValue[]): Promise<Value[]>
  run(sql: string, values?: readonly SqlValue[]): Promise<number>
}

export type SqlDialect = 'sqlite' | 'postgres'

/** One transaction on one connection. */
export interface Transaction extends Session {
  /** Hands on one row after the other, and holds some hundreds at most. */
  each<Row extends object>(sql: string, values: readonly SqlValue[], visit: (row: Row) => void): Promise<void>
  /** Inserts rows, however many; `columns` says what their cells are. */
  insert(table: string, columns: readonly string[], rows: Iterable<Row>): Promise<void>
}

/** Whose rows the tables of `migrations/scoped` have. */
export interface ScopedRows {
  /** Ids of the readers' projects. */
  readonly projects: readonly number[]
  /** Ids of lists of services that have one of these. */
  readonly services: readonly number[]
  /** Ids of lists that may have more of them. */
  readonly lists: readonly number[]
  /** Of the projects, and of those of theirs that no run scanned. */
  readonly names: readonly string[]
}

/** A history's database. A statement outside of a transaction is one by itself. */
export interface HistoryDatabase extends Session {
  /** For messages: contains no secret. */
  readonly displayName: string
  /** Runs `work` in a transaction, which is rolled back where it throws. `work` awaits nothing but statements. */
  transaction<Result>(work: (transaction: Transaction) => Promise<Result>): Promise<Result>
  /** Runs `work` on one state of the history. It cannot write. */
  snapshot<Result>(work: (transaction: Transaction) => Promise<Result>): Promise<Result>
  /**
   * The database for readers of some projects. In its snapshots, every table and documented view has the rows that are
   * for them, and what has no such form is not there. `choose` is asked in each of them, of the whole tables.
   */
  scoped(choose: (whole: Session) => Promise<ScopedRows>): Pick<HistoryDatabase, 'snapshot'>
  /** The error to report where the history could not be read or written; other errors, such as bugs, as they are. */
  describe(error: unknown): unknown
  close(): Promise<void>
}

/** The text of a statement whose plan needs other words in each database. */
export function sqlOf({ dialect }: Session, texts: Readonly<Record<SqlDialect, string>>): string {
  return texts[dialect]
}
