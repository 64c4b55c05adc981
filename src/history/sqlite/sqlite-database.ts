import type { Database, Statement } from 'better-sqlite3'
import type { HistoryDatabase, ScopedRows, Session, SqlValue, Transaction } from '../sql/session.ts'
import type { Row } from '../table-rows.ts'
import { asHistoryError } from './describe-damage.ts'
import { openScoped } from './open-scoped.ts'
import { fileOf } from './open-unwritable.ts'
import { refuseAltered } from './schema.ts'

type Bindable = string | number | null

interface BoundStatement {
  readonly statement: Statement<Bindable[]>
  /** Which value each mark of the statement is. */
  readonly valueIndexes: readonly number[]
}

/** Statements over one connection to a file, each prepared once. All of them are answered at once. */
class SqliteStatements implements Transaction {
  readonly dialect = 'sqlite'
  readonly displayName: string
  /** For what SQLite alone has: pragmas, back-up, the lease. */
  readonly connection: Database
  readonly #prepared: Map<string, BoundStatement>

  constructor(connection: Database, displayName: string, prepared: Map<string, BoundStatement>) {
    this.connection = connection
    this.displayName = displayName
    this.#prepared = prepared
  }

  async all<Row extends object>(sql: string, values: readonly SqlValue[] = []): Promise<Row[]> {
    return this.#ask(sql, values, (statement, bound) => statement.all(...bound)) as Row[]
  }

  async get<Row extends object>(sql: string, values: readonly SqlValue[] = []): Promise<Row | undefined> {
    return this.#ask(sql, values, (statement, bound) => statement.get(...bound)) as Row | undefined
  }

  async value<Value>(sql: string, values: readonly SqlValue[] = []): Promise<Value | undefined> {
    const row = this.#ask(sql, values, (statement, bound) => statement.get(...bound))
    return row === undefined ? undefined : Object.values(row as Record<string, Value>)[0]
  }

  async column<Value>(sql: string, values?: readonly SqlValue[]): Promise<Value[]> {
    return (await this.all<Record<string, Value>>(sql, values)).flatMap(Object.values<Value>)
  }

  async run(sql: string, values: readonly SqlValue[] = []): Promise<number> {
    return this.#ask(sql, values, (statement, bound) => statement.run(...bound).changes)
  }

  async each<Row extends object>(sql: string, values: readonly SqlValue[], visit: (row: Row) => void): Promise<void> {
    this.#ask(sql, values, (statement, bound) => {
      for (const row of statement.iterate(...bound)) visit(row as Row)
    })
  }

  async insert(table: string, columns: readonly string[], rows: Iterable<Row>): Promise<void> {
    const marks = columns.map((_, at) => `$${at + 1}`)
    const sql = `INSERT INTO hookdrift.${table} (${columns.join(', ')}) VALUES (${marks.join(', ')})`
    try {
      const { statement } = this.#prepare(sql)
      for (const row of rows) statement.run(...row)
    } catch (error) {
      throw this.describe(error)
    }
  }

  describe(error: unknown): unknown {
    return asHistoryError(error, this.displayName)
  }

  #ask<Result>(
    sql: string,
    values: readonly SqlValue[],
    ask: (statement: Statement<Bindable[]>, bound: Bindable[]) => Result,
  ): Result {
    try {
      const { statement, valueIndexes } = this.#prepare(sql)
      return ask(
        statement,
        valueIndexes.map((index) => bindable(values[index])),
      )
    } catch (error) {
      throw this.describe(error)
    }
  }

  #prepare(sql: string): BoundStatement {
    const statement = this.#prepared.get(sql)
    if (statement !== undefined) return statement
    const valueIndexes: number[] = []
    const text = inSqlite(sql).replaceAll(/\$(\d+)/g, (_, number: string) => {
      valueIndexes.push(Number(number) - 1)
      return '?'
    })
    const prepared = { statement: this.connection.prepare<Bindable[]>(text), valueIndexes }
    this.#prepared.set(sql, prepared)
    return prepared
  }
}

