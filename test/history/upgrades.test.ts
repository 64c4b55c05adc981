import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { composeReport } from '../../src/audit/compose-report.ts'
import { resealingStep } from '../../src/history/sqlite/reseal/is-resealed.ts'
import { openSqliteHistory } from '../../src/history/sqlite/sqlite-history.ts'
import { verifyHistory } from '../../src/history/sqlite/verify/verify-history.ts'
import { openSecrets } from '../../src/inventory/open-secrets.ts'
import type { Report } from '../../src/model/report.ts'
import { escapeForRegExp } from '../../src/service/foreign-text.ts'
import { temporaryDatabasePath } from './database-fixture.ts'
import { Machines } from './processes.ts'
import { resealing } from './resealing-fixture.ts'
import { aStart, at, walkAll } from './samples.ts'
import { inTodaysWords } from './todays-words.ts'

const fixtures = join(import.meta.dirname, '../fixtures/histories')
const schemas = readdirSync(fixtures).flatMap((name) => /^(\d{4})\.db\.gz$/.exec(name)?.[1] ?? [])
const newest = readdirSync(join(import.meta.dirname, '../../migrations')).filter((name) => name.endsWith('.sql')).length

function unpacked(name: string): Buffer {
  return gunzipSync(readFileSync(join(fixtures, name)))
}

let file: string
let remove: () => void
beforeEach(() => {
  const path = temporaryDatabasePath()
  file = path.file
  remove = path.remove
})
afterEach(() => remove())

const messages: string[] = []
/** Long after the fixtures were made. */
const owner = () => ({
  ...new Machines().process(1),
  now: () => Date.parse('2027-01-01T00:00:00Z'),
  warn: (text: string) => messages.push(text),
})

function faults(): unknown[] {
  const db = new Database(file, { readonly: true })
  const exitCodeOf = (record: Parameters<typeof composeReport>[0]) => composeReport(record).verdict.exit_code
  const { checks } = verifyHistory(db, { depth: 'deep', exitCodeOf, openSecrets })
  db.close()
  return checks.filter(({ ok }) => !ok)
}

/** Members that a report of that time had; later ones may be added, and more of it may be sealed. */
function asThen(now: unknown, then: unknown): unknown {
  if (typeof now === 'string' && typeof then === 'string') return isSealedForm(now, then) ? then : now
  if (Array.isArray(then) && Array.isArray(now)) return now.map((value, index) => asThen(value, then[index]))
  if (typeof then !== 'object' || then === null || typeof now !== 'object' || now === null) return now
  const values = new Map(Object.entries(now))
  return Object.fromEntries(Object.entries(then).map(([name, value]) => [name, asThen(values.get(name), value)]))
}

/** Whether one text is another with parts of it sealed. */
function isSealedForm(now: string, then: string): boolean {
  const pieces = now.split(/sealed:(?:[0-9a-f]{32}|masked)/)
  return new RegExp(`^${pieces.map(escapeForRegExp).join('[^]*')}$`).test(then)
}

/** A run whose rows were sealed anew has left the chain, and every notice was filed under some listing. */
function comparable(report: unknown): unknown {
  return JSON.parse(JSON.stringify(report), (name, value) => {
    if (name === 'chain') return null
    return name === 'notices' ? value.map(({ project, text }: Report['notices'][number]) => ({ project, text })) : value
  })
}

