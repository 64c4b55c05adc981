import { copyFileSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import Database from 'better-sqlite3'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { History } from '../../src/history/history.ts'
import { keepNothing } from '../../src/history/retention.ts'
import { readRunRecord } from '../../src/history/sql/read-run.ts'
import { openDatabase } from '../../src/history/sqlite/open-database.ts'
import {
  expectedSchema,
  knownSchemaDigest,
  migrationsDirectory,
  schemaDigest,
} from '../../src/history/sqlite/schema.ts'
import { openSqliteHistory } from '../../src/history/sqlite/sqlite-history.ts'
import { sqliteUpkeep } from '../../src/history/sqlite/sqlite-upkeep.ts'
import { migrationsWith, temporaryDatabasePaths } from './database-fixture.ts'
import { Machines } from './processes.ts'
import { anApproval, aStart, at, payments, walkAll } from './samples.ts'
import { makeSoundHistory } from './sound-history.ts'

let sound: Buffer
const nextPath = temporaryDatabasePaths()
let file: string
beforeAll(async () => {
  sound = await makeSoundHistory()
})
beforeEach(() => {
  file = nextPath()
  writeFileSync(file, sound)
})

const owner = () => ({ ...new Machines().process(1), now: () => Date.parse('2027-01-01T00:00:00Z') })
const trigger = 'CREATE TRIGGER evil AFTER INSERT ON run BEGIN DELETE FROM violation; END'

function alter(sql: string) {
  const db = new Database(file)
  db.exec(sql)
  db.close()
}

function rowsOf(table: string) {
  const db = new Database(file, { readonly: true })
  const rows = db.prepare(`SELECT * FROM ${table}`).all()
  db.close()
  return rows
}

it('the recorded digest of the schema matches the migrations', () => {
  expect(schemaDigest(expectedSchema(migrationsDirectory))).toBe(knownSchemaDigest)
})

describe('a history with a foreign trigger', () => {
  const order = { keep: { ...keepNothing, last: 1 }, options: {}, toolVersion: '0.1.0' }
  const writes: Readonly<Record<string, (history: History) => unknown>> = {
    'a run': (history) => history.begin(aStart(at(9))),
    'an approval': (history) => history.approve([anApproval(payments, 4)]),
    'a revocation': (history) => history.revoke([2], { by: 'alice', at: at(9) }),
    'a message': (history) => history.enqueue([{ id: 'msg_1', channel: 'hook', run: null, body: '{}' }], at(9)),
    'a delivery': (history) => history.claim('hook'),
  }

  it.each(Object.entries(writes))('refuses %s, and executes nothing', async (_, write) => {
    alter(trigger)
    const before = ['run', 'violation', 'approval', 'notification', 'channel'].map(rowsOf)
    const history = openSqliteHistory(file, owner())
    await expect(async () => write(history)).rejects.toMatchObject({
      exitCode: 4,
      message: `nothing was written to the history ${file}: hookdrift did not make the trigger evil on run`,
      advice: expect.stringContaining('`hookdrift verify`'),
    })
    await history.close()
    expect(['run', 'violation', 'approval', 'notification', 'channel'].map(rowsOf)).toEqual(before)
  })

  it('refuses to be pruned, also where the trigger has the name of a view', async () => {
    alter(trigger.replaceAll('evil', 'drift'))
    const before = rowsOf('run')
    await expect(sqliteUpkeep(file, owner()).prune(order)).rejects.toThrow(/did not make the trigger drift/)
    expect(rowsOf('run')).toEqual(before)
  })

  it('refuses the commit of a run that began before the trigger was added', async () => {
    const history = openSqliteHistory(file, owner())
    const draft = await history.begin(aStart(at(9)))
    await walkAll(draft)
    alter('CREATE TRIGGER late AFTER UPDATE ON run BEGIN DELETE FROM violation; END')
    const before = rowsOf('violation')
    await expect(draft.commit(at(10), () => 0)).rejects.toThrow(/did not make the trigger late/)
    await history.close()
    expect(rowsOf('violation')).toEqual(before)
  })

  it('can be read', async () => {
    alter(trigger)
    const history = openSqliteHistory(file, owner())
    expect(await readRunRecord(history, 4)).toMatchObject({ number: 4 })
    await history.close()
  })
})

describe('a history with an altered object', () => {
  const emptied = 'ALTER TABLE violation RENAME TO hidden; CREATE VIEW violation AS SELECT * FROM hidden WHERE 0'

  it('is not read when a table differs', () => {
    alter(emptied)
    expect(() => openSqliteHistory(file, owner())).toThrow(
      expect.objectContaining({
        exitCode: 4,
        message: expect.stringMatching(/cannot open the history .*: the (table|view) \w+ is not as hookdrift made it/),
      }),
    )
  })

  it.each([
    ['DROP VIEW baseline; CREATE VIEW baseline AS SELECT 0 AS run, 0 AS is_active', 'the view baseline is not as'],
    ['DROP VIEW open_violation', 'the view open_violation is missing'],
    ['DROP INDEX violation_active', 'the index violation_active is missing'],
  ])('is read and not written to: %s', async (sql, fault) => {
    const plan = await sqliteUpkeep(file, owner()).planPruning({ ...keepNothing, last: 1 })
    alter(sql)
    expect(await sqliteUpkeep(file, owner()).planPruning({ ...keepNothing, last: 1 })).toEqual(plan)
    const history = openSqliteHistory(file, owner())
    expect(await readRunRecord(history, 4)).toMatchObject({ number: 4 })
    await expect(history.begin(aStart(at(9)))).rejects.toThrow(fault)
    await history.close()
  })

  it('is written to when it only has added objects', async () => {
    alter('CREATE VIEW my_runs AS SELECT * FROM run; CREATE TABLE more (x); CREATE INDEX own ON change (name)')
    const history = openSqliteHistory(file, owner())
    const draft = await history.begin(aStart(at(9)))
    await draft.abandon(at(10))
    await history.close()
  })
})

describe('an upgrade', () => {
  it('executes no trigger, copies nothing and leaves such a history unchanged', () => {
    alter(trigger)
    // Opening a file gives it a log, even when it is refused.
    alter('PRAGMA journal_mode = WAL')
    const before = readFileSync(file)
    const directory = migrationsWith(dirname(file), '0002_more.sql', 'ALTER TABLE run ADD COLUMN more TEXT;')
    expect(() => openDatabase(file, at(9), { directory })).toThrow(/did not make the trigger evil on run/)
    expect(readdirSync(dirname(file)).filter((name) => name.includes('before'))).toEqual([])
    expect(readFileSync(file).equals(before)).toBe(true)
  })

  it('takes the missing step after a backup, which the next one replaces', () => {
    const directory = migrationsWith(dirname(file), '0002_more.sql', 'ALTER TABLE run ADD COLUMN more TEXT;')
    const warnings: string[] = []
    const upgrade = () =>
      openDatabase(file, at(9), { directory, owner: { ...owner(), warn: (text) => warnings.push(text) } }).close()
    upgrade()
    const copy = `${file}.before-0002`
    expect(warnings).toEqual([`migrating the history from schema 1 to 2; backup: ${copy}`])
    expect(statSync(copy).mode & 0o777).toBe(0o600)
    copyFileSync(copy, file)
    upgrade()
    expect(warnings.length).toBe(2)
    expect(rowsOf('run')).toEqual(expect.arrayContaining([expect.objectContaining({ number: 4, more: null })]))
  })
})
