import { type Client, type CustomTypesConfig, DatabaseError, escapeIdentifier, type QueryResult, types } from 'pg'
import Cursor from 'pg-cursor'
import { AuditError } from '../../model/errors.ts'
import type { Json } from '../../model/json.ts'
import { displayNameOf, type PostgresServer } from '../postgres-server.ts'
import {
  columnsByView,
  distinctNames,
  failedQuery,
  largeQuery,
  refusedQuery,
  refuseOtherWords,
  slowQuery,
  type UnknownName,
  unknownInQuery,
  type ViewColumns,
} from '../refused-queries.ts'
import type { QueryAnswer, QueryLimits } from '../upkeep.ts'
import { clientConfig, LoginClient } from './client.ts'
import { decodeText } from './connect.ts'
import { asHistoryError } from './describe-fault.ts'
import { type LoginPowers, powersSql, readerGrants, refusePowers } from './refuse-powers.ts'

interface QuerySession extends LoginPowers {
  readonly process: number
}

/**
 * Runs one statement of a user in a read-only transaction that is rolled back, on a connection of its own.
 * @throws AuditError.usage when it is refused, fails, takes too long or gives too much, or the login may do too much
 */
export async function askDatabase(server: PostgresServer, sql: string, limits: QueryLimits): Promise<QueryAnswer> {
  refuseOtherWords(firstWord(sql))
  if (sql.includes('\0')) throw refusedQuery('it contains NUL')
  const client = new LoginClient(clientConfig(server))
  // A connection that breaks: the statement that waits for it fails.
  client.on('error', () => {})
  try {
    const session = await beginReading(client, server, limits)
    refusePowers(session, server)
    const watch = watchAnswer(client, limits, () => cancelProcess(server, session.process))
    try {
      return await readAnswer(client, sql, limits)
    } catch (error) {
      const unknown = unknownNameIn(error)
      throw (
        (await watch.cut()) ??
        (unknown && unknownInQuery(error, unknown, { sql, columnsOf: await readViews(client, server) })) ??
        describeFault(error, server, limits)
      )
    } finally {
      watch.stop()
      // A pooler keeps the connection, and locks of a session outlive the transaction. One message goes to one session.
      await client.query('ROLLBACK; SELECT pg_advisory_unlock_all()').catch(() => {})
    }
  } finally {
    await client.end().catch(() => {})
  }
}

/** The first word behind blanks and comments, in capitals. PostgreSQL's comments nest, and any line end ends one. */
export function firstWord(sql: string): string {
  let at = 0
  for (;;) {
    blanks.lastIndex = at
    if (blanks.test(sql)) at = blanks.lastIndex
    else if (sql.startsWith('/*', at)) at = endOfComment(sql, at)
    else break
  }
  letters.lastIndex = at
  return letters.exec(sql)?.[0].toUpperCase() ?? ''
}

async function beginReading(client: Client, server: PostgresServer, { timeoutMs }: QueryLimits): Promise<QuerySession> {
  try {
    await client.connect()
    await client.query('BEGIN READ ONLY')
    const { rows } = await client.query<QuerySession>(
      `SELECT pg_backend_pid() AS process, ${powersSql('$3')},
         set_config('search_path', $1, true), set_config('statement_timeout', $2, true)`,
      [escapeIdentifier(server.schema), `${timeoutMs}`, server.schema],
    )
    const [session] = rows
    if (session === undefined) throw new Error('a SELECT without FROM gave no row')
    return session
  } catch (error) {
    throw asHistoryError(error, displayNameOf(server))
  }
}

const rowsAtOnce = 1000

async function readAnswer(client: Client, sql: string, limits: QueryLimits): Promise<QueryAnswer> {
  const cursor = client.query(new Cursor<readonly Json[]>(sql, [], { rowMode: 'array', types: cellTypes }))
  const rows: (readonly Json[])[] = []
  let columns: readonly string[] = []
  let characters = 0
  try {
    for (;;) {
      // One more than allowed shows whether there are more.
      const most = Math.min(rowsAtOnce, limits.rows + 1 - rows.length)
      const { records, fields } = await readCursor(cursor, most)
      columns = fields ?? columns
      for (const row of records) {
        if (rows.length === limits.rows) return { columns, rows, isCut: true }
        for (const cell of row) characters += typeof cell === 'string' ? cell.length : 8
        if (characters > limits.characters) throw largeQuery(limits.characters)
        rows.push(row)
      }
      if (records.length < most) return { columns, rows, isCut: false }
    }
  } finally {
    // Not awaited: a broken connection never answers. The next statement waits for it.
    cursor.close(() => {})
  }
}

interface Piece {
  readonly records: readonly (readonly Json[])[]
  /** The names of the columns; undefined behind the last row. */
  readonly fields: readonly string[] | undefined
}

function readCursor(cursor: Cursor<readonly Json[]>, most: number): Promise<Piece> {
  return new Promise((resolve, reject) => {
    cursor.read(most, (error, records, result?: QueryResult) => {
      if (error) reject(error)
      else resolve({ records, fields: result && distinctNames(result.fields.map(({ name }) => name)) })
    })
  })
}

