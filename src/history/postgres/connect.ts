import {
  type CustomTypesConfig,
  escapeIdentifier,
  Pool,
  type PoolClient,
  type PoolConfig,
  type QueryConfig,
  types,
} from 'pg'
import Cursor from 'pg-cursor'
import { displayNameOf, type PostgresServer } from '../postgres-server.ts'
import type { HistoryDatabase, Session, SqlValue, Transaction } from '../sql/session.ts'
import { type CellType, columnType, inBatches, type Row } from '../table-rows.ts'
import { clientConfig, LoginClient } from './client.ts'
import { asHistoryError } from './describe-fault.ts'

export interface PostgresSession extends Session {
  /** Executes statements of another library: its names, values and types are left as they are. */
  foreign(sql: string, values?: unknown[]): Promise<ForeignResult>
}

export interface ForeignResult {
  // biome-ignore lint/suspicious/noExplicitAny: another library reads them, as it declares them
  rows: any[]
}

/** One transaction on one connection. */
export interface PostgresTransaction extends PostgresSession, Transaction {
  /** Reads rows some hundreds at a time. */
  iterate<Row extends object>(sql: string, values?: readonly SqlValue[]): AsyncIterable<Row>
}

export interface PostgresDatabase extends PostgresSession, HistoryDatabase {
  readonly schema: string
  /** Of the options. */
  readonly mostIdleMs: number
  /**
   * Runs `work` in a transaction, which is rolled back where it throws. The server ends it when its process rests in it
   * for longer than `mostIdleMs`.
   */
  transaction<Result>(
    work: (transaction: PostgresTransaction) => Promise<Result>,
    limits?: { readonly mostIdleMs: number },
  ): Promise<Result>
  snapshot<Result>(work: (transaction: PostgresTransaction) => Promise<Result>): Promise<Result>
}

export interface ConnectOptions {
  /** Of the process, at most. */
  readonly connections?: number
  readonly connectTimeoutMs?: number
  /**
   * How long a transaction that has the lease locked may rest between two statements. The server ends it, and frees the lease,
   * where the process is gone and its connection half open.
   */
  readonly mostIdleMs?: number
  /** How long the server may leave a statement without an answer, in milliseconds; longer than any statement takes. */
  readonly mostSilenceMs?: () => number
}

const cursorRows = 500
/** No statement of a run takes so long. */
const mostSilenceMs = 10 * 60_000
/** For upkeep: of a large history, one statement removes or checks very much. */
export const upkeepPatience = { mostSilenceMs: () => 60 * 60_000 } satisfies ConnectOptions
const farewellMs = 2_000
/** Compiling a statement takes longer than our statements gain by it. */
const beginSnapshot = 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL jit = off'

/**
 * Says until the transaction ends whose rows the views of `hookdrift_scoped` have, and takes the role that has no rights
 * on the tables below them, where there is one.
 */
const scopeSql = `SELECT set_config('scope.projects', $1::bigint[]::text, true),
  set_config('scope.services', $2::bigint[]::text, true), set_config('scope.lists', $3::bigint[]::text, true),
  set_config('scope.names', $4::text[]::text, true),
  (SELECT set_config('role', r.rolname, true) FROM pg_roles r WHERE r.oid = to_regrole('hookdrift_scoped')
     AND pg_has_role(r.oid, 'MEMBER') AND has_schema_privilege(r.oid, to_regnamespace('hookdrift_scoped')::oid, 'USAGE'))`

