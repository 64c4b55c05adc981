import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { verifyDatabase } from '../../../src/app/copy-database.ts'
import { acquireRun } from '../../../src/history/draft/run-draft.ts'
import { upgradeSchema } from '../../../src/history/postgres/migrate.ts'
import { postgresBackend } from '../../../src/history/postgres/postgres-backend.ts'
import { temporaryDatabasePaths } from '../database-fixture.ts'
import { hasPostgres, openDatabaseFixture } from '../postgres/databases.ts'
import { Machines } from '../processes.ts'
import { aStart, at } from '../samples.ts'
import { makeSoundHistory } from '../sound-history.ts'
import { copyToPostgres, request } from './copied.ts'

describe.skipIf(!hasPostgres)('verify of a PostgreSQL history', () => {
  const fixture = openDatabaseFixture()
  const nextPath = temporaryDatabasePaths()
  let file: string
  beforeEach(async () => {
    file = nextPath()
    writeFileSync(file, await makeSoundHistory())
    await copyToPostgres(file, fixture.place.server)
  })

  const verify = () => verifyDatabase(fixture.place.server, request)
  const failed = async () => {
    const { ok, checks } = await verify()
    const faults = checks.filter((check) => check.ok === false).map(({ id, detail }) => `${id}: ${detail}`)
    expect(ok).toBe(faults.length === 0)
    return faults
  }

  it('makes every check of a file, and leaves damage of pages to PostgreSQL', async () => {
    const { ok, run, checks } = await verify()
    expect(checks.filter((check) => check.ok === false)).toEqual([])
    expect({ ok, run: run?.number }).toEqual({ ok: true, run: 4 })
    expect(checks.map(({ id }) => id).sort()).toEqual(
      ['integrity_check', 'foreign_key_check', 'schema', 'migration', 'records']
        .concat(['I1', 'I2', 'I3', 'I4', 'I5', 'I6', 'I7', 'I8', 'I9', 'I10'])
        .sort(),
    )
    expect(checks.find(({ id }) => id === 'integrity_check')).toEqual({
      id: 'integrity_check',
      ok: null,
      detail: 'left to PostgreSQL: data checksums are off',
    })
  })

  it('leaves no copy behind', async () => {
    // Other tests verify at the same time: this one has a directory of its own.
    const usual = process.env.TMPDIR
    const own = mkdtempSync(join(tmpdir(), 'hookdrift-own-'))
    process.env.TMPDIR = own
    onTestFinished(() => {
      if (usual === undefined) delete process.env.TMPDIR
      else process.env.TMPDIR = usual
      rmSync(own, { recursive: true })
    })
    await verify()
    await fixture.db.run('ALTER TABLE hookdrift.document DROP CONSTRAINT document_sha256_key CASCADE')
    await fixture.db.run(
      'INSERT INTO hookdrift.document (id, sha256, body) SELECT 99, sha256, body FROM hookdrift.document LIMIT 1',
    )
    expect(await failed()).toEqual([
      expect.stringMatching(
        /^schema: the constraint document\.document_sha256_key is missing; .*document_sha256_key is missing$/,
      ),
      'records: a row cannot be copied: UNIQUE constraint failed: document.sha256',
    ])
    expect(readdirSync(own)).toEqual([])
  })

  it.each([
    ['altered', 'CREATE OR REPLACE VIEW hookdrift_scoped.channel AS SELECT * FROM hookdrift.channel', 'did not make'],
    [
      'made wider',
      'CREATE OR REPLACE VIEW hookdrift_scoped.version AS SELECT * FROM hookdrift.version',
      'the view version is not as hookdrift made it',
    ],
    ['removed', 'DROP VIEW hookdrift_scoped.withheld_removal', 'the view withheld_removal is missing'],
  ])('notices that a view of readers of some projects was %s, and an upgrade makes it anew', async (_, sql, fault) => {
    await fixture.db.run(sql)
    expect(await failed()).toEqual([
      expect.stringMatching(
        `^schema: in hookdrift_scoped, .*${fault}.*: .hookdrift history upgrade. makes these views anew$`,
      ),
    ])
    await upgradeSchema(fixture.db, at(9))
    expect(await failed()).toEqual([])
  })

  it.each([
    [
      'a body',
      "UPDATE hookdrift.version SET body = '{}' || body WHERE id = 1",
      /^I2: the body of endpoint a since run 1/,
    ],
    ['a name', "UPDATE hookdrift.version SET name = 'z' WHERE id = 1", /^I10: not as run 1 committed it: versions/],
    ['a violation', 'DELETE FROM hookdrift.violation WHERE to_run IS NOT NULL', /^I10: not as run 1/],
    [
      'a reference',
      "UPDATE hookdrift.version SET source_uid = 's' WHERE id = 1",
      /^I2: the column source_uid of endpoint a since run 1 .version 1. does not/,
    ],
    [
      'the lease',
      "INSERT INTO hookdrift.lease VALUES (1, 1, 'a', 'b', 7, '2026-01-01Z', '2026-01-01Z')",
      /^records: the lease is taken, and no run/,
    ],
    ['a channel', "UPDATE hookdrift.channel SET pid = -1 WHERE name = 'hook'", /^records: channel hook names no valid/],
    ['a migration', "UPDATE hookdrift.migration SET name = ''", /^migration: migration 1 differs/],
    [
      'a time of one',
      "UPDATE hookdrift.migration SET applied_at = 'now'",
      /^migration: migration 1 has an invalid time/,
    ],
    [
      'a draft',
      `ALTER TABLE hookdrift.run DISABLE TRIGGER USER; UPDATE hookdrift.run SET state = 'running' WHERE number > 2`,
      /^I1: run 4 is running, and so is another run/,
    ],
  ])('notices that %s was altered', async (_, sql, fault) => {
    await fixture.db.run(sql)
    expect(await failed()).toContainEqual(expect.stringMatching(fault))
  })

  it.each([
    [
      'CREATE TRIGGER my_more BEFORE INSERT ON hookdrift.run FOR EACH ROW EXECUTE FUNCTION suppress_redundant_updates_trigger()',
      'hookdrift did not make the trigger run.my_more on run',
    ],
    [
      'CREATE TRIGGER more BEFORE UPDATE ON hookdrift.run FOR EACH ROW EXECUTE FUNCTION suppress_redundant_updates_trigger()',
      'hookdrift did not make the trigger run.more on run',
    ],
    ['CREATE RULE more AS ON DELETE TO hookdrift.run DO INSTEAD NOTHING', 'hookdrift did not make the rule run.more'],
    ['DROP INDEX hookdrift.version_began', 'the index version_began is missing'],
    [
      'DROP INDEX hookdrift.version_began; CREATE INDEX version_began ON hookdrift.version (kind)',
      'the index version_began is not as hookdrift made it',
    ],
    ['CREATE INDEX more ON hookdrift.run (state)', 'hookdrift did not make the index more on run'],
    [
      'ALTER TABLE hookdrift.walk DROP CONSTRAINT walk_status_check',
      'the constraint walk.walk_status_check is missing',
    ],
    ['ALTER TABLE hookdrift.walk DISABLE TRIGGER ALL', 'hookdrift did not make the trigger walk.RI_'],
    [
      'ALTER TABLE hookdrift.unreferenced ALTER to_run TYPE integer',
      'the table unreferenced is not as hookdrift made it',
    ],
    ['ALTER TABLE hookdrift.run ALTER tool_version DROP NOT NULL', 'the table run is not as hookdrift made it'],
    [
      'ALTER TABLE hookdrift.notice ALTER text TYPE text COLLATE "POSIX"',
      'the table notice is not as hookdrift made it',
    ],
    ['ALTER TABLE hookdrift.run ADD COLUMN more text', 'the table run is not as hookdrift made it'],
    ['ALTER TABLE hookdrift.run ENABLE ROW LEVEL SECURITY', 'the table run is not as hookdrift made it'],
    ['ALTER TABLE hookdrift.walk SET UNLOGGED', 'the table walk is not as hookdrift made it'],
    [
      'CREATE TABLE hookdrift.my_runs () INHERITS (hookdrift.run)',
      'hookdrift did not make the table run, inherited by my_runs',
    ],
    ['DROP VIEW hookdrift.drift', 'the view drift is missing'],
    [
      'CREATE OR REPLACE VIEW hookdrift.committed_run AS SELECT number, started_at, finished_at, exit_code, fail_on, tool_version, policy_digest, configuration_digest, chain FROM hookdrift.run WHERE number > 1',
      'the view committed_run is not as hookdrift made it',
    ],
    ['DROP TABLE hookdrift.incident', 'the table incident is missing'],
    ['CREATE TABLE hookdrift.more (x int)', 'hookdrift did not make the table more'],
    ['CREATE SEQUENCE hookdrift.more', 'hookdrift did not make the sequence more'],
  ])('notices in the schema: %s', async (sql, fault) => {
    // A column that a view reads keeps its type.
    await fixture.db.run(`DROP SCHEMA hookdrift_scoped CASCADE; ${sql}`)
    expect(await failed()).toContainEqual(expect.stringContaining(fault))
  })

  it('knows a run of several workers that waits for another one to coordinate it', async () => {
    const backend = postgresBackend(fixture.db, new Machines().process(1))
    const { run, token } = await acquireRun(backend, aStart(at(99)))
    await fixture.db.run(
      "INSERT INTO hookdrift.run_plan (id, request, asked_at, run) VALUES ('asked', '{}', clock_timestamp(), $1)",
      [run],
    )
    await backend.lease.release(fixture.db, token)
    expect(await failed()).toEqual([])
    await fixture.db.run('UPDATE hookdrift.run_plan SET ended_at = clock_timestamp()')
    expect(await failed()).toEqual([`records: run ${run} is being written, and the lease is free`])
  })

  it('lets people add tables, views and indexes of their own', async () => {
    await fixture.db.run(`CREATE TABLE hookdrift.my_notes (id bigserial PRIMARY KEY, note text NOT NULL);
      CREATE VIEW hookdrift.my_runs AS SELECT * FROM hookdrift.run;
      CREATE INDEX my_index ON hookdrift.run (started_at)`)
    expect(await failed()).toEqual([])
  })

  it('reads no row of an altered table', async () => {
    await fixture.db.run('ALTER TABLE hookdrift.run RENAME COLUMN chain TO former')
    const { ok, run, checks } = await verify()
    expect({ ok, run }).toEqual({ ok: false, run: null })
    expect(checks.map((check) => [check.id, check.ok])).toEqual([
      ['schema', false],
      ['records', null],
    ])
  })

  it('works in a schema of another name', async () => {
    await fixture.db.run(
      'ALTER SCHEMA hookdrift RENAME TO audits; ALTER SCHEMA hookdrift_scoped RENAME TO audits_scoped',
    )
    const server = { ...fixture.place.server, schema: 'audits' }
    const { checks } = await verifyDatabase(server, request)
    expect(checks.filter((check) => check.ok === false)).toEqual([])
  })

  it('refuses a database without a history', async () => {
    const server = { ...fixture.place.server, schema: 'other' }
    await expect(verifyDatabase(server, request)).rejects.toMatchObject({
      exitCode: 4,
      message: expect.stringContaining('there is no history at'),
    })
  })
})

