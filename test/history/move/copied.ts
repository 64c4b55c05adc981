import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { connect } from '../../../src/history/postgres/connect.ts'
import { postgresRows, postgresTarget } from '../../../src/history/postgres/move/postgres-rows.ts'
import type { PostgresServer } from '../../../src/history/postgres-server.ts'
import { sqliteRows, sqliteTarget } from '../../../src/history/sqlite/move/sqlite-rows.ts'
import { openDatabase } from '../../../src/history/sqlite/open-database.ts'
import { copyRows, historyTables, type Row, type RowSource } from '../../../src/history/table-rows.ts'
import { resealing } from '../resealing-fixture.ts'

const made = '2027-01-01T00:00:00.000Z'
export const histories = join(import.meta.dirname, '../../fixtures/histories')

/** Unpacks a golden history, upgraded to the newest schema. */
export function unpackHistory(name: string, file: string): void {
  writeFileSync(file, gunzipSync(readFileSync(join(histories, name))))
  openDatabase(file, made, { resealing }).close()
}

/** Copies the rows of a file into an empty PostgreSQL history. Returns how many. */
export async function copyToPostgres(file: string, server: PostgresServer): Promise<number> {
  const from = openDatabase(file, made)
  const to = connect(server)
  try {
    return await to.transaction((session) => copyRows(sqliteRows(from), postgresTarget(session)))
  } finally {
    from.close()
    await to.close()
  }
}

/** Copies the rows of a PostgreSQL history into a new file. Returns how many. */
export async function copyToFile(server: PostgresServer, file: string): Promise<number> {
  const to = openDatabase(file, made)
  const from = connect(server)
  try {
    to.exec('BEGIN')
    const count = await from.snapshot((session) => copyRows(postgresRows(session), sqliteTarget(to)))
    to.exec('COMMIT')
    return count
  } finally {
    to.close()
    await from.close()
  }
}

export type Contents = Readonly<Record<string, readonly Row[]>>

/** Every row of every table that a copy takes along. */
export async function contentsOf(source: RowSource): Promise<Contents> {
  const contents: Record<string, Row[]> = {}
  for (const table of historyTables) {
    const all: Row[] = []
    for await (const rows of source.rows(table)) all.push(...rows)
    contents[table.name] = all
  }
  return contents
}

export async function contentsOfFile(file: string): Promise<Contents> {
  const db = openDatabase(file, made)
  try {
    return await contentsOf(sqliteRows(db))
  } finally {
    db.close()
  }
}

export async function contentsOfDatabase(server: PostgresServer): Promise<Contents> {
  const db = connect(server)
  try {
    return await db.snapshot((session) => contentsOf(postgresRows(session)))
  } finally {
    await db.close()
  }
}