/** Opens no connection: the first statement does. */
export function connect(server: PostgresServer, options: ConnectOptions = {}): PostgresDatabase {
  const displayName = displayNameOf(server)
  const { schema } = server
  const pool = new Pool(poolConfig(server, options))
  // A connection that breaks while it waits: the next statement opens another one.
  pool.on('error', () => {})
  const clients = new Set<LoginClient>()
  pool.on('connect', (client) => clients.add(asLoginClient(client)))
  pool.on('remove', (client) => clients.delete(asLoginClient(client)))
  const silence = endSilence(options.mostSilenceMs ?? (() => mostSilenceMs))
  const inSchema = (sql: string) =>
    schema === 'hookdrift'
      ? sql
      : sql.replaceAll(/\bhookdrift(?=\.)|\bhookdrift_scoped\b/g, (name) =>
          escapeIdentifier(name.replace('hookdrift', schema)),
        )
  const ofReaders = (sql: string) => inSchema(sql.replaceAll('hookdrift.', 'hookdrift_scoped.'))

  const describing = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    try {
      return await work()
    } catch (error) {
      throw asHistoryError(error, displayName)
    }
  }
  /** Works on a connection of its own, which is used again unless it is noted to be broken. */
  const connected = async <Result>(
    work: (client: PoolClient, note: (error: Error) => void) => Promise<Result>,
  ): Promise<Result> => {
    const client = await pool.connect()
    let broken: Error | undefined
    // Without a listener, a connection that breaks between two statements would end the process.
    const note = (error: Error) => {
      broken = error
    }
    client.on('error', note)
    try {
      return await work(client, note)
    } finally {
      client.off('error', note)
      client.release(broken)
    }
  }
  const ask = <Row extends object>(client: PoolClient, statement: string | QueryConfig, values?: unknown[]) =>
    silence.answer(asLoginClient(client), client.query<Row>(statement, values))
  /** `client`: undefined where each statement takes a connection that is free. */
  const sessionOn = (client?: PoolClient, text = inSchema): PostgresSession => {
    const on = <Result>(work: (client: PoolClient) => Promise<Result>) =>
      describing(() => (client === undefined ? connected(work) : work(client)))
    const query = <Row extends object>(sql: string, values: readonly SqlValue[] = []) =>
      on((client) => ask<Row>(client, text(sql), values.map(stored)))
    return {
      dialect: 'postgres',
      all: async (sql, values) => (await query<never>(sql, values)).rows,
      get: async (sql, values) => (await query<never>(sql, values)).rows[0],
      value: async (sql, values) => firstValue((await query<never>(sql, values)).rows[0]),
      column: async (sql, values) => (await query<never>(sql, values)).rows.flatMap(Object.values),
      run: async (sql, values) => (await query(sql, values)).rowCount ?? 0,
      foreign: (sql, values) =>
        on((client) => ask(client, { text: sql, ...(values === undefined ? {} : { values }), types: defaultTypes })),
    }
  }

  async function* iterate<Row extends object>(client: PoolClient, text: string, values: readonly SqlValue[] = []) {
    const cursor = client.query(new Cursor<Row>(text, values.map(stored), { types: parsers }))
    try {
      for (;;) {
        const rows = await describing(() => silence.answer(asLoginClient(client), cursor.read(cursorRows)))
        if (rows.length === 0) return
        yield* rows
      }
    } finally {
      // Not awaited: a broken connection never answers. The next statement waits for it.
      cursor.close(() => {})
    }
  }

  const transactionOn = (client: PoolClient, text = inSchema): PostgresTransaction => {
    const session = sessionOn(client, text)
    return {
      ...session,
      iterate: (sql, values) => iterate(client, text(sql), values),
      async each<Row extends object>(sql: string, values: readonly SqlValue[], visit: (row: Row) => void) {
        for await (const row of iterate<Row>(client, text(sql), values)) visit(row)
      },
      insert: (table, columns, rows) => insertInBatches(session, { table, columns, rows }),
    }
  }

  const onClient = <Result>(begin: string, work: (client: PoolClient) => Promise<Result>) =>
    describing(() =>
      connected(async (client, note) => {
        try {
          await ask(client, begin)
          const result = await work(client)
          const { command } = await ask(client, 'COMMIT')
          // The server answers so, without an error, where a statement failed and its error was caught.
          if (command !== 'COMMIT') throw new Error(`a transaction ended in ${command}`)
          return result
        } catch (error) {
          await ask(client, 'ROLLBACK').catch(note)
          throw error
        }
      }),
    )

  return {
    ...sessionOn(),
    displayName,
    schema,
    mostIdleMs: options.mostIdleMs ?? 60_000,
    transaction: (work, limits) => onClient(beginText(limits), (client) => work(transactionOn(client))),
    snapshot: (work) => onClient(beginSnapshot, (client) => work(transactionOn(client))),
    scoped: (choose) => ({
      snapshot: (work) =>
        onClient(beginSnapshot, async (client) => {
          const whole = sessionOn(client)
          const { projects, services, lists, names } = await choose(whole)
          await whole.run(scopeSql, [projects, services, lists, names])
          return work(transactionOn(client, ofReaders))
        }),
    }),
    describe: (error) => asHistoryError(error, displayName),
    async close() {
      silence.close()
      // A server that hears nothing does not say good-bye.
      const drop = setTimeout(() => {
        for (const client of clients) client.drop()
      }, farewellMs)
      await pool.end()
      clearTimeout(drop)
    },
  }
}

