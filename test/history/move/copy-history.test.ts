import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { readLocation } from '../../../src/history/location.ts'
import { listRuns } from '../../../src/history/sql/runs.ts'
import type { MakePlace, Place } from '../contract-fixture.ts'
import { temporaryDatabasePaths } from '../database-fixture.ts'
import { hasPostgres, makeDatabase } from '../postgres/databases.ts'
import { makePostgresPlace } from '../postgres/postgres-place.ts'
import { Machines } from '../processes.ts'
import { aStart, at, aVersion, commit, payments, walkAll } from '../samples.ts'
import { makeSoundHistory } from '../sound-history.ts'
import { makeSqlitePlace } from '../sqlite-place.ts'
import { contentsIn, contentsOfDatabase, contentsOfFile, copy, request, verifyFile } from './copied.ts'

const nextPath = temporaryDatabasePaths()
let file: string
let back: string
beforeEach(async () => {
  file = nextPath()
  back = join(dirname(file), 'back.db')
  writeFileSync(file, await makeSoundHistory())
})

const pairs: readonly [string, MakePlace, MakePlace][] = [
  ['a file to a file', makeSqlitePlace, makeSqlitePlace],
  ['a file to a database', makeSqlitePlace, makePostgresPlace],
  ['a database to a file', makePostgresPlace, makeSqlitePlace],
]

describe.each(pairs)('a history that is copied from %s', (pair, makeOld, makeNew) => {
  const skipped = pair.includes('database') && !hasPostgres
  let places: Place[]
  let from: Place
  let to: Place
  /** What messages call the places. */
  let shown: { readonly from: string; readonly to: string }

  beforeEach(async () => {
    if (skipped) return
    from = makeOld({ isEmpty: true })
    to = makeNew({ isEmpty: true })
    places = [from, to]
    await copy(file, await from.address(), true)
    const [old, other] = [readLocation(await from.address(), '/'), readLocation(await to.address(), '/')]
    shown = { from: old.displayName, to: other.displayName }
  })
  afterEach(async () => {
    if (!skipped) for (const place of places) expect(await place.dispose()).toEqual([])
  })

  const copyTo = async (source: Place, target: Place, isSnapshot = false) =>
    copy(await source.address(), await target.address(), isSnapshot)
  /** Long after its runs. */
  const open = (place: Place) => place.open({ ...new Machines().process(1), now: () => Date.parse(at(20)) })
  const leaseOf = (place: Place) =>
    place.inDatabase((db) => db.get<{ token: number; host: string }>('SELECT token, host FROM hookdrift.lease'))

  async function faultsIn(place: Place) {
    const { checks } = await (await place.upkeep(new Machines().process(1))).verify(request)
    return checks.filter((check) => check.ok === false)
  }

  async function runIn(place: Place, hour: number) {
    const history = await open(place)
    const draft = await history.begin(aStart(at(hour)))
    await walkAll(draft)
    await commit(draft)
    await history.close()
    return draft.run
  }

  it.skipIf(skipped)('is the same in the new place, and refuses runs in the old one', async () => {
    const contents = await from.inDatabase(contentsIn)
    expect(await copyTo(from, to)).toMatchObject({ run: { number: 4 }, rows: Object.values(contents).flat().length })
    expect(await to.inDatabase(contentsIn)).toEqual(contents)
    expect(await faultsIn(to)).toEqual([])
    const old = await open(from)
    const refused = {
      exitCode: 5,
      message: expect.stringContaining(`the history ${shown.from} was moved to ${shown.to} at 20`),
    }
    await expect(old.begin(aStart(at(21)))).rejects.toMatchObject(refused)
    await expect(old.revoke([2], { by: 'bob', at: at(21) })).rejects.toMatchObject(refused)
    const note = { text: 'late', happenedAt: at(21), ref: null, projects: [], signed: { by: 'bob', at: at(21) } }
    await expect(old.note(note)).rejects.toMatchObject(refused)
    expect(await old.claim('hook')).toBeUndefined()
    expect((await listRuns(old)).map(({ number }) => number)).toEqual([1, 2, 4])
    await old.close()
    // The mark is not a fault.
    expect(await faultsIn(from)).toEqual([])
    const third = makeSqlitePlace()
    places.push(third)
    await expect(copyTo(from, third)).rejects.toMatchObject(refused)
  })

  it.skipIf(skipped)('goes on in the new place', async () => {
    await copyTo(from, to)
    expect(await runIn(to, 21)).toBe(5)
    expect(await (await open(to)).claim('hook')).toBeGreaterThan(0)
    expect(await faultsIn(to)).toEqual([])
  })

  it.skipIf(skipped)('comes back to its old place, which the copy replaces', async () => {
    await copyTo(from, to)
    await runIn(to, 21)
    const [contents, lease] = [await to.inDatabase(contentsIn), await leaseOf(from)]
    await copyTo(to, from)
    expect(await from.inDatabase(contentsIn)).toEqual(contents)
    expect(await faultsIn(from)).toEqual([])
    expect(await leaseOf(from)).toEqual({ token: (lease?.token ?? 0) + 1, host: '' })
    expect(await runIn(from, 22)).toBe(6)
  })

  it.skipIf(skipped)('does not replace a moved history that has a run of its own', async () => {
    await copyTo(from, to, true)
    await runIn(to, 21)
    const third = makeSqlitePlace()
    places.push(third)
    await copyTo(to, third)
    await expect(copyTo(from, to)).rejects.toMatchObject({
      exitCode: 2,
      message: `${shown.to} contains run 5, which the history to copy does not have`,
    })
  })

  it.skipIf(skipped)('is never merged, nor copied to itself', async () => {
    await copyTo(from, to, true)
    await expect(copyTo(from, to, true)).rejects.toMatchObject({ exitCode: 2 })
    await runIn(to, 21)
    const before = await to.inDatabase(contentsIn)
    for (const isSnapshot of [true, false]) {
      await expect(copyTo(from, to, isSnapshot)).rejects.toMatchObject({
        exitCode: 2,
        message: `${shown.to} contains a history already`,
      })
    }
    expect(await to.inDatabase(contentsIn)).toEqual(before)
    await expect(copyTo(from, from)).rejects.toMatchObject({ exitCode: 2 })
    // Nothing was moved.
    expect(await runIn(from, 21)).toBe(5)
  })

  it.skipIf(skipped)('is moved by the same command where a kill left the copy and the original in use', async () => {
    const contents = await from.inDatabase(contentsIn)
    await copyTo(from, to, true)
    await copyTo(from, to)
    expect(await to.inDatabase(contentsIn)).toEqual(contents)
    await expect(runIn(from, 21)).rejects.toMatchObject({ exitCode: 5 })
    expect(await runIn(to, 21)).toBe(5)
  })

  it.skipIf(skipped)('may fill an empty history', async () => {
    await (await open(to)).close()
    const contents = await from.inDatabase(contentsIn)
    await copyTo(from, to)
    expect(await to.inDatabase(contentsIn)).toEqual(contents)
  })

  it.skipIf(skipped)('is refused while a run lives, unless a snapshot of what is committed is asked for', async () => {
    const history = await from.open({ ...new Machines().process(2), now: () => Date.now() })
    const draft = await history.begin(aStart())
    await expect(copyTo(from, to)).rejects.toMatchObject({
      exitCode: 5,
      message: expect.stringContaining('another run'),
    })
    expect(await to.size()).toMatchObject({ bytes: 0 })
    await draft.stage(payments, [aVersion('n')])
    await copyTo(from, to, true)
    expect(await faultsIn(to)).toEqual([])
    expect(await runIn(to, 21)).toBe(5)
    await draft.abandon(at(22))
  })

  it.skipIf(skipped)('is refused where it does not verify', async () => {
    await from.inDatabase((db) => db.run("UPDATE hookdrift.version SET name = 'z' WHERE id = 1"))
    for (const isSnapshot of [true, false]) {
      await expect(copyTo(from, to, isSnapshot)).rejects.toMatchObject({
        exitCode: 4,
        message: expect.stringMatching(/^nothing was copied: .* does not verify: not as run 1/),
        advice: expect.stringMatching(/^run `hookdrift verify --history \S+`, and copy/),
      })
    }
    expect(await to.size()).toMatchObject({ bytes: 0 })
  })
})

