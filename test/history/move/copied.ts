import { copyHistory, verificationOf } from '../../../src/app/copy-database.ts'
import { openMovable } from '../../../src/app/open-history.ts'
import { readLocation } from '../../../src/history/location.ts'
import { connect } from '../../../src/history/postgres/connect.ts'
import type { PostgresServer } from '../../../src/history/postgres-server.ts'
import { rowsIn, targetIn } from '../../../src/history/sql/copied-rows.ts'
import type { HistoryDatabase } from '../../../src/history/sql/session.ts'
import { openDatabase } from '../../../src/history/sqlite/open-database.ts'
import { SqliteDatabase } from '../../../src/history/sqlite/sqlite-database.ts'
import { openSqliteHistory } from '../../../src/history/sqlite/sqlite-history.ts'
import { sqliteUpkeep } from '../../../src/history/sqlite/sqlite-upkeep.ts'
import { copyRows, historyTables, type Row, type RowSource } from '../../../src/history/table-rows.ts'
import type { VerificationRequest } from '../../../src/history/upkeep.ts'
import { Machines } from '../processes.ts'
import { at } from '../samples.ts'

const made = '2027-01-01T00:00:00.000Z'

/** Copies the rows of a file into an empty PostgreSQL history. Returns how many. */
export async function copyToPostgres(file: string, server: PostgresServer): Promise<number> {
  const from = openDatabase(file, made)
  const to = connect(server)
  try {
    return await to.transaction((session) => copyRows(rowsIn(new SqliteDatabase(from)), targetIn(session)))
  } finally {
    from.close()
    await to.close()
  }
}

export type Contents = Readonly<Record<string, readonly Row[]>>

/** Every row of every table that a copy takes along. */
async function contentsOf(source: RowSource) {
  const contents: Record<string, Row[]> = {}
  for (const table of historyTables) {
    const all: Row[] = []
    for await (const rows of source.rows(table)) all.push(...rows)
    contents[table.name] = all
  }
  return contents
}

export function contentsIn(db: HistoryDatabase): Promise<Contents> {
  return db.snapshot((session) => contentsOf(rowsIn(session)))
}

export async function contentsOfFile(file: string): Promise<Contents> {
  const db = openDatabase(file, made)
  try {
    return await contentsIn(new SqliteDatabase(db))
  } finally {
    db.close()
  }
}

export async function contentsOfDatabase(server: PostgresServer): Promise<Contents> {
  const db = connect(server)
  try {
    return await contentsIn(db)
  } finally {
    await db.close()
  }
}

/** Exit codes of runs in these tests are made up. */
export const request: VerificationRequest = { ...verificationOf('deep'), exitCodeOf: () => 0 }

/** Copies as the command does: places are paths and URLs. */
export async function copy(from: string, to: string, isSnapshot = false, verified = request) {
  await using original = await openMovable(readLocation(from, '/'), {})
  await using target = await openMovable(readLocation(to, '/'), {})
  return await copyHistory(original, target, { ...verified, isSnapshot })
}

/** Checks of a file that fail. */
export const verifyFile = async (path: string) => {
  const { checks } = await sqliteUpkeep(path, new Machines().process(1)).verify(request)
  return checks.filter((check) => check.ok === false)
}
/** Opens a history in a file, long after its runs. */
export const open = (path: string) =>
  openSqliteHistory(path, { ...new Machines().process(1), now: () => Date.parse(at(20)) })
