import { copyFileSync } from 'node:fs'
import { dirname } from 'node:path'
import Database from 'better-sqlite3'
import { openDatabase } from '../../src/history/sqlite/open-database.ts'
import { readNames } from '../../src/history/sqlite/read-names.ts'
import { spaceOfFile } from '../../src/history/sqlite/space-of-file.ts'
import { SqliteDatabase } from '../../src/history/sqlite/sqlite-database.ts'
import { openSqliteHistory } from '../../src/history/sqlite/sqlite-history.ts'
import { sqliteUpkeep } from '../../src/history/sqlite/sqlite-upkeep.ts'
import type { Place } from './contract-fixture.ts'
import { faultsOf, migrationsWith, temporaryDatabasePath } from './database-fixture.ts'
import { at } from './samples.ts'

/** A history in a file of its own. */
export function makeSqlitePlace(): Place {
  return placeOf(temporaryDatabasePath())
}

function placeOf({ file, remove }: ReturnType<typeof temporaryDatabasePath>): Place {
  const opened: { close(): Promise<void> }[] = []
  return {
    expiryS: 12,
    async open(process) {
      const history = openSqliteHistory(file, process)
      opened.push(history)
      return history
    },
    address: async () => file,
    async upkeep(process) {
      const upkeep = sqliteUpkeep(file, process)
      opened.push(upkeep)
      return upkeep
    },
    size: async () => spaceOfFile(file),
    async upgrade(sql) {
      const directory = migrationsWith(dirname(file), '0002_next.sql', sql.replaceAll('hookdrift.', ''))
      openDatabase(file, at(5), { directory }).close()
    },
    namesOf: (what, prefix) => readNames(file, what, prefix),
    async inDatabase(work) {
      const db = new Database(file)
      try {
        return await work(new SqliteDatabase(db))
      } finally {
        db.close()
      }
    },
    async copy() {
      const other = temporaryDatabasePath()
      copyFileSync(file, other.file)
      return placeOf(other)
    },
    async dispose() {
      for (const one of opened) await one.close()
      const faults = await faultsOf(file)
      remove()
      return faults
    },
  }
}