it('the rows of a server are not verified where there is no room for a copy, and that is said', () => {
  const module = (path: string) => JSON.stringify(new URL(`../../../src/history/${path}`, import.meta.url).href)
  const own = mkdtempSync(join(tmpdir(), 'hookdrift-own-'))
  onTestFinished(() => rmSync(own, { recursive: true }))
  const file = join(own, 'copy.db')
  const program = `const { verifyRows } = await import(${module('sqlite/copied-rows-in-file.ts')})
    const rows = async function* ({ name }) {
      for (let id = 1; name === 'document' && id < 20; id++) yield [[id, 'digest ' + id, 'x'.repeat(100_000)]]
    }
    const at = { file: ${JSON.stringify(file)}, now: '2026-03-01T00:00:00.000Z' }
    await verifyRows({ rows }, { depth: 'plain' }, at).catch((error) => console.log(error.message + '; ' + error.advice))`
  const { stdout } = spawnSync(
    'sh',
    ['-c', 'ulimit -f 1600; exec "$0" --input-type=module -e "$1"', process.execPath, program],
    { encoding: 'utf8', env: { ...process.env, NODE_COMPILE_CACHE: '' } },
  )
  expect(stdout).toMatch(/^cannot copy the rows to \S+copy\.db to verify them: .*; make room there, or name/)
})
