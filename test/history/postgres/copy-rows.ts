import Database from 'better-sqlite3'
import { columnsOfBody } from '../../../src/history/postgres/columns-of-body.ts'
import type { PostgresDatabase, SqlValue } from '../../../src/history/postgres/connect.ts'

/** What readers read, each table after those that it refers to. */
const tables = [
  'document',
  'run',
  'project',
  'version',
  'unreferenced',
  'change',
  'violation',
  'acceptance',
  'scan',
  'walk',
  'first_complete_walk',
  'notice',
  'withheld_removal',
]

type Row = Readonly<Record<string, string | number | null>>

/** Puts the rows of a history in a file into PostgreSQL, in the place of those that are there. */
export async function copyRows(file: string, db: PostgresDatabase): Promise<void> {
  const source = new Database(file, { readonly: true })
  try {
    await db.run(`TRUNCATE ${tables.map((table) => `hookdrift.${table}`).join()} CASCADE`)
    for (const table of tables) {
      const rows = source.prepare<[], Row>(`SELECT * FROM ${table}`).all()
      await insert(db, table, table === 'version' ? rows.map(withColumnsOfBody) : rows)
    }
  } finally {
    source.close()
  }
}

function withColumnsOfBody(row: Row): Row {
  return { ...row, ...columnsOfBody(String(row.kind), String(row.body)) }
}

async function insert(db: PostgresDatabase, table: string, rows: readonly Row[]): Promise<void> {
  const [first] = rows
  if (first === undefined) return
  const columns = Object.keys(first)
  const types = await db.all<{ name: string; type: string }>(
    `SELECT attname::text AS name, format_type(atttypid, NULL) AS type FROM pg_attribute
     WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped`,
    [`${db.schema}.${table}`],
  )
  const typeOf = new Map(types.map(({ name, type }) => [name, type]))
  const values = columns.map((_, at) => `$${at + 1}::${typeOf.get(columns[at] ?? '')}[]`)
  await db.run(
    `INSERT INTO hookdrift.${table} (${columns.join()}) SELECT * FROM unnest(${values.join()})`,
    columns.map((column): SqlValue => rows.map((row) => row[column] ?? null)),
  )
}
