import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { wrapMarkdown } from '../../scripts/reference/wrap-markdown.ts'
import { askInProcess, runQuery } from '../../src/history/sqlite/run-query.ts'
import { explainViews } from '../../src/history/sqlite/views.ts'
import { views } from '../../src/history/views.ts'
import { rowCounts } from '../audit/fleet-fixture.ts'
import { refusal } from '../cli/refusal.ts'
import { command } from '../cli/run-in-process.ts'
import { openDirectory } from '../cli/start-process.ts'
import { unknownNames } from '../history/unknown-names.ts'
import { type HistoryFixture, openHistoryFixture } from './history-fixture.ts'

const endless = 'WITH RECURSIVE c (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT'

describe('query', () => {
  let historyFixture: HistoryFixture
  let file: string

  beforeAll(async () => {
    historyFixture = await openHistoryFixture({ fleet: { endpointsPerProject: 3 } })
    await historyFixture.fixture.audit()
    file = historyFixture.fixture.harness.file
  })
  afterAll(() => historyFixture[Symbol.asyncDispose]())

  const all = (sql: string) => runQuery({ file, sql, rows: 1000, characters: 1e6 })

  it.each([
    ['SELECT 1 AS a, 2 AS a', ['a', 'a_2'], [1, 2]],
    ["values (x'00ff')", ['column1'], ["x'00ff'"]],
    [
      '-- why\n/* not */ WITH t (n) AS (VALUES (9007199254740993)) SELECT n, 9e999 AS big, NULL AS no FROM t;',
      ['n', 'big', 'no'],
      ['9007199254740993', 'Infinity', null],
    ],
    ['SELECT number FROM committed_run', ['number'], [1]],
  ])('answers %s', (sql, columns, row) => {
    expect(all(sql)).toEqual({ columns, rows: [row], isCut: false })
  })

  it('explains why it refuses a write, and does not write', () => {
    const before = rowCounts(file)
    expect(all('EXPLAIN DELETE FROM run').rows.length).toBeGreaterThan(3)
    expect(all('EXPLAIN QUERY PLAN SELECT * FROM run').rows.length).toBe(1)
    expect(rowCounts(file)).toEqual(before)
  })

  it.each([
    ['', /refused: it is empty/],
    ['-- nothing', /refused: it is empty/],
    ['DELETE FROM run', /refused: it begins with DELETE/],
    ["ATTACH 'other.db' AS o", /refused: it begins with ATTACH/],
    ['PRAGMA user_version = 7', /refused: it begins with PRAGMA/],
    ['VACUUM', /refused: it begins with VACUUM/],
    ['WITH t AS (SELECT 1) DELETE FROM run', /refused: it would write/],
    ['SELECT 1; DELETE FROM run', /failed: .*more than one statement/],
    ['SELECT uid FROM nowhere', /failed: no such table: nowhere/],
    ["SELECT load_extension('x')", /failed: not authorized/],
    ['SELECT ?', /failed: .*parameter/],
    ['SELECT 1 FROM', /failed: .*incomplete input/],
    [`SELECT abs(-9223372036854775808)`, /failed: integer overflow/],
  ])('refuses %s with 2 and leaves the history as it was', (sql, message) => {
    const before = rowCounts(file)
    expect(() => all(sql)).toThrow(expect.objectContaining({ exitCode: 2, message: expect.stringMatching(message) }))
    expect(rowCounts(file)).toEqual(before)
  })

  it.each(unknownNames)('names what was probably meant by %s', (sql, meant, advice) => {
    const end = meant === undefined ? /: \w+$/ : new RegExp(`, did you mean ${meant}\\?$`)
    expect(() => all(sql)).toThrow(
      expect.objectContaining({
        exitCode: 2,
        message: expect.stringMatching(end),
        advice: expect.stringMatching(advice),
      }),
    )
  })

  it('is ended after its time, even inside of SQLite', async () => {
    const order = { file, sql: `${endless} max(n) FROM c`, rows: 10, characters: 1000, timeoutMs: 5000 }
    await expect(askInProcess({ ...order, timeoutMs: 400 })).rejects.toMatchObject({
      exitCode: 2,
      message: 'the query was cut: it took more than 0.4 s',
    })
  })

  it('stops at the row limit, and at answers that are too large', async () => {
    const order = { file, sql: `${endless} n FROM c`, rows: 3, characters: 1000, timeoutMs: 5000 }
    expect(await askInProcess(order)).toEqual({ columns: ['n'], rows: [[1], [2], [3]], isCut: true })
    const large = { file, sql: `${endless} hex(randomblob(300)) FROM c`, rows: 1e9, characters: 1000, timeoutMs: 5000 }
    await expect(askInProcess(large)).rejects.toMatchObject({ exitCode: 2, message: /more than 1000 characters/ })
  })

  it('prints a refusal on stderr, and says when there are more rows', async () => {
    expect(await historyFixture.ask("query 'DROP TABLE run'")).toEqual(
      refusal(/refused: it begins with DROP.*\n {2}begin with SELECT/),
    )
    const cut = await historyFixture.rows("query 'SELECT uid FROM current_resource' --limit 1")
    expect([cut.rows.length, cut.omitted, cut.run.number]).toEqual([1, 'unknown', 1])
  })

  it('refuses a history in PostgreSQL, says what to ask it with, and connects to nothing', async () => {
    using directory = openDirectory()
    const nowhere = 'postgres://127.0.0.1:1/hookdrift'
    directory.write('away.yaml', `history: ${nowhere}\nservices: []\n`)
    const ask = (args: readonly string[], env: Record<string, string> = {}) =>
      command(['query', ...args], { cwd: directory.path, env })
    const advice =
      /asks a history in a file, and this one is in PostgreSQL\n {2}.*`psql`.*`hookdrift docs many-machines`/
    for (const [args, env] of [
      [['SELECT 1', '--history', nowhere], {}],
      [['SELECT 1'], { HOOKDRIFT_HISTORY: nowhere }],
      [['SELECT 1', '--config', 'away.yaml'], {}],
      [['DROP TABLE run', '--history', nowhere], {}],
    ] as const) {
      expect(await ask(args, env)).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(advice) })
    }
    expect(await ask(['--views', '--history', nowhere])).toMatchObject({ code: 0, stderr: '' })
  })

  it('describes every view with its columns, without a history', async () => {
    const explained = explainViews()
    expect(explained.map(({ view }) => view).sort()).toEqual(Object.keys(views).sort())
    const db = new Database(file, { readonly: true })
    const guide = join(import.meta.dirname, '../../docs/how-to/ask-the-history.md')
    const list = wrapMarkdown(explained.map(({ view, about }) => `- \`${view}\`: ${about}`).join('\n'))
    const page = readFileSync(guide, 'utf8')
    const current = page.replace(/(?<=<!-- views -->\n).*?(?=<!-- end -->)/s, () => `${list}\n`)
    if (process.env.UPDATE_PAGES !== undefined) writeFileSync(guide, current)
    else expect(page).toBe(current)
    for (const { view, columns, about } of explained) {
      expect(about).not.toBe('')
      expect(
        db
          .prepare(`SELECT * FROM ${view}`)
          .columns()
          .map(({ name }) => name),
      ).toEqual(columns)
    }
    db.close()
    const grants = readFileSync(join(import.meta.dirname, '../../docs/how-to/many-machines.md'), 'utf8')
    const granted = /GRANT SELECT ON ([^;]*) TO hookdrift_reader;/.exec(grants)?.[1] ?? ''
    expect(granted.split(/,\s+/)).toEqual(Object.keys(views).map((view) => `hookdrift.${view}`))
    const { stdout: help } = await historyFixture.ask('query --help')
    expect(help.split(/[\s,]+/)).toEqual(expect.arrayContaining(Object.keys(views)))
    const { code, stdout } = await historyFixture.ask('query --views')
    expect(code).toBe(0)
    expect(stdout).toMatch(/^open_violation\nactive violations that no waiver accepts/m)
    expect((await historyFixture.rows('query --views')).rows).toEqual(explained)
  })
})
