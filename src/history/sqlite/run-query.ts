import Database from 'better-sqlite3'
import { AuditError } from '../../model/errors.ts'
import type { Json } from '../../model/json.ts'
import { nearestName } from '../../text/nearest-name.ts'
import { views } from '../views.ts'
import { asHistoryError } from './describe-damage.ts'
import { openUnwritable } from './open-unwritable.ts'

export interface QueryRequest {
  readonly file: string
  readonly sql: string
  /** The most rows to answer with. */
  readonly rows: number
  readonly characters: number
}

export interface QueryAnswer {
  /** As the statement names them; a repeated name gets a number. */
  readonly columns: readonly string[]
  readonly rows: readonly (readonly Json[])[]
  /** Whether there are more rows than the limit. */
  readonly isCut: boolean
}

const allowed = ['SELECT', 'WITH', 'VALUES', 'EXPLAIN']
const viewsAdvice = '`hookdrift query --views` lists the views and their columns'

/**
 * Runs one statement of a user on a read-only connection. SQLite cannot be interrupted: to limit the time, run this in
 * a process that can be killed.
 * @throws AuditError.usage when it is more than one statement, could write or change the connection, is not SQL, or
 *   gives too much
 */
export function runQuery({ file, sql, ...most }: QueryRequest): QueryAnswer {
  const word = firstWord(sql)
  if (word === '') throw refused('it is empty')
  if (!allowed.includes(word)) throw refused(`it begins with ${word}`)
  const db = openUnwritable(file) ?? new Database(file, { readonly: true, timeout: 2_000 })
  try {
    db.pragma('query_only = ON')
    db.pragma('trusted_schema = OFF')
    const statement = db.prepare<[], unknown[]>(sql)
    // EXPLAIN does not run the statement.
    if (!statement.reader || !(statement.readonly || word === 'EXPLAIN')) throw refused('it would write')
    const answered = statement.raw().safeIntegers().iterate()
    const columns = distinctNames(statement.columns().map(({ name }) => name))
    const { rows, isCut } = collect(answered, most)
    return { columns, rows, isCut }
  } catch (error) {
    const isOfSqlite = error instanceof Database.SqliteError
    // The file is damaged; the statement is not the cause.
    if (isOfSqlite && /^SQLITE_(?:CORRUPT|NOTADB|IOERR)/.test(error.code)) throw asHistoryError(error, file)
    if (!isOfSqlite && !(error instanceof RangeError)) throw error
    const { meant = '', advice } = hintFor(error.message, db, sql)
    throw AuditError.usage(`the query failed: ${error.message}${meant}`, { advice, cause: error })
  } finally {
    db.close()
  }
}

function refused(reason: string): AuditError {
  return AuditError.usage(`the query was refused: ${reason}, expected one statement that reads`, {
    advice: `begin with ${allowed.join(', ')}; \`hookdrift query --views\` lists the views`,
  })
}

function collect(answered: Iterable<readonly unknown[]>, most: Pick<QueryRequest, 'rows' | 'characters'>) {
  const rows: (readonly Json[])[] = []
  let characters = 0
  for (const cells of answered) {
    if (rows.length >= most.rows) return { rows, isCut: true }
    const row = cells.map(toJson)
    for (const cell of row) characters += typeof cell === 'string' ? cell.length : 8
    if (characters > most.characters) {
      throw AuditError.usage(`the query was cut: its rows take more than ${most.characters} characters`, {
        advice: 'ask for fewer columns or rows',
      })
    }
    rows.push(row)
  }
  return { rows, isCut: false }
}

/** For a statement that names a view or a column that is not there: what was probably meant, or what there is. */
function hintFor(message: string, db: Database.Database, sql: string): { meant?: string; advice: string } {
  const [, kind, path = ''] = /^no such (table|column): ([\w.]{1,200})$/.exec(message) ?? []
  if (kind === undefined) return { advice: viewsAdvice }
  const name = path.slice(path.lastIndexOf('.') + 1).toLowerCase()
  const words = new Set(sql.toLowerCase().split(/\W/))
  const columnsOf = db
    .prepare<[], [view: string, columns: string]>(
      `SELECT v.name, group_concat(c.name, ', ') FROM sqlite_schema v, pragma_table_info(v.name) c
       WHERE v.type = 'view' GROUP BY v.rowid`,
    )
    .raw()
    .all()
  const named = columnsOf.filter(([view]) => words.has(view))
  const columns = (named.length > 0 ? named : columnsOf).flatMap(([, names]) => names.split(', '))
  const names = kind === 'table' ? Object.keys(views) : columns
  const meant =
    mostAlike(name, names, (each) => each.split('_')) ??
    nearestName(name, names) ??
    (kind === 'table' ? mostAlike(name, names, (view) => views[view]?.split(/\W/) ?? []) : undefined)
  if (meant !== undefined) return { meant: `, did you mean ${meant}?`, advice: viewsAdvice }
  const known =
    kind === 'table' ? [`the views are ${names.join(', ')}`] : named.map(([view, all]) => `${view} has ${all}`)
  return { advice: known.join('; ') || viewsAdvice }
}

/** The first name whose words begin most like those of `name`; undefined where no word does. */
function mostAlike(name: string, names: readonly string[], wordsOf: (name: string) => readonly string[]) {
  const likenesses = names.map((each) => {
    const words = wordsOf(each)
    return name.split('_').reduce((sum, word) => sum + Math.max(...words.map((other) => likeness(word, other))), 0)
  })
  const most = Math.max(...likenesses)
  return most === 0 ? undefined : names[likenesses.indexOf(most)]
}

/** How many letters two words begin with alike, where that is half of both. */
function likeness(a: string, b: string): number {
  let length = 0
  while (length < a.length && a[length] === b[length]) length += 1
  return length >= 3 && length * 2 >= Math.max(a.length, b.length) ? length : 0
}

/** The first word behind blanks and comments, in capitals. */
function firstWord(sql: string): string {
  const rest = sql.replace(/^(?:\s|--[^\n]*(?:\n|$)|\/\*[\s\S]*?\*\/)+/, '')
  return /^[A-Za-z]*/.exec(rest)?.[0].toUpperCase() ?? ''
}

function distinctNames(names: readonly string[]): string[] {
  const taken = new Set<string>()
  return names.map((name) => {
    let uniqueName = name
    for (let number = 2; taken.has(uniqueName); number += 1) uniqueName = `${name}_${number}`
    taken.add(uniqueName)
    return uniqueName
  })
}

function toJson(value: unknown): Json {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : value.toString()
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value)
  if (value instanceof Uint8Array) return `x'${Buffer.from(value).toString('hex')}'`
  return typeof value === 'string' ? value : null
}