/**
 * A stored text as it was. PostgreSQL has no NUL in texts: U+0001 begins an escape for it and for itself, so that the order
 * of texts and what they begin with stay the same.
 */
function decodeText(stored: string): string {
  if (!stored.includes('\u0001')) return stored
  return stored.replaceAll(/\u0001([\u0001\u0002])/g, (_, code) => (code === '\u0001' ? '\0' : '\u0001'))
}

const arrays = { text: 'text[]', integer: 'bigint[]' } as const satisfies Record<CellType, string>

/** One statement for each batch. */
async function insertInBatches(
  session: PostgresSession,
  {
    table,
    columns,
    rows,
  }: { readonly table: string; readonly columns: readonly string[]; readonly rows: Iterable<Row> },
): Promise<void> {
  const cells = columns.map((column, at) => `$${at + 1}::${arrays[columnType(table, column)]}`)
  const sql = `INSERT INTO hookdrift.${table} (${columns.join(', ')}) SELECT * FROM unnest(${cells.join(', ')})`
  for await (const batch of inBatches(rows)) {
    await session.run(
      sql,
      columns.map((_, at) => batch.map((row) => row[at] ?? null)),
    )
  }
}

/** The pool makes them. */
function asLoginClient(client: PoolClient): LoginClient {
  return client as unknown as LoginClient
}

/** One statement for the server, so that a limit costs no round trip. */
function beginText(limits: { readonly mostIdleMs: number } | undefined): string {
  if (limits === undefined) return 'BEGIN'
  return `BEGIN; SET LOCAL idle_in_transaction_session_timeout = ${limits.mostIdleMs}`
}

function poolConfig(server: PostgresServer, { connections = 8, ...options }: ConnectOptions): PoolConfig {
  // An idle pool must not keep a command alive.
  return {
    ...clientConfig(server, options),
    types: parsers,
    max: connections,
    allowExitOnIdle: true,
    Client: LoginClient,
  }
}

function firstValue<Value>(row: Readonly<Record<string, Value>> | undefined): Value | undefined {
  return row === undefined ? undefined : Object.values(row)[0]
}

const { INT8, TEXT, TIMESTAMPTZ } = types.builtins

const defaultTypes: CustomTypesConfig = { getTypeParser: types.getTypeParser }

/** Of our connections only: another library that uses `pg` keeps the parsers of its own. */
const parsers: CustomTypesConfig = {
  getTypeParser(id: number, format?: 'text' | 'binary') {
    if (format === 'binary') return types.getTypeParser(id, 'binary')
    if (id === INT8) return Number
    if (id === TEXT) return decodeText
    if (id === TIMESTAMPTZ) return (value: string) => new Date(value).toISOString()
    return types.getTypeParser(id)
  },
}

function stored(value: SqlValue): unknown {
  if (typeof value === 'string') return encodeText(value)
  return Array.isArray(value) ? value.map((element) => stored(element)) : value
}

/** A text as it is stored. */
function encodeText(text: string): string {
  return /[\0\u0001]/.test(text)
    ? text.replaceAll(/[\0\u0001]/g, (character) => (character === '\0' ? '\u0001\u0001' : '\u0001\u0002'))
    : text
}

const checkEveryMs = 1_000

/**
 * Ends connections to a server that leaves a statement without an answer for so many milliseconds, which are asked for
 * once a second: a proxy or a network may drop them unsaid. A second or more in which this process itself did nothing
 * counts as one.
 */
function endSilence(mostSilenceMs: () => number) {
  const waiting = new Set<{ readonly client: LoginClient; checks: number }>()
  const timer = setInterval(() => {
    const mostMs = mostSilenceMs()
    for (const wait of waiting) {
      wait.checks += 1
      if (wait.checks * checkEveryMs > mostMs) wait.client.drop(new Error(`no answer for ${mostMs / 1000} s`))
    }
  }, checkEveryMs)
  // What waits for an answer keeps the process alive by its connection.
  timer.unref()
  return {
    /** The answer to a statement on a connection. The connection ends where none comes. */
    async answer<Answer>(client: LoginClient, answer: Promise<Answer>): Promise<Answer> {
      const wait = { client, checks: 0 }
      waiting.add(wait)
      try {
        return await answer
      } finally {
        waiting.delete(wait)
      }
    },
    close: () => clearInterval(timer),
  }
}
