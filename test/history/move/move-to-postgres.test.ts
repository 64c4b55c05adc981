import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { beforeEach, describe, expect, it } from 'vitest'
import { verifyDatabase } from '../../../src/app/copy-database.ts'
import { openSqliteHistory } from '../../../src/history/sqlite/sqlite-history.ts'
import { longestUid } from '../../../src/model/resource.ts'
import { tries } from '../../thoroughness.ts'
import { aRun, perform } from '../arbitrary-runs.ts'
import { temporaryDatabasePaths } from '../database-fixture.ts'
import { hasPostgres, makeDatabase, openDatabaseFixture } from '../postgres/databases.ts'
import { Machines } from '../processes.ts'
import { aStart, at, aVersion, commit } from '../samples.ts'
import { makeSoundHistory } from '../sound-history.ts'
import { contentsOfDatabase, contentsOfFile, copy, open, request } from './copied.ts'

const nextPath = temporaryDatabasePaths()
let file: string
let back: string
beforeEach(async () => {
  file = nextPath()
  back = join(dirname(file), 'back.db')
  writeFileSync(file, await makeSoundHistory())
})

describe.skipIf(!hasPostgres)('a history that is moved to PostgreSQL', () => {
  const fixture = openDatabaseFixture({ empty: true })

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
    file = nextPath()
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
    await copy(file, fixture.place.url, false, plain)
    expect(await contentsOfDatabase(fixture.place.server)).toEqual(contents)
    expect((await verifyDatabase(fixture.place.server, plain)).ok).toBe(true)
    await copy(fixture.place.url, back, false, plain)
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
      { numRuns: tries(30, { locally: 8 }) },
    )
  })

  it('leaves an empty schema where the copy does not verify', async () => {
    await copy(file, fixture.place.url)
    // A rule of another program that drops what is written.
    await fixture.db.run('DELETE FROM hookdrift.lease')
    const tables = await fixture.db.all<{ name: string }>(
      "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'hookdrift' AND table_type = 'BASE TABLE'",
    )
    const names = tables.map(({ name }) => `hookdrift.${name}`).filter((name) => name !== 'hookdrift.migration')
    await fixture.db.run(`TRUNCATE ${names.join(', ')}`)
    await fixture.db.run('CREATE RULE more AS ON INSERT TO hookdrift.change DO INSTEAD NOTHING')
    writeFileSync(file, await makeSoundHistory())
    await expect(copy(file, fixture.place.url)).rejects.toMatchObject({
      exitCode: 4,
      message: expect.stringMatching(/^the copy was removed: .* does not verify: hookdrift did not make the rule/),
    })
    expect(await fixture.db.value('SELECT count(*) FROM hookdrift.run')).toBe(0)
    await (await open(file).begin(aStart(at(21)))).abandon(at(22))
  })

  it('waits for no lock for long', { timeout: 30_000 }, async () => {
    await copy(file, fixture.place.url)
    await fixture.db.transaction(async (session) => {
      await session.run('UPDATE hookdrift.channel SET dropped = dropped')
      await expect(copy(fixture.place.url, back)).rejects.toMatchObject({
        exitCode: 5,
        message: expect.stringContaining('another process keeps the history'),
      })
    })
  })
})
