import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { beforeAll, describe, expect, it } from 'vitest'
import { openSecrets } from '../../src/gateway/inventory/open-secrets.ts'
import { keepNothing } from '../../src/history/retention.ts'
import { openSqliteHistory } from '../../src/history/sqlite/sqlite-history.ts'
import { sqliteUpkeep } from '../../src/history/sqlite/sqlite-upkeep.ts'
import { verifyHistory } from '../../src/history/sqlite/verify/verify-history.ts'
import { makeAuditedHistory } from './audited-history.ts'
import { temporaryDatabasePath } from './database-fixture.ts'
import { Machines } from './processes.ts'
import { aStart } from './samples.ts'
import { makeSoundHistory } from './sound-history.ts'

// Each column of each table is edited by hand, with a value that could be one of ours.
// docs/how-to/keep-the-history.md lists, word for word, what verify does not notice.

const page = readFileSync(join(import.meta.dirname, '../../docs/how-to/keep-the-history.md'), 'utf8')

/** The list under the page's heading: "- `table`: `column`, `column`; why". */
function listedOnPage() {
  const section = page.split('### What `verify` cannot notice')[1]?.split(/^#/m)[0] ?? ''
  return section.split('\n').flatMap((line) => {
    const [, table, rest = ''] = /^- `(\w+)`: ((?:`\w+`(?:, )?)+)/.exec(line) ?? []
    return table === undefined ? [] : [...rest.matchAll(/`(\w+)`/g)].map(([, column]) => `${table}.${column}`)
  })
}

/** A history of audits of which some were pruned, and a run since. */
async function aPrunedHistory(): Promise<Buffer> {
  const { file, remove } = temporaryDatabasePath()
  writeFileSync(file, await makeAuditedHistory())
  const time = '2027-01-01T00:00:00.000Z'
  const owner = { ...new Machines().process(1), now: () => Date.parse(time) }
  const keep = { ...keepNothing, last: 2 }
  await sqliteUpkeep(file, owner).prune({ keep, options: { keep_last: 2 }, toolVersion: '0.1.0' })
  const history = openSqliteHistory(file, owner)
  await (await history.begin(aStart(time))).commit(time, () => 0)
  await history.close()
  const db = new Database(file)
  // As a run leaves it that a signal cut short.
  db.exec('INSERT INTO unnotified_scan (run, project_id) SELECT run, max(project_id) FROM scan WHERE run = 4')
  db.pragma('journal_mode = DELETE')
  const bytes = db.serialize()
  db.close()
  remove()
  return bytes
}

/** As it is when a receiver is gone for good. */
function withGoneReceiver(bytes: Buffer) {
  const db = new Database(bytes)
  db.exec("UPDATE channel SET gone_at = '2026-11-21T05:00:00.000Z', gone_target = 'sealed:0' WHERE name = 'chat'")
  const changed = db.serialize()
  db.close()
  return changed
}

const countCheckpoints = (bytes: Buffer) =>
  tampered(bytes, (db) => db.prepare('SELECT count(*) FROM checkpoint').pluck().get())

let histories: readonly Buffer[]
beforeAll(async () => {
  histories = [withGoneReceiver(await makeSoundHistory()), await aPrunedHistory()]
  expect(await Promise.all(histories.map(countCheckpoints))).toEqual([0, 1])
})

async function isNoticed(db: Database.Database) {
  db.pragma('ignore_check_constraints = OFF')
  const { checks } = await verifyHistory(db, { depth: 'plain', exitCodeOf: () => 0, openSecrets })
  db.pragma('ignore_check_constraints = ON')
  // Exit codes are made up here; the chain covers them.
  return checks.some(({ id, ok }) => !ok && id !== 'I8')
}

async function tampered<Result>(bytes: Buffer, work: (db: Database.Database) => Result | Promise<Result>) {
  const db = new Database(Buffer.from(bytes))
  try {
    // The schema is edited too.
    db.unsafeMode()
    db.pragma('ignore_check_constraints = ON')
    db.pragma('foreign_keys = OFF')
    return await work(db)
  } finally {
    db.close()
  }
}

type Value = string | number | null

/** Another value of the same kind: a time one minute later, a digit or a letter that is another, the next number. */
function another(value: Value): Value {
  if (value === null) return null
  if (typeof value === 'number') return value + 1
  const state = states[value]
  if (state !== undefined) return state
  const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value) ? Date.parse(value) : Number.NaN
  if (!Number.isNaN(time)) return new Date(time + 60_000).toISOString()
  const place = [...value].findLastIndex((character) => /[0-9a-z]/i.test(character))
  const turned =
    (value[place] ?? '') === '1' ? '2' : /\d/.test(value[place] ?? '') ? '1' : value[place] === 'e' ? 'a' : 'e'
  return place < 0 ? value : value.slice(0, place) + turned + value.slice(place + 1)
}

