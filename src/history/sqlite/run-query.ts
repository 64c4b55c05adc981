import Database from 'better-sqlite3'
import { AuditError } from '../../model/errors.ts'
import type { Json } from '../../model/json.ts'
import {
  columnsByView,
  distinctNames,
  failedQuery,
  refusedQuery,
  refuseOtherWords,
  type UnknownName,
  unknownInQuery,
  type ViewColumns,
} from '../refused-queries.ts'
import { asHistoryError } from './describe-damage.ts'
import { openUnwritable } from './open-unwritable.ts'

export interface Query {
  /** As the statement names them; a repeated name gets a number. */
  readonly columns: readonly string[]
  readonly rows: Iterable<readonly Json[]>
  close(): void
}

/**
 * Runs one statement of a user on a read-only connection. SQLite cannot be interrupted: to limit the time, run this in
 * a process that can be ended.
 * @throws AuditError.usage when it is more than one statement, could write or change the connection, or is not SQL
 */
export function openQuery(file: string, sql: string): Query {
  refuseOtherWords(firstWord(sql))
  const db = openUnwritable(file) ?? new Database(file, { readonly: true, timeout: 2_000 })
  try {
    db.pragma('query_only = ON')
    db.pragma('trusted_schema = OFF')
    const statement = db.prepare<[], unknown[]>(sql)
    // EXPLAIN does not run the statement.
    if (!statement.reader || !(statement.readonly || firstWord(sql) === 'EXPLAIN')) throw refusedQuery('it would write')
    const rows = statement.raw().safeIntegers().iterate()
    return {
      columns: distinctNames(statement.columns().map(({ name }) => name)),
      rows: readRows(rows, file),
      close: () => db.close(),
    }
  } catch (error) {
    const unknown = unknownNameIn(error)
    const refusal = unknown && unknownInQuery(error, unknown, { sql, columnsOf: readViews(db) })
    db.close()
    throw refusal ?? asRefusal(error, file)
  }
}

function unknownNameIn(error: unknown): UnknownName | undefined {
  const message = error instanceof Database.SqliteError ? error.message : ''
  const [, what, name] = /^no such (table|column): ([\w.]{1,200})$/.exec(message) ?? []
  return name === undefined ? undefined : { kind: what === 'table' ? 'view' : 'column', name }
}

function readViews(db: Database.Database): ViewColumns {
  const rows = db
    .prepare<[], { view: string; name: string }>(
      `SELECT v.name AS "view", c.name FROM sqlite_schema v, pragma_table_info(v.name) c WHERE v.type = 'view' ORDER BY v.rowid, c.cid`,
    )
    .all()
  return columnsByView(rows)
}

function* readRows(rows: Iterable<readonly unknown[]>, file: string): Generator<readonly Json[]> {
  try {
    for (const row of rows) yield row.map(toJson)
  } catch (error) {
    throw asRefusal(error, file)
  }
}

/** The first word behind blanks and comments, in capitals. */
function firstWord(sql: string): string {
  const rest = sql.replace(/^(?:\s|--[^\n]*(?:\n|$)|\/\*[\s\S]*?\*\/)+/, '')
  return /^[A-Za-z]*/.exec(rest)?.[0].toUpperCase() ?? ''
}

function asRefusal(error: unknown, file: string): unknown {
  if (error instanceof AuditError) return error
  // The file is damaged; the statement is not the cause.
  if (error instanceof Database.SqliteError && /^SQLITE_(?:CORRUPT|NOTADB|IOERR)/.test(error.code)) {
    return asHistoryError(error, file)
  }
  if (error instanceof RangeError || error instanceof Database.SqliteError) {
    return failedQuery(error)
  }
  return error
}

function toJson(value: unknown): Json {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : value.toString()
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value)
  if (value instanceof Uint8Array) return `x'${Buffer.from(value).toString('hex')}'`
  return typeof value === 'string' ? value : null
}
