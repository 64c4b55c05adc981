import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openSqliteHistory } from '../../../src/history/sqlite/sqlite-history.ts'
import { temporaryDatabasePath } from '../database-fixture.ts'
import { hasPostgres, makeDatabase } from '../postgres/databases.ts'
import { Machines } from '../processes.ts'
import { aStart, at, aVersion, commit, payments, walkAll } from '../samples.ts'
import { makeSoundHistory } from '../sound-history.ts'
import { contentsOfDatabase, contentsOfFile, copy, open, verifyFile } from './copied.ts'

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
function alter(path: string, sql: string): void {
  const db = new Database(path)
  db.exec(sql)
  db.close()
}

describe('a history that is copied from file to file', () => {
  it('is the same in the new place, and refuses runs in the old one', async () => {
    const contents = await contentsOfFile(file)
    expect(await copy(file, back)).toMatchObject({ run: { number: 4 }, rows: Object.values(contents).flat().length })
    expect(await contentsOfFile(back)).toEqual({ ...contents })
    expect(await verifyFile(back)).toEqual([])
    const old = open(file)
    const refused = {
      exitCode: 5,
      message: expect.stringMatching(
        new RegExp(`^the history ${file} was moved to ${back} at 20.*, and takes no more runs$`),
      ),
    }
    await expect(old.begin(aStart(at(21)))).rejects.toMatchObject(refused)
    await expect(old.revoke([2], { by: 'bob', at: at(21) })).rejects.toMatchObject(refused)
    expect(await old.claim('hook')).toBeUndefined()
    expect((await old.runs()).map(({ number }) => number)).toEqual([1, 2, 4])
    await old.close()
    // The mark is not a fault.
    expect(await verifyFile(file)).toEqual([])
    await expect(copy(file, join(dirname(file), 'third.db'))).rejects.toMatchObject(refused)
  })

  it('goes on in the new place', async () => {
    await copy(file, back)
    const history = open(back)
    const draft = await history.begin(aStart(at(21)))
    expect(draft.run).toBe(5)
    await walkAll(draft)
    await commit(draft)
    expect(await history.claim('hook')).toBeGreaterThan(0)
    await history.close()
    expect(await verifyFile(back)).toEqual([])
  })

  it('stays in use after a snapshot', async () => {
    const before = readFileSync(file)
    await copy(file, back, true)
    expect(readFileSync(file)).toEqual(before)
    expect(await verifyFile(back)).toEqual([])
  })

  it('comes back to its old place, which the copy replaces', async () => {
    await copy(file, back)
    const history = open(back)
    const draft = await history.begin(aStart(at(21)))
    await walkAll(draft)
    await commit(draft)
    await history.close()
    const contents = await contentsOfFile(back)
    await copy(back, file)
    expect(await contentsOfFile(file)).toEqual(contents)
    expect(await verifyFile(file)).toEqual([])
    const again = open(file)
    expect((await again.begin(aStart(at(22)))).run).toBe(6)
    await again.close()
  })

  it('does not replace a moved history that has a run of its own', async () => {
    await copy(file, back, true)
    const history = open(back)
    const draft = await history.begin(aStart(at(21)))
    await walkAll(draft)
    await commit(draft)
    await history.close()
    await copy(back, join(dirname(file), 'third.db'))
    await expect(copy(file, back)).rejects.toMatchObject({
      exitCode: 2,
      message: `${back} contains run 5, which the history to copy does not have`,
    })
  })

  it('is never merged, nor copied to itself', async () => {
    writeFileSync(back, readFileSync(file))
    const before = await contentsOfFile(back)
    for (const isSnapshot of [true, false]) {
      await expect(copy(file, back, isSnapshot)).rejects.toMatchObject({
        exitCode: 2,
        message: `${back} contains a history already`,
      })
    }
    expect(await contentsOfFile(back)).toEqual(before)
    await expect(copy(file, file)).rejects.toMatchObject({ exitCode: 2 })
    // Nothing was moved.
    await (await open(file).begin(aStart(at(21)))).abandon(at(22))
  })

  it('may fill an empty history', async () => {
    await open(back).close()
    const contents = await contentsOfFile(file)
    await copy(file, back)
    expect(await contentsOfFile(back)).toEqual(contents)
  })

  it('is refused while a run lives, and leaves no file', async () => {
    const machines = new Machines()
    const history = openSqliteHistory(file, { ...machines.process(2), now: () => Date.now() })
    const draft = await history.begin(aStart())
    await expect(copy(file, back)).rejects.toMatchObject({
      exitCode: 5,
      message: expect.stringContaining('another run'),
    })
    expect(files()).toEqual(['history.db'])
    await draft.stage(payments, [aVersion('n')])
    // A snapshot has what is committed.
    await copy(file, back, true)
    expect(await verifyFile(back)).toEqual([])
    const copied = open(back)
    expect((await copied.begin(aStart(at(21)))).run).toBe(5)
    await copied.close()
    await draft.abandon(at(22))
    await history.close()
  })

  it('is refused where it does not verify', async () => {
    alter(file, "UPDATE version SET name = 'z' WHERE id = 1")
    for (const isSnapshot of [true, false]) {
      await expect(copy(file, back, isSnapshot)).rejects.toMatchObject({
        exitCode: 4,
        message: expect.stringMatching(/^nothing was copied: .* does not verify: I10: not as run 1/),
      })
    }
    expect(files()).toEqual(['history.db'])
  })

  it('says where it cannot be written', async () => {
    await expect(copy(file, join(file, 'below.db'))).rejects.toMatchObject({
      exitCode: 4,
      message: expect.stringMatching(/^cannot write the history .*below\.db: /),
    })
  })
})

/** A process that copies as far as some tables, and gets no further until it is killed. */
async function copyHalf(from: string, to: string): Promise<void> {
  const module = (path: string) => JSON.stringify(new URL(`../../../src/${path}`, import.meta.url).href)
  const script = `import { openMovable } from ${module('app/open-movable.ts')}
    import { readLocation } from ${module('history/location.ts')}
    import { copyRows } from ${module('history/table-rows.ts')}
    const from = await openMovable(readLocation(${JSON.stringify(from)}, '/'), {})
    const to = await openMovable(readLocation(${JSON.stringify(to)}, '/'), {})
    setInterval(() => {}, 1000)
    await from.move(to.shown, (original) => to.fill(async () => false, (target) => copyRows(original, {
      write: (table, rows) => {
        if (table.name !== 'walk') return target.write(table, rows)
        console.log('at work')
        return new Promise(() => {})
      },
    })))`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'inherit'] })
  await once(child.stdout, 'data')
  child.kill('SIGKILL')
  await once(child, 'close')
}

describe('a copy that is killed midway', () => {
  it('leaves no file that the next copy does not remove, and the original in use', async () => {
    const contents = await contentsOfFile(file)
    await copyHalf(file, back)
    expect(existsSync(back)).toBe(false)
    await copy(file, back)
    expect(await contentsOfFile(back)).toEqual(contents)
    expect(files()).toEqual(['back.db', 'history.db'])
  })

  it.skipIf(!hasPostgres)('leaves an empty history on a server', async () => {
    const contents = await contentsOfFile(file)
    const place = await makeDatabase({ empty: true })
    await copyHalf(file, place.url)
    // The server may take a moment to notice.
    await copy(file, place.url)
    expect(await contentsOfDatabase(place.server)).toEqual(contents)
    await copyHalf(place.url, back)
    await copy(place.url, back)
    expect(await contentsOfFile(back)).toEqual(contents)
    await place.remove()
  })
})