describe.each(schemas)('a history of schema %s', (schema) => {
  beforeEach(() => {
    messages.length = 0
    writeFileSync(file, unpacked(`${schema}.db.gz`))
  })

  it('opens, reports the same, and verifies', async () => {
    const reports: Report[] = inTodaysWords(JSON.parse(unpacked(`${schema}.reports.json.gz`).toString()))
    const history = openSqliteHistory(file, owner(), resealing)
    expect((await history.runs()).map(({ number }) => number)).toEqual(reports.map(({ run }) => run.number))
    for (const report of reports) {
      const record = await history.readRun(report.run.number)
      expect(asThen(comparable(record && composeReport(record)), report)).toEqual(comparable(report))
    }
    await history.close()
    expect(faults()).toEqual([])
  })

  it('continues: the next run closes the killed run, vouches for earlier rows, and verifies', async () => {
    const history = openSqliteHistory(file, owner(), resealing)
    const draft = await history.begin(aStart(at(1)))
    expect([draft.run, draft.interrupted]).toEqual([10, [9]])
    await walkAll(draft)
    const { chain } = await draft.commit(at(2), (record) => composeReport(record).verdict.exit_code)
    expect(chain).toMatch(/^[0-9a-f]{64}$/)
    await history.close()
    expect(faults()).toEqual([])
    const db = new Database(file)
    db.exec("UPDATE version SET name = 'z' WHERE id = 1")
    db.close()
    expect(faults()).not.toEqual([])
  })

  // A history of the newest schema is not upgraded, so it has no copy from before.
  if (Number(schema) === newest) return

  it('is copied first, for its owner only, and the operator is notified where', () => {
    openSqliteHistory(file, owner(), resealing).close()
    const copy = `${file}.before-${String(Number(schema) + 1).padStart(4, '0')}`
    expect(readdirSync(dirname(file)).sort()).toEqual([basename(file), basename(copy)])
    expect(statSync(copy).mode & 0o777).toBe(0o600)
    const steps = `migrating the history from schema ${Number(schema)} to ${newest}`
    expect(messages).toEqual([
      Number(schema) < resealingStep
        ? `${steps}, and sealing secrets that an earlier version stored in clear, which takes a while; backup: ${copy}, with these secrets in clear: destroy it once you trust the upgrade`
        : `${steps}; backup: ${copy}`,
    ])
    const then = new Database(unpacked(`${schema}.db.gz`))
    const now = new Database(copy, { readonly: true })
    for (const sql of [
      'PRAGMA user_version',
      'SELECT * FROM run',
      'SELECT * FROM version',
      'SELECT * FROM violation',
    ]) {
      expect(now.prepare(sql).all()).toEqual(then.prepare(sql).all())
    }
    now.close()
    then.close()
  })
})

describe('an upgrade', () => {
  it.each([2, 4, newest])(
    'whose process dies within the step to schema %i continues there at the next start',
    async (step) => {
      writeFileSync(file, unpacked('0001.db.gz'))
      const script = join(import.meta.dirname, 'killed-process.ts')
      const { signal, stderr } = spawnSync(process.execPath, [script, file, 'migration', `${step}`], {
        encoding: 'utf8',
      })
      expect({ signal, stderr }).toEqual({ signal: 'SIGKILL', stderr: '' })
      const left = new Database(file)
      // From the step that seals rows anew on, all are taken together.
      expect(left.pragma('user_version', { simple: true })).toBe(Math.min(step, resealingStep) - 1)
      left.close()
      const reports: Report[] = inTodaysWords(JSON.parse(unpacked('0001.reports.json.gz').toString()))
      const history = openSqliteHistory(file, owner(), resealing)
      for (const report of reports) {
        const record = await history.readRun(report.run.number)
        expect(asThen(comparable(record && composeReport(record)), report)).toEqual(comparable(report))
      }
      await history.close()
      expect(faults()).toEqual([])
      const copy = new Database(`${file}.before-0002`, { readonly: true })
      expect(copy.pragma('user_version', { simple: true })).toBe(1)
      copy.close()
    },
  )

  it('that was killed is repeated, and the copy next to it is of the state before', () => {
    writeFileSync(file, unpacked('0001.db.gz'))
    const db = new Database(file)
    const killed = new Database(file)
    // A process that died within the step leaves its transaction to be rolled back.
    killed.exec('BEGIN EXCLUSIVE; CREATE TABLE document (x INTEGER)')
    killed.close()
    db.close()
    openSqliteHistory(file, owner(), resealing).close()
    expect(faults()).toEqual([])
    const copy = new Database(`${file}.before-0002`, { readonly: true })
    expect(copy.pragma('user_version', { simple: true })).toBe(1)
    copy.close()
  })

  it('leaves a history at its schema when rows refer to missing ones', () => {
    writeFileSync(file, unpacked('0001.db.gz'))
    const db = new Database(file)
    db.pragma('foreign_keys = OFF')
    db.exec('DELETE FROM project WHERE id = 1')
    db.close()
    expect(() => openSqliteHistory(file, owner(), resealing)).toThrow(/would refer to rows that project does not have/)
    const after = new Database(file, { readonly: true })
    expect(after.pragma('user_version', { simple: true })).toBe(1)
    after.close()
  })

  it('is refused without its copy', () => {
    writeFileSync(file, unpacked('0001.db.gz'))
    mkdirSync(`${file}.before-0002`)
    expect(() => openSqliteHistory(file, owner(), resealing)).toThrow(
      expect.objectContaining({ exitCode: 4, advice: expect.stringContaining('the history is unchanged') }),
    )
    const after = new Database(file, { readonly: true })
    expect(after.pragma('user_version', { simple: true })).toBe(1)
    after.close()
  })
})

