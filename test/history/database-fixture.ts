import { cpSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll } from 'vitest'
import { migrationsDirectory } from '../../src/history/sqlite/read-migrations.ts'

/** The path of a database in a directory of its own. */
export function temporaryDatabasePath(): { readonly file: string; remove(): void } {
  const directory = mkdtempSync(join(tmpdir(), 'hookdrift-history-'))
  return { file: join(directory, 'history.db'), remove: () => rmSync(directory, { recursive: true, force: true }) }
}

/** Paths of databases, each in a directory of its own, which is removed after the tests of the file or block. */
export function temporaryDatabasePaths(): () => string {
  const paths: ReturnType<typeof temporaryDatabasePath>[] = []
  afterAll(() => {
    for (const { remove } of paths) remove()
  })
  return () => {
    const path = temporaryDatabasePath()
    paths.push(path)
    return path.file
  }
}

/** Our migrations and one more, in a directory of their own below another. */
export function migrationsWith(parent: string, name: string, sql: string): string {
  const directory = join(parent, 'migrations')
  cpSync(migrationsDirectory, directory, { recursive: true })
  writeFileSync(join(directory, name), sql)
  return directory
}

/** What SQLite, and the promises about rows, find wrong in a history. */
export function faultsOf(file: string): string[] {
  if (!existsSync(file)) return []
  const db = new Database(file, { readonly: true })
  const texts = (sql: string) => db.prepare<[], string>(sql).pluck().all()
  try {
    return [
      ...texts('PRAGMA integrity_check').filter((answer) => answer !== 'ok'),
      ...db
        .prepare('PRAGMA foreign_key_check')
        .all()
        .map((row) => JSON.stringify(row)),
      // Versions of a resource, and spans of a violation, neither overlap nor end before they began.
      ...texts(`SELECT 'overlap: ' || a.uid FROM version a JOIN version b ON b.project_id = a.project_id AND b.kind = a.kind
        AND b.uid = a.uid AND b.id > a.id JOIN run r ON r.number = b.from_run AND r.state = 'committed'
        WHERE a.to_run IS NULL OR a.to_run > b.from_run`),
      ...texts(`SELECT 'overlap: ' || a.fingerprint FROM violation a JOIN violation b ON b.fingerprint = a.fingerprint
        AND b.id > a.id JOIN run r ON r.number = b.from_run AND r.state = 'committed'
        WHERE a.to_run IS NULL OR a.to_run > b.from_run`),
      ...['version', 'violation', 'unreferenced'].flatMap((table) => [
        ...texts(`SELECT 'ends before it begins: ' || uid FROM ${table} WHERE to_run <= from_run`),
        ...texts(`SELECT 'ended by an uncommitted run: ' || uid FROM ${table} x JOIN run r ON r.number = x.to_run
          WHERE r.state <> 'committed'`),
        ...texts(`SELECT 'left by an interrupted run: ' || uid FROM ${table} x JOIN run r ON r.number = x.from_run
          WHERE r.state = 'interrupted'`),
      ]),
      ...['walk', 'scan', 'change', 'notice', 'withheld_removal'].flatMap((table) =>
        texts(`SELECT 'left by an interrupted run in ${table}' FROM ${table} x JOIN run r ON r.number = x.run
          WHERE r.state = 'interrupted'`),
      ),
    ]
  } finally {
    db.close()
  }
}
