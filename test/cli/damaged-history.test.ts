import { closeSync, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs'
import Database from 'better-sqlite3'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { openCliFixture } from './cli-fixture.ts'

const cli = await openCliFixture()
await cli.audit()
await cli.audit()
const db = new Database(cli.directory.file('hookdrift.db'))
db.pragma('journal_mode = DELETE')
db.close()
const sound = readFileSync(cli.directory.file('hookdrift.db'))
afterAll(() => cli[Symbol.asyncDispose]())
beforeEach(() => writeFileSync(cli.directory.file('hookdrift.db'), sound))

/** Every page that begins a table or an index of the named ones is overwritten, as by a failing disk. */
function destroy(names: readonly string[]) {
  const file = cli.directory.file('hookdrift.db')
  const db = new Database(file, { readonly: true })
  const size = Number(db.pragma('page_size', { simple: true }))
  const pages = db
    .prepare<[string], number>('SELECT rootpage FROM sqlite_schema WHERE tbl_name IN (SELECT value FROM json_each(?))')
    .pluck()
    .all(JSON.stringify(names))
  db.close()
  const handle = openSync(file, 'r+')
  for (const page of pages) writeSync(handle, Buffer.alloc(size, 0xff), 0, size, (page - 1) * size)
  closeSync(handle)
}

const commands = [
  ...['audit', 'report', 'status', 'runs', 'violations', 'diff 1 2', 'state', 'baseline show'],
  ...["query 'SELECT * FROM run_coverage'", 'prune --keep-last 1', 'prune --keep-last 1 --dry-run'],
  ...['backup copy.db', 'notify --pending'],
]

const changed = (sql: string) => {
  const db = new Database(cli.directory.file('hookdrift.db'))
  db.pragma('foreign_keys = OFF')
  db.exec(sql)
  db.close()
}

async function fails(line: string, message: RegExp) {
  const { code, stderr } = await cli.run(line)
  expect(stderr).not.toContain('this is a bug')
  expect(stderr).toMatch(message)
  expect(code).toBe(4)
  return stderr
}

describe('a damaged history', () => {
  const tables = ['run', 'scan', 'walk', 'version', 'channel', 'approval', 'notification', 'lease']
  describe.each([
    ['pages', () => destroy(tables)],
    ['tables', () => changed('DROP TABLE walk')],
  ])('with damaged %s', (_, damage) => {
    it.each(commands)('is reported in one sentence by %s', async (line) => {
      damage()
      expect(await fails(line, /hookdrift\.db/)).toMatch(/restore|hookdrift verify/)
    })
  })

  it.each([
    ["UPDATE document SET body = '{'", 'report'],
    ["UPDATE version SET body = '{'", 'state --format json'],
    ["UPDATE version SET facts = '{'", 'audit'],
    ["UPDATE reading SET body = '{' WHERE name = 'filters'", 'audit'],
    [
      `INSERT INTO approval (project_id, project, scopes, note, approved_at, approved_by)
       SELECT id, 'acme/payments', '{', '', '2026-01-01T00:00:00.000Z', 'kim' FROM project`,
      'audit',
    ],
  ])('with a damaged row is reported in one sentence: %s, %s', async (sql, line) => {
    changed(sql)
    await fails(line, /is damaged: (?:it contains a text that is not JSON|malformed JSON)/)
  })

  it('which holds a row that a run is to write is reported in one sentence', async () => {
    changed(`CREATE TEMP TABLE last AS SELECT * FROM scan WHERE run = 2; UPDATE last SET run = 3;
      INSERT INTO scan SELECT * FROM last`)
    const said = await fails('audit', /cannot write to the history .*hookdrift\.db: UNIQUE constraint failed: scan/)
    expect(said).toMatch(/`hookdrift verify .*`: if it finds no damage, please report this/)
  })

  it.each(['report', 'violations --limit 5'])(
    'in which a violation names a run that is not there is reported in one sentence by %s',
    async (line) => {
      changed('UPDATE violation SET first_run = 4711')
      await fails(line, /is damaged: a violation names a run that it does not have/)
    },
  )
})
