import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { backUpDatabase, verifyDatabase } from '../../../src/app/copy-database.ts'
import { verificationOf } from '../../../src/app/verify-report.ts'
import { connect, type PostgresDatabase } from '../../../src/history/postgres/connect.ts'
import { openSqliteHistory } from '../../../src/history/sqlite/sqlite-history.ts'
import { longestUid } from '../../../src/model/resource.ts'
import { aRun, perform } from '../arbitrary-runs.ts'
import { makeAuditedHistory } from '../audited-history.ts'
import { temporaryDatabasePath } from '../database-fixture.ts'
import { hasPostgres, makeDatabase, type TestDatabase } from '../postgres/databases.ts'
import { Machines } from '../processes.ts'
import { aStart, at, aVersion, commit } from '../samples.ts'
import { makeSoundHistory } from '../sound-history.ts'
import { contentsOfDatabase, contentsOfFile, copy, open, request, verifyFile } from './copied.ts'

let file: string
let back: string
let remove: () => void
beforeEach(async () => {
  ;({ file, remove } = temporaryDatabasePath())
  back = join(dirname(file), 'back.db')
  writeFileSync(file, await makeSoundHistory())
})
afterEach(() => remove())

const files = () =>
  readdirSync(dirname(file))
    .filter((name) => !/-(?:wal|shm)$/.test(name))
    .sort()