/** Of few values, another one of them. */
const states: Readonly<Record<string, Value>> = { delivered: 'dead', pending: 'dead', dead: 'delivered' }

function keyOf(db: Database.Database, table: string) {
  const keys = db.prepare<[string], string>('SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk').pluck()
  const key = keys.all(table)
  return key.length === 0 ? ['rowid'] : key
}

/** Rows that have a value there. */
function rowsOf(db: Database.Database, table: string, column: string) {
  const key = keyOf(db, table).join(', ')
  return db
    .prepare<[], Record<string, Value>>(
      `SELECT ${key}, ${column} AS value FROM ${table} WHERE ${column} IS NOT NULL AND ${column} <> '' ORDER BY ${key}`,
    )
    .all()
}

/** Edits one value; false where there is none or SQLite refuses it. */
function edit(db: Database.Database, table: string, column: string, place: number) {
  const row = rowsOf(db, table, column)[place]
  const { value = null } = row ?? {}
  if (row === undefined || another(value) === value) return false
  const key = keyOf(db, table)
  const update = db.prepare(`UPDATE ${table} SET ${column} = ? WHERE ${key.map((name) => `${name} = ?`).join(' AND ')}`)
  try {
    update.run(another(value), ...key.map((name) => row[name]))
    return true
  } catch (error) {
    if (error instanceof Database.SqliteError && error.code.startsWith('SQLITE_CONSTRAINT')) return false
    throw error
  }
}

function columnsOf(db: Database.Database) {
  return db
    .prepare<[], { table: string; column: string }>(
      `SELECT s.name AS "table", c.name AS "column" FROM sqlite_schema s JOIN pragma_table_info(s.name) c
       WHERE s.type = 'table' AND s.name NOT LIKE 'sqlite%'`,
    )
    .all()
}

describe('single edits', () => {
  it('that verify does not notice are those that the page lists', async () => {
    const unnoticed = new Set<string>()
    let edits = 0
    for (const bytes of histories) {
      await tampered(bytes, async (db) => {
        for (const { table, column } of columnsOf(db)) {
          const count = rowsOf(db, table, column).length
          for (const place of new Set([0, Math.round((count - 1) / 2), count - 1])) {
            db.exec('BEGIN')
            if (edit(db, table, column, place)) {
              edits += 1
              if (!(await isNoticed(db))) unnoticed.add(`${table}.${column}`)
            }
            db.exec('ROLLBACK')
          }
        }
      })
    }
    expect(edits).toBeGreaterThan(200)
    expect([...unnoticed].sort()).toEqual(listedOnPage().sort())
  })

  it('of the schema are noticed, except objects that people may add', async () => {
    const bytes = histories[0] ?? Buffer.alloc(0)
    const objects = await tampered(bytes, (db) =>
      db
        .prepare<[], { type: string; name: string; sql: string }>(
          'SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL',
        )
        .all(),
    )
    const edits = objects.flatMap(({ type, name, sql }) => [
      `DROP ${type} ${name}`,
      `PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = sql || ' ' WHERE name = '${name}'; PRAGMA writable_schema = RESET`,
      ...(type === 'view'
        ? [`DROP VIEW ${name}; ${sql.replace(/^(CREATE VIEW \w+ AS)[\s\S]*$/, '$1 SELECT 1 AS number')}`]
        : []),
    ])
    const added = [
      'CREATE TABLE more (x)',
      'CREATE VIEW more AS SELECT 1 AS x',
      'CREATE INDEX more ON run (state)',
      'CREATE TRIGGER more AFTER INSERT ON run BEGIN DELETE FROM violation; END',
      'CREATE TRIGGER drift AFTER INSERT ON run BEGIN DELETE FROM violation; END',
      'CREATE TRIGGER my_more AFTER INSERT ON run BEGIN DELETE FROM violation; END',
      'CREATE TRIGGER more INSTEAD OF INSERT ON drift BEGIN DELETE FROM violation; END',
      'PRAGMA user_version = 8',
    ]
    const isNoticedAfter = (sql: string) => tampered(bytes, (db) => isNoticed(db.exec(sql)))
    const unnoticed: string[] = []
    for (const sql of [...edits, ...added]) if (!(await isNoticedAfter(sql))) unnoticed.push(sql)
    expect(unnoticed).toEqual([])
    const own = [
      'CREATE VIEW my_runs AS SELECT * FROM run',
      'CREATE TABLE my_notes (x)',
      'CREATE INDEX my_index ON run (state)',
      'ANALYZE',
    ]
    for (const sql of own) expect([sql, await isNoticedAfter(sql)]).toEqual([sql, false])
  })
})