/** A file. Transactions wait for each other, because there is one connection. */
export class SqliteDatabase extends SqliteStatements implements HistoryDatabase {
  readonly #within: Transaction
  /** Ends when the last transaction has ended. */
  #last: Promise<unknown> = Promise.resolve()
  /** Connections for readers of some projects, which end with this one. */
  readonly #scoped: SqliteDatabase[] = []

  /** `displayName`: what messages call it. */
  constructor(connection: Database, displayName = fileOf(connection)) {
    const prepared = new Map<string, BoundStatement>()
    super(connection, displayName, prepared)
    this.#within = new SqliteStatements(connection, displayName, prepared)
  }

  /** In a transaction of its own. */
  override run(sql: string, values?: readonly SqlValue[]): Promise<number> {
    return this.transaction((transaction) => transaction.run(sql, values))
  }

  /** Takes the write lock first, so that no other process writes between its reads and writes. */
  transaction<Result>(
    work: (transaction: Transaction) => Promise<Result>,
    { isDurable = false }: { readonly isDurable?: boolean } = {},
  ): Promise<Result> {
    return this.#inTurn('BEGIN IMMEDIATE', isDurable, async () => {
      refuseAltered(this.connection)
      return await work(this.#within)
    })
  }

  snapshot<Result>(work: (transaction: Transaction) => Promise<Result>): Promise<Result> {
    return this.#inTurn('BEGIN', false, () => work(this.#within))
  }

  scoped(choose: (whole: Session) => Promise<ScopedRows>): Pick<HistoryDatabase, 'snapshot'> {
    const db = new SqliteDatabase(openScoped(this.connection), this.displayName)
    this.#scoped.push(db)
    return {
      snapshot: (work) =>
        db.snapshot(async (session) => {
          for (const [what, values] of Object.entries(await choose(session))) {
            await session.run(`DELETE FROM temp.own_${what}`)
            await session.run(`INSERT INTO temp.own_${what} SELECT value FROM json_each($1)`, [values])
          }
          return work(session)
        }),
    }
  }

  async close(): Promise<void> {
    for (const db of this.#scoped) await db.close()
    this.connection.close()
  }

  /** `isDurable`: whether what it writes survives a power cut. No other transaction may be open where that is changed. */
  #inTurn<Result>(begin: string, isDurable: boolean, work: () => Promise<Result>): Promise<Result> {
    const before = this.#last
    const outcome = (async () => {
      await before
      try {
        if (isDurable) this.connection.pragma('synchronous = FULL')
        await this.#within.run(begin)
        const result = await work()
        // An error of the disk ends a transaction. One that only read, and whose work went on without, lost nothing.
        if (begin !== 'BEGIN' || this.connection.inTransaction) await this.#within.run('COMMIT')
        return result
      } catch (error) {
        // A full disk may have ended the transaction already.
        if (this.connection.inTransaction) await this.#within.run('ROLLBACK')
        throw this.describe(error)
      } finally {
        if (isDurable && this.connection.open && !this.connection.inTransaction)
          this.connection.pragma('synchronous = NORMAL')
      }
    })()
    this.#last = outcome.catch(() => {})
    return outcome
  }
}

/** A statement in SQLite's words, but for the marks of its parameters. */
function inSqlite(sql: string): string {
  return sql
    .replaceAll('hookdrift.', '')
    .replaceAll(/::[a-z]+(?:\[\])?/g, '')
    .replaceAll(/= ANY\((\$\d+)\)/g, 'IN (SELECT value FROM json_each($1))')
    .replaceAll(/SELECT unnest\((\$\d+)\)/g, 'SELECT value FROM json_each($1)')
}

/** @throws Error for a value that the statement names and that is not given */
function bindable(value: SqlValue | undefined): Bindable {
  if (value === undefined) throw new Error('a statement names more values than it is given')
  if (typeof value === 'boolean') return value ? 1 : 0
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : value
}
