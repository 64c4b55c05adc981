import { describe, expect, it } from 'vitest'
import { partsOfRun } from '../../src/history/chain/digest-rows.ts'
import type { HistoryDatabase } from '../../src/history/sql/session.ts'
import { auditPages } from './audit-pages.ts'
import { openContractFixture, type Place } from './contract-fixture.ts'
import { aChange, aVersion, aViolation, commit, orders, payments, walkAll } from './samples.ts'

/** The digests that a run committed, those of its rows as they are, and how many versions it began. */
export function digestsOf(db: HistoryDatabase, run: number) {
  return db.snapshot(async (session) => {
    const written = await session.value<string>('SELECT part_digests FROM hookdrift.run WHERE number = $1', [run])
    const versions = await session.value<number>('SELECT count(*) FROM hookdrift.version WHERE from_run = $1', [run])
    return { written: JSON.parse(written ?? '{}'), read: await partsOfRun(session, run), versions }
  })
}

/** What every backend promises of the digests of a run, which are kept while its rows are inserted. */
export function describeDigests(name: string, makePlace: () => Place): void {
  describe(`${name}: the digests of a run`, () => {
    const fixture = openContractFixture(makePlace)

    /** Expects them to be those of its rows; returns how many versions it began. */
    async function expectDigested(run: number) {
      const { written, read, versions } = await fixture.place.inDatabase((db) => digestsOf(db, run))
      expect(Object.keys(written)).toEqual(expect.arrayContaining(['versions', 'changes', 'violations']))
      expect(written).toEqual(read)
      return versions
    }

    it('are those of its rows, in few pages or many, with what they change and end', async () => {
      const versions: (number | undefined)[] = []
      for (const hour of [1, 2, 3, 4]) {
        const draft = await fixture.begin()
        for (const project of [payments, orders]) await auditPages(draft, project, hour)
        await commit(draft)
        versions.push(await expectDigested(draft.run))
      }
      expect(versions).toEqual([1040, 390, 176, 66])
    })

    it('are those of its rows where projects are written concurrently', async () => {
      const many = Array.from({ length: 6 }, (_, at) => ({ ...payments, name: `p${at}`, uid: `P${at}` }))
      for (const hour of [1, 2, 3]) {
        const draft = await fixture.begin()
        await Promise.all(many.map((project) => auditPages(draft, project, hour)))
        await commit(draft)
        await expectDigested(draft.run)
      }
    })

    it.each([1, 9])('are those of its rows when a project was discarded after %i pages', async (pages) => {
      const draft = await fixture.begin()
      for (const project of [payments, orders]) await walkAll(draft, project)
      for (let page = 0; page < pages; page += 1) {
        for (const project of [payments, orders]) {
          const uids = Array.from({ length: 150 }, (_, place) => `${page}-${place}`)
          const versions = uids.map((uid) => aVersion(uid))
          await draft.stage(project, versions)
          await draft.stageChanges(project, [aChange(`${page}`)])
          await draft.stageViolations(project, { confirmed: [], violations: [aViolation(`${page}`, {}, project)] })
        }
      }
      await draft.discard(payments)
      await draft.stage(orders, [aVersion('after')])
      await commit(draft)
      expect(await expectDigested(1)).toBe(pages * 150 + 1)
    })

    it('cover texts that a database does not store as they are', async () => {
      const names = ['half \ud800 a pair', 'nul \0 inside', '\ud83d\ude00', '\u2028', '']
      await fixture.run(async (draft) => {
        const versions = names.map((name, place) => aVersion(`${place}`, {}, { name }))
        await draft.stage(payments, versions)
        const changes = names.map((name, place) => aChange(`${place}`, { name, referrers: [name] }))
        await draft.stageChanges(payments, changes)
        const violations = names.map((name, place) => aViolation(`${place}`, { name, message: name }))
        await draft.stageViolations(payments, { confirmed: [], violations })
      })
      await expectDigested(1)
    })
  })
}
