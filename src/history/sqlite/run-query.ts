import Database from 'better-sqlite3'
import { AuditError, messageOf } from '../../model/errors.ts'
import type { Json } from '../../model/json.ts'
import { asHistoryError } from './tell-damage.ts'

export interface Query {
  /** As the statement names them; one that comes twice gets a number. */
  readonly columns: readonly string[]
  readonly rows: Iterable<readonly Json[]>
  close(): void
}

const allowed = ['SELECT', 'WITH', 'VALUES', 'EXPLAIN'] as const

/**
 * One statement of a person's, on a connection that can only read. Nothing can stop SQLite in the middle of it: whoever
 * has no patience runs it in a process that they can end.
 * @throws AuditError.usage when it is more than one statement, could write or change the connection, or is no SQL
 */
export function openQuery(file: string, sql: string): Query {
  refuseOthers(sql)
  const db = new Database(file, { readonly: true, timeout: 2_000 })
  try {
    db.pragma('query_only = ON')
    db.pragma('trusted_schema = OFF')
    const statement = db.prepare<[], unknown[]>(sql)
    // Explaining a statement that writes runs nothing of it.
    if (!statement.reader || !(statement.readonly || firstWord(sql) === 'EXPLAIN')) throw refusal('it would write')
    const rows = statement.raw().safeIntegers().iterate()
    return {
      columns: distinct(statement.columns().map(({ name }) => name)),
      rows: translated(rows, file),
      close: () => db.close(),
    }
  } catch (error) {
    db.close()
    throw asRefusal(error, file)
  }
}

function* translated(rows: Iterable<readonly unknown[]>, file: string): Generator<readonly Json[]> {
  try {
    for (const row of rows) yield row.map(toJson)
  } catch (error) {
    throw asRefusal(error, file)
  }
}

function refuseOthers(sql: string): void {
  const word = firstWord(sql)
  if (word === '') throw refusal('it is empty')
  if (!allowed.some((each) => each === word)) throw refusal(`it begins with ${word}`)
}

/** The first word behind blanks and comments, in capitals. */
function firstWord(sql: string): string {
  const rest = sql.replace(/^(?:\s|--[^\n]*(?:\n|$)|\/\*[\s\S]*?\*\/)+/, '')
  return /^[A-Za-z]*/.exec(rest)?.[0].toUpperCase() ?? ''
}

function refusal(reason: string): AuditError {
  return AuditError.usage(`the query was refused: ${reason}, expected one statement that reads`, {
    advice: `it begins with ${allowed.join(', ')}; \`hookdrift query --views\` explains what can be asked`,
  })
}

function asRefusal(error: unknown, file: string): unknown {
  if (error instanceof AuditError) return error
  // The file is to blame, and not the statement.
  if (error instanceof Database.SqliteError && /^SQLITE_(?:CORRUPT|NOTADB|IOERR)/.test(error.code)) {
    return asHistoryError(error, file)
  }
  if (error instanceof RangeError || error instanceof Database.SqliteError) {
    return AuditError.usage(`the query failed: ${messageOf(error)}`, {
      advice: '`hookdrift query --views` explains what can be asked',
      cause: error,
    })
  }
  return error
}

function toJson(value: unknown): Json {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : value.toString()
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value)
  if (value instanceof Uint8Array) return `x'${Buffer.from(value).toString('hex')}'`
  return typeof value === 'string' ? value : null
}

function distinct(names: readonly string[]): string[] {
  const taken = new Set<string>()
  return names.map((name) => {
    let own = name
    for (let number = 2; taken.has(own); number += 1) own = `${name}_${number}`
    taken.add(own)
    return own
  })
}