describe('a history whose links are from before schema 10', () => {
  beforeEach(() => writeFileSync(file, unpacked('0009.db.gz')))

  it('keeps them, and the next run continues them with all that is recorded today', async () => {
    const links = (db: Database.Database) => db.prepare("SELECT chain FROM run WHERE number <= 8 AND chain <> ''").all()
    const before = links(new Database(unpacked('0009.db.gz')))
    const history = openSqliteHistory(file, owner(), resealing)
    const draft = await history.begin(aStart(at(1)))
    await walkAll(draft)
    await draft.commit(at(2), (record) => composeReport(record).verdict.exit_code)
    await history.close()
    const db = new Database(file, { readonly: true })
    expect(links(db)).toEqual(before)
    expect(db.prepare('SELECT chain_version FROM run WHERE number IN (8, 10)').pluck().all()).toEqual([1, 3])
    db.close()
  })

  it.each([
    ["UPDATE scan SET name = 'z' WHERE run = 3 AND project_id = 1", 'not as run 3 committed it: walks'],
    ['DELETE FROM scan WHERE project_id = 3', 'not as run 8 committed it: projects, walks'],
    ["INSERT INTO scan (project_id, run, name) VALUES (4, 1, 'z')", 'not as run 1 committed it: projects, walks'],
    ['UPDATE run SET chain_version = 2 WHERE number = 1', 'not as run 1 committed it: scans'],
    ['UPDATE run SET chain_version = NULL WHERE number = 1', 'not as run 1 committed it: scans'],
    ["UPDATE walk SET cause = 'tls' WHERE run = 5 AND status = 'failed'", 'has a cause that does not match its reason'],
    ["UPDATE notice SET code = 'rule_failed'", 'has a code that does not match its text'],
    ['UPDATE notice SET listing = NULL', 'not as run 8 committed it: notices'],
    ["UPDATE walk SET cause = 'tls' WHERE run = 1", 'has a cause that does not match its reason'],
  ])('does not verify after %s', (sql, fault) => {
    openSqliteHistory(file, owner(), resealing).close()
    const db = new Database(file)
    db.exec(sql)
    db.close()
    expect(JSON.stringify(faults())).toContain(fault)
  })

  it('says why earlier walks were not complete, and what earlier notices are about', async () => {
    const history = openSqliteHistory(file, owner(), resealing)
    const record = await history.readRun(5)
    const incomplete = record?.coverage.filter(({ status }) => status !== 'complete')
    expect(new Set(incomplete?.map(({ cause }) => cause))).toEqual(new Set(['http']))
    const notices = (await history.readRun(8))?.notices.map(({ code, listing }) => [code, listing])
    expect(notices).toEqual([
      ['seal_key_changed', null],
      ['seal_key_changed', null],
    ])
    await history.close()
  })
})