describe('a history that is copied to a file', () => {
  it('is not touched by a snapshot', async () => {
    const before = readFileSync(file)
    await copy(file, back, true)
    expect(readFileSync(file)).toEqual(before)
    expect(await verifyFile(back)).toEqual([])
  })

  it('survives a power cut, and so does the mark of the original, also where it fills a history', async () => {
    await copy(file, back)
    const statements: string[] = []
    const pragma = Database.prototype.pragma
    onTestFinished(() => {
      Database.prototype.pragma = pragma
    })
    Database.prototype.pragma = function (this: Database.Database, ...given: Parameters<typeof pragma>) {
      if (given[0].startsWith('synchronous = F')) statements.push(`${given[0]} of ${basename(this.name)}`)
      return pragma.apply(this, given)
    }
    await copy(back, file)
    expect(statements).toEqual(['synchronous = FULL of back.db', `synchronous = FULL of ${basename(file)}`])
  })

  it('says where it cannot be written', async () => {
    await expect(copy(file, join(file, 'below.db'))).rejects.toMatchObject({
      exitCode: 4,
      message: expect.stringMatching(/^cannot write the history .*below\.db: /),
    })
  })
})

/** A process that copies as far as some tables, and gets no further until it is killed. */
async function copyHalf(from: string, to: string) {
  const module = (path: string) => JSON.stringify(new URL(`../../../src/${path}`, import.meta.url).href)
  const script = `import { openMovable } from ${module('app/open-history.ts')}
    import { readLocation } from ${module('history/location.ts')}
    import { copyRows } from ${module('history/table-rows.ts')}
    const from = await openMovable(readLocation(${JSON.stringify(from)}, '/'), {})
    const to = await openMovable(readLocation(${JSON.stringify(to)}, '/'), {})
    setInterval(() => {}, 1000)
    await from.move(to.shown, (original) => to.fill({ ...original, contains: async () => false, isMove: true }, (target) => copyRows(original, {
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
    expect(
      readdirSync(dirname(file))
        .filter((name) => !/-(?:wal|shm)$/.test(name))
        .sort(),
    ).toEqual(['back.db', 'history.db'])
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