describe.skipIf(!hasPostgres)('a history that is moved to PostgreSQL', () => {
  let place: TestDatabase
  let db: PostgresDatabase
  beforeEach(async () => {
    place = await makeDatabase({ empty: true })
    db = connect(place.server)
  })
  afterEach(async () => {
    await db.close()
    await place.remove()
  })

  const faultsThere = async () => {
    const { checks } = await verifyDatabase(place.server, request)
    return checks.filter((check) => check.ok === false)
  }

  it('has the same rows and chain, verifies, and comes back', async () => {
    const contents = await contentsOfFile(file)
    await copy(file, place.url)
    expect(await contentsOfDatabase(place.server)).toEqual(contents)
    expect(await faultsThere()).toEqual([])
    await copy(place.url, back)
    expect(await contentsOfFile(back)).toEqual(contents)
    expect(await verifyFile(back)).toEqual([])
    // The mark is not a fault there either.
    expect(await faultsThere()).toEqual([])
    await expect(copy(place.url, join(dirname(file), 'third.db'))).rejects.toMatchObject({
      exitCode: 5,
      message: expect.stringMatching(new RegExp(`was moved to ${back} at 2`)),
    })
    const tokens = await db.all<{ token: number }>('SELECT token FROM hookdrift.lease')
    expect(tokens).toEqual([{ token: 1 }])
    // And again to the server, which the file contains.
    await copy(back, place.url)
    expect(await contentsOfDatabase(place.server)).toEqual(contents)
    expect(await db.all('SELECT token, host FROM hookdrift.lease')).toEqual([{ token: 2, host: '' }])
    expect(await faultsThere()).toEqual([])
  })

  it('takes along audits of a fleet, to the exit codes of their runs', async () => {
    writeFileSync(file, await makeAuditedHistory())
    const contents = await contentsOfFile(file)
    await copy(file, place.url, true, verificationOf('deep'))
    expect(await contentsOfDatabase(place.server)).toEqual(contents)
    const { checks } = await verifyDatabase(place.server, verificationOf('deep'))
    expect(checks.filter((check) => check.ok === false)).toEqual([])
  })

  it('keeps every text', async () => {
    // A long text looks like a credential to the deep checks.
    const plain = { ...request, depth: 'plain' as const }
    const long = 'u'.repeat(longestUid - 1)
    const texts = [
      '\0',
      'a\0b',
      '\u0001',
      '\u0001\u0001\0',
      `${long}\0`,
      '\ud800',
      'a\udfffb',
      '\u{10ffff}',
      '"{}\\,',
      'NULL',
      '',
    ]
    remove()
    ;({ file, remove } = temporaryDatabasePath())
    back = join(dirname(file), 'back.db')
    const history = open(file)
    const draft = await history.begin(aStart(at(1)))
    const project = { service: 'acme\0\u0001', uid: long, name: 'acme/\0' }
    await draft.stageScan(project)
    for (const text of texts) {
      const version = aVersion(
        text,
        { endpoint_uid: text, source_uid: `${text}\0`, long: text.repeat(1000) },
        { kind: 'subscription', name: text },
      )
      await draft.stage(project, [version])
    }
    await commit(draft)
    await history.close()
    const contents = await contentsOfFile(file)
    await copy(file, place.url, false, plain)
    expect(await contentsOfDatabase(place.server)).toEqual(contents)
    expect((await verifyDatabase(place.server, plain)).ok).toBe(true)
    await copy(place.url, back, false, plain)
    expect(await contentsOfFile(back)).toEqual(contents)
  })

  it('is the same there and back, after any runs', { timeout: 180_000 }, async () => {
    let count = 0
    await fc.assert(
      fc.asyncProperty(fc.array(aRun, { maxLength: 4 }), async (runs) => {
        count += 1
        const [path, other] = [join(dirname(file), `random-${count}.db`), join(dirname(file), `other-${count}.db`)]
        const there = await makeDatabase()
        const machines = new Machines()
        for (const [index, run] of runs.entries()) {
          const process = machines.process(index + 1)
          const history = openSqliteHistory(path, process)
          const draft = await history.begin(aStart(at(index + 1)))
          await perform(draft, run)
          if (run.end === 'commit') await draft.commit(at(index + 1), () => 0)
          if (run.end === 'abandon') await draft.abandon(at(index + 1))
          if (run.end === 'kill') process.kill()
          await history.close()
        }
        if (runs.length === 0) await open(path).close()
        const contents = await contentsOfFile(path)
        await copy(path, there.url)
        expect(await contentsOfDatabase(there.server)).toEqual(contents)
        await copy(there.url, other)
        expect(await contentsOfFile(other)).toEqual(contents)
        await there.remove()
      }),
      { numRuns: 30 },
    )
  })

  it('leaves an empty schema where the copy does not verify', async () => {
    await copy(file, place.url)
    // A rule of another program that drops what is written.
    await db.run('DELETE FROM hookdrift.lease')
    const tables = await db.all<{ name: string }>(
      "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'hookdrift' AND table_type = 'BASE TABLE'",
    )
    const names = tables.map(({ name }) => `hookdrift.${name}`).filter((name) => name !== 'hookdrift.migration')
    await db.run(`TRUNCATE ${names.join(', ')}`)
    await db.run('CREATE RULE more AS ON INSERT TO hookdrift.change DO INSTEAD NOTHING')
    writeFileSync(file, await makeSoundHistory())
    await expect(copy(file, place.url)).rejects.toMatchObject({
      exitCode: 4,
      message: expect.stringMatching(
        /^the copy was removed: .* does not verify: schema: hookdrift did not make the rule/,
      ),
    })
    expect(await db.value('SELECT count(*) FROM hookdrift.run')).toBe(0)
    await (await open(file).begin(aStart(at(21)))).abandon(at(22))
  })

  it('is refused where rows were altered on the server', async () => {
    await copy(file, place.url)
    await db.run("UPDATE hookdrift.violation SET message = 'm' WHERE id = 1")
    await expect(copy(place.url, back)).rejects.toMatchObject({
      exitCode: 4,
      message: expect.stringContaining('does not verify: I10: not as run 1 committed it: violations'),
    })
    expect(existsSync(back)).toBe(false)
  })

  it('is refused while a run lives there', async () => {
    await copy(file, place.url)
    await db.run(
      `INSERT INTO hookdrift.lease VALUES (1, 1, 'elsewhere', 'boot', 7, clock_timestamp(), clock_timestamp())`,
    )
    await expect(copy(place.url, back)).rejects.toMatchObject({ exitCode: 5 })
    await db.run(
      "INSERT INTO hookdrift.run SELECT 9, 'running', started_at, NULL, NULL, fail_on, tool_version, policy_digest, configuration_digest, seal_key_id, normal_form_version, 0, 0 FROM hookdrift.run WHERE number = 1",
    )
    await copy(place.url, back, true)
    expect(await verifyFile(back)).toEqual([])
  })

  it('waits for no lock for long', { timeout: 30_000 }, async () => {
    await copy(file, place.url)
    await db.transaction(async (session) => {
      await session.run('UPDATE hookdrift.channel SET dropped = dropped')
      await expect(copy(place.url, back)).rejects.toMatchObject({
        exitCode: 5,
        message: expect.stringContaining('another process keeps the history'),
      })
    })
  })

  it('can be backed up to a file, complete or absent', async () => {
    await copy(file, place.url)
    const contents = await contentsOfDatabase(place.server)
    const made = await backUpDatabase(place.server, back, { ...request, replace: false })
    expect(made).toMatchObject({ verification: { ok: true, run: { number: 4 } } })
    expect(await contentsOfFile(back)).toEqual(contents)
    await expect(backUpDatabase(place.server, back, { ...request, replace: false })).rejects.toMatchObject({
      exitCode: 2,
    })
    await db.run("UPDATE hookdrift.version SET body = '{}' || body")
    await expect(backUpDatabase(place.server, back, { ...request, replace: true })).rejects.toMatchObject({
      exitCode: 4,
      message: expect.stringMatching(/^no backup was made: the copy of postgres:.* does not verify: I2/),
    })
    expect(await contentsOfFile(back)).toEqual(contents)
    expect(files()).toEqual(['back.db', 'history.db'])
  })
})