/** The server stops a statement first, unless the statement itself lifts that limit. */
const graceMs = 500

/** Of a character, on its way from the server. */
const mostBytes = 4

/** Breaks the connection of a query that takes too long, or whose answer takes more memory than it may. */
function watchAnswer(client: Client, { timeoutMs, characters }: QueryLimits, cancel: () => Promise<void>) {
  const { stream } = client.connection
  let reason: AuditError | undefined
  let bytes = 0
  const stopWith = (error: AuditError) => {
    reason ??= error
    stream.destroy()
  }
  const timer = setTimeout(() => stopWith(slowQuery(timeoutMs)), timeoutMs + graceMs)
  const count = (data: Buffer) => {
    bytes += data.length
    if (bytes > characters * mostBytes + 1_000_000) stopWith(largeQuery(characters))
  }
  stream.on('data', count)
  return {
    /** Why the connection was broken, once the server has been asked to stop; undefined where it was not. */
    async cut(): Promise<AuditError | undefined> {
      if (reason !== undefined) await cancel()
      return reason
    },
    stop() {
      clearTimeout(timer)
      stream.off('data', count)
    },
  }
}

/** Ends the statement of another connection of the same login. */
async function cancelProcess(server: PostgresServer, process: number): Promise<void> {
  const client = new LoginClient(clientConfig(server))
  client.on('error', () => {})
  try {
    await client.connect()
    await client.query('SELECT pg_cancel_backend($1)', [process])
  } catch {
    // It ends when it next sends something.
  } finally {
    await client.end().catch(() => {})
  }
}

/** By the codes `undefined_table` and `undefined_column`. */
function unknownNameIn(error: unknown): UnknownName | undefined {
  if (!(error instanceof DatabaseError) || (error.code !== '42P01' && error.code !== '42703')) return undefined
  const { message } = error
  const name = /"([^"]{1,200})"/.exec(message)?.[1] ?? /^column (\S{1,200})/.exec(message)?.[1]
  return name === undefined ? undefined : { kind: error.code === '42P01' ? 'view' : 'column', name }
}

/** The views of the history, after a statement that failed. */
async function readViews(client: Client, { schema }: PostgresServer): Promise<ViewColumns> {
  await client.query('ROLLBACK')
  const { rows } = await client.query<{ view: string; name: string }>(
    `SELECT c.relname AS view, a.attname AS name FROM pg_catalog.pg_class c
     JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid
     WHERE n.nspname = $1 AND c.relkind = 'v' AND a.attnum > 0 ORDER BY c.oid, a.attnum`,
    [schema],
  )
  return columnsByView(rows)
}

function describeFault(error: unknown, server: PostgresServer, { timeoutMs }: QueryLimits): unknown {
  if (!(error instanceof DatabaseError)) return asHistoryError(error, displayNameOf(server))
  const { code = '', message } = error
  if (code === '57014') return slowQuery(timeoutMs)
  if (code === '25006') return refusedQuery('it would write')
  if (code === '42501') {
    const advice = `\`hookdrift query --views\` lists the views; a login for queries needs these rights:\n${readerGrants(server)}`
    return AuditError.usage(`the query failed: ${message}`, { advice, cause: error })
  }
  // The server is in trouble; the statement is not the cause.
  if (/^(?:080|53|57P|58|XX)/.test(code)) return asHistoryError(error, displayNameOf(server))
  return failedQuery(error)
}

/** How the cells of a user's query are read: as those of the SQLite backend, and all else as PostgreSQL's text. */
const cellTypes: CustomTypesConfig = { getTypeParser: (id: number) => parsers[id] ?? decodeText }

const { BOOL, BYTEA, FLOAT4, FLOAT8, INT2, INT4, INT8, NUMERIC, OID, TIMESTAMPTZ } = types.builtins

const parsers: Readonly<Record<number, (text: string) => Json>> = {
  [BOOL]: (text) => text === 't',
  // `\x00ff`
  [BYTEA]: (text) => `x'${text.slice(2)}'`,
  [INT2]: Number,
  [INT4]: Number,
  [OID]: Number,
  [INT8]: toNumber,
  [FLOAT4]: toNumber,
  [FLOAT8]: toNumber,
  [NUMERIC]: toNumber,
  [TIMESTAMPTZ](text) {
    const time = new Date(text)
    return Number.isNaN(time.getTime()) ? text : time.toISOString()
  },
}

/** A text where a double has no such value, or not all digits of a whole number. */
function toNumber(text: string): number | string {
  const number = Number(text)
  return Number.isFinite(number) && (!Number.isInteger(number) || Number.isSafeInteger(number)) ? number : text
}

const blanks = /(?:\s+|--[^\r\n]*)/y
const letters = /[A-Za-z]*/y

function endOfComment(sql: string, start: number): number {
  let depth = 0
  for (const { 0: mark, index } of sql.slice(start).matchAll(/\/\*|\*\//g)) {
    depth += mark === '/*' ? 1 : -1
    if (depth === 0) return start + index + mark.length
  }
  return sql.length
}
