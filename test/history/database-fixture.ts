import { cpSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll } from 'vitest'
import type { Session } from '../../src/history/sql/session.ts'
import { migrationsDirectory } from '../../src/history/sqlite/schema.ts'
import { SqliteDatabase } from '../../src/history/sqlite/sqlite-database.ts'

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

/** What SQLite, and the promises about rows, find wrong in a file. */
export async function faultsOf(file: string): Promise<string[]> {
  if (!existsSync(file)) return []
  const db = new Database(file, { readonly: true })
  const pragma = (name: string) =>
    db
      .prepare<[], object>(`PRAGMA ${name}`)
      .all()
      .map((row) => JSON.stringify(row))
  try {
    const sound = JSON.stringify({ integrity_check: 'ok' })
    return [
      ...pragma('integrity_check').filter((answer) => answer !== sound),
      ...pragma('foreign_key_check'),
      ...(await faultsIn(new SqliteDatabase(db))),
    ]
  } finally {
    db.close()
  }
}

/** What the promises about rows find wrong in a history. */
export async function faultsIn(session: Session): Promise<string[]> {
  const inRun = (column: string) => `hookdrift.run r ON r.number = ${column}`
  // Versions of a resource, and spans of a violation, neither overlap nor end before they began.
  const overlapping = (table: string, key: string) =>
    `SELECT 'overlap: ' || a.uid AS text FROM hookdrift.${table} a JOIN hookdrift.${table} b ON ${key} AND b.id > a.id
     JOIN ${inRun('b.from_run')} AND r.state = 'committed' WHERE a.to_run IS NULL OR a.to_run > b.from_run`
  const statements = [
    overlapping('version', 'a.project_id = b.project_id AND a.kind = b.kind AND a.uid = b.uid'),
    overlapping('violation', 'a.fingerprint = b.fingerprint'),
    ...['version', 'violation', 'unreferenced'].flatMap((table) => [
      `SELECT 'ends before it begins: ' || uid AS text FROM hookdrift.${table} WHERE to_run <= from_run`,
      `SELECT 'ended by an uncommitted run: ' || uid AS text FROM hookdrift.${table} x JOIN ${inRun('x.to_run')}
       WHERE r.state NOT IN ('committed', 'pruned')`,
      `SELECT 'left by an interrupted run: ' || uid AS text FROM hookdrift.${table} x JOIN ${inRun('x.from_run')}
       WHERE r.state = 'interrupted'`,
    ]),
    ...['walk', 'scan', 'change', 'notice', 'withheld_removal'].map(
      (table) =>
        `SELECT 'left by an interrupted run in ${table}' AS text FROM hookdrift.${table} x JOIN ${inRun('x.run')}
         WHERE r.state = 'interrupted'`,
    ),
  ]
  const found: string[] = []
  for (const sql of statements) for (const { text } of await session.all<{ text: string }>(sql)) found.push(text)
  return found
}
