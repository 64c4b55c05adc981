import Database from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { connect } from '../../../src/history/postgres/connect.ts'
import { SqliteDatabase } from '../../../src/history/sqlite/sqlite-database.ts'
import { historyTables, inBatches } from '../../../src/history/table-rows.ts'
import { hasPostgres, makeDatabase } from '../postgres/databases.ts'
import { makeSoundHistory } from '../sound-history.ts'
import { contentsIn } from './copied.ts'

/** Tables that belong to a place or to workers that share it, and are not copied. */
const ofThePlace = ['lease', 'migration', 'run_plan', 'task', 'service_gate', 'worker']

describe('the list of tables', () => {
  const listed = historyTables.flatMap(({ name, columns, localColumns }) =>
    [...columns.keys(), ...localColumns].map((column) => `${name}.${column}`),
  )

  it('has every table and column of a file', async () => {
    const db = new Database(await makeSoundHistory())
    const there = db
      .prepare<[], string>(
        `SELECT s.name || '.' || c.name FROM sqlite_schema s JOIN pragma_table_info(s.name) c
         WHERE s.type = 'table' AND s.name NOT LIKE 'sqlite%'`,
      )
      .pluck()
      .all()
    db.close()
    expect(listed.toSorted()).toEqual(there.filter((name) => !ofThePlace.includes(name.split('.')[0] ?? '')).sort())
  })

  it('names tables that a history with something of everything fills', async () => {
    const db = new Database(await makeSoundHistory())
    const contents = await contentsIn(new SqliteDatabase(db))
    db.close()
    // Acceptances, notes, pruning, an interrupted notification and readings leave these.
    const empty = ['acceptance', 'recorded_note', 'reading', 'checkpoint', 'unnotified_scan']
    expect(Object.keys(contents).filter((name) => contents[name]?.length === 0)).toEqual(empty)
  })

  it.skipIf(!hasPostgres)('has every table and column of a PostgreSQL history, with its type', async () => {
    const place = await makeDatabase()
    const db = connect(place.server)
    const rows = await db.all<{ name: string; column: string; type: string }>(
      `SELECT table_name AS name, column_name AS "column", data_type AS type FROM information_schema.columns
       JOIN information_schema.tables USING (table_schema, table_name)
       WHERE table_schema = 'hookdrift' AND table_type = 'BASE TABLE'`,
    )
    await db.close()
    await place.remove()
    const there = rows.filter(({ name }) => !ofThePlace.includes(name))
    expect(listed.toSorted()).toEqual(there.map(({ name, column }) => `${name}.${column}`).sort())
    const types: Readonly<Record<string, string>> = { bigint: 'integer', integer: 'integer', text: 'text' }
    for (const { name, columns } of historyTables) {
      const own = there.filter((row) => row.name === name && columns.has(row.column))
      expect(Object.fromEntries(own.map(({ column, type }) => [column, types[type]]))).toEqual(
        Object.fromEntries(columns),
      )
    }
  })
})

describe('batches of rows', () => {
  const sizes = async (rows: readonly (readonly [string])[]) => {
    const found: number[] = []
    for await (const batch of inBatches(rows)) found.push(batch.length)
    return found
  }

  it('are of 500 rows, or of a million characters', async () => {
    expect(await sizes([])).toEqual([])
    expect(await sizes(Array.from({ length: 1001 }, () => ['a']))).toEqual([500, 500, 1])
    expect(await sizes(Array.from({ length: 5 }, () => ['a'.repeat(600_000)]))).toEqual([2, 2, 1])
  })
})
