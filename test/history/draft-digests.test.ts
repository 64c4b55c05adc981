import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { partsOfRun, RunningDigest } from '../../src/history/chain/digest-rows.ts'
import { versionMembers } from '../../src/history/chain/parts.ts'
import { SqliteDatabase } from '../../src/history/sqlite/sqlite-database.ts'
import { openSqliteHistory } from '../../src/history/sqlite/sqlite-history.ts'
import type { ProjectRef } from '../../src/model/resource.ts'
import { faultsOf, temporaryDatabasePath } from './database-fixture.ts'
import { knownIn } from './known-in.ts'
import { Machines } from './processes.ts'
import { aChange, aStart, at, aVersion, aViolation, commit, orders, payments, walkAll } from './samples.ts'

let file: string
let remove: () => void
beforeEach(() => {
  const path = temporaryDatabasePath()
  file = path.file
  remove = path.remove
})
afterEach(() => {
  expect(faultsOf(file)).toEqual([])
  remove()
})

const open = () => openSqliteHistory(file, new Machines().process(1))

/** The digests that a run committed, and those of its rows as they are in the file. */
async function digestsOf(run: number) {
  const db = new Database(file, { readonly: true })
  const written = db.prepare<[number], string>('SELECT part_digests FROM run WHERE number = ?').pluck().get(run)
  const read = await partsOfRun(new SqliteDatabase(db), run)
  const rows = db.prepare<[number], number>('SELECT count(*) FROM version WHERE from_run = ?').pluck().get(run)
  db.close()
  return { written: JSON.parse(written ?? '{}'), read, rows }
}

type History = ReturnType<typeof open>

/** A run that stages `pages` of 150 resources for each project, in turns, and does `meanwhile` after the first page. */
async function write(
  history: History,
  pages: number,
  projects: readonly ProjectRef[],
  meanwhile: (draft: Awaited<ReturnType<History['begin']>>) => Promise<void> = async () => {},
) {
  const draft = await history.begin(aStart())
  for (const project of projects) await walkAll(draft, project)
  for (let page = 0; page < pages; page++) {
    for (const project of projects) {
      const uids = Array.from({ length: 150 }, (_, place) => `${page}-${place}`)
      const known = await knownIn(draft, project, 'endpoint', uids)
      const versions = uids.map((uid) => aVersion(uid, { run: draft.run }, { replaces: known.get(uid)?.id }))
      await draft.stage(project, versions)
      await draft.stageChanges(project, [
        aChange(`${page}-0`, { fields: [{ path: '/name', before: 'é', after: null }] }),
      ])
      await draft.stageViolations(project, {
        confirmed: [],
        violations: [aViolation(`${draft.run}-${page}`, {}, project)],
      })
    }
    if (page === 0) await meanwhile(draft)
  }
  return commit(draft)
}

describe('the digests of a run, kept while its rows are inserted', () => {
  it('are those of its rows, in few transactions or many', async () => {
    const history = open()
    for (const pages of [1, 6]) {
      const { number } = await write(history, pages, [payments, orders])
      const { written, read, rows } = await digestsOf(number)
      expect(rows).toBe(pages * 300)
      expect(Object.keys(written)).toEqual(expect.arrayContaining(['versions', 'changes', 'violations']))
      expect(written).toEqual(read)
    }
    await history.close()
  })

  it('are those of its rows when a project was discarded, before and after its rows were inserted', async () => {
    const history = open()
    for (const pages of [1, 9]) {
      const draft = await history.begin(aStart())
      for (const project of [payments, orders]) await walkAll(draft, project)
      for (let page = 0; page < pages; page++) {
        for (const project of [payments, orders]) {
          const versions = Array.from({ length: 150 }, (_, place) => aVersion(`${pages}-${page}-${place}`))
          await draft.stage(project, versions)
          await draft.stageViolations(project, {
            confirmed: [],
            violations: [aViolation(`${pages}-${page}`, {}, project)],
          })
        }
      }
      await draft.discard(payments)
      await draft.stage(orders, [aVersion(`after ${pages}`)])
      const { number } = await commit(draft)
      const { written, read, rows } = await digestsOf(number)
      expect(rows).toBe(pages * 150 + 1)
      expect(written).toEqual(read)
    }
    await history.close()
  })

  it('are those of its rows when a transaction failed and was tried again', async () => {
    const history = open()
    const other = new Database(file, { timeout: 0 })
    const { number } = await write(history, 1, [payments, orders], async (draft) => {
      other.exec('CREATE TRIGGER refused BEFORE INSERT ON version BEGIN SELECT 1; END')
      const stage = () => draft.stage(payments, [aVersion('late')])
      await expect(stage()).rejects.toThrow('nothing was written')
      other.exec('DROP TRIGGER refused')
      await stage()
    })
    other.close()
    const { written, read, rows } = await digestsOf(number)
    expect(rows).toBe(301)
    expect(written).toEqual(read)
    await history.close()
  })

  it('cover texts that SQLite does not store as they are', async () => {
    const history = open()
    const draft = await history.begin(aStart())
    await walkAll(draft)
    const names = ['half \ud800 a pair', 'nul \0 inside', '\ud83d\ude00', '\u2028', '']
    const versions = names.map((name, place) => aVersion(`${place}`, {}, { name }))
    await draft.stage(payments, versions)
    await draft.stageChanges(
      payments,
      names.map((name, place) => aChange(`${place}`, { name, referrers: [name] })),
    )
    await draft.stageViolations(payments, {
      confirmed: [],
      violations: names.map((name, place) => aViolation(`${place}`, { name, message: name })),
    })
    await commit(draft)
    const { written, read } = await digestsOf(1)
    expect(written).toEqual(read)
    await history.close()
  })

  it('are not known once they are spoiled', () => {
    const digest = new RunningDigest(versionMembers)
    expect(digest.end()).toEqual({ digest: undefined })
    digest.spoil()
    expect(digest.end()).toBeUndefined()
  })
})

describe('rows that wait', () => {
  it('are found by the run that staged them', async () => {
    const history = open()
    const first = await history.begin(aStart(at(1)))
    await walkAll(first)
    const users = ['u', 'v'].map((uid) => aVersion(uid, { source_uid: 's' }, { kind: 'subscription' }))
    await first.stage(payments, users)
    expect(await first.referrers(payments, ['s'])).toEqual(new Map([['s', ['u', 'v']]]))
    await first.stage(payments, [aVersion('a', { url: 'here' })])
    const [body] = await first.versionsAt(payments, [{ kind: 'endpoint', uid: 'a', run: first.run }])
    expect(body?.attributes).toEqual({ url: 'here' })
    await first.stageViolations(payments, { confirmed: [], violations: [aViolation('a')] })
    const [old] = await first.oldViolations(payments, { high: at(2) })
    expect(old?.uid).toBe('a')
    expect((await commit(first)).violations.map(({ uid, state }) => [uid, state])).toEqual([['a', 'opened']])
    await history.close()
  })

  it('leave nothing when the run is abandoned', async () => {
    const history = open()
    const draft = await history.begin(aStart(at(1)))
    await walkAll(draft)
    await draft.stage(payments, [aVersion('a')])
    await draft.abandon(at(2))
    await expect(draft.stage(payments, [aVersion('b')])).rejects.toMatchObject({ exitCode: 5 })
    const next = await history.begin(aStart(at(3)))
    expect(await knownIn(next, payments, 'endpoint', ['a', 'b'])).toEqual(new Map())
    await commit(next)
    await history.close()
  })
})
