import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { partsOfRun } from '../../../src/history/chain/digest-rows.ts'
import { acquireRun } from '../../../src/history/draft/begin-run.ts'
import { followingIds } from '../../../src/history/draft/draft-ids.ts'
import { SqlScanDraft } from '../../../src/history/draft/scan-draft.ts'
import type { History, ScanDraft } from '../../../src/history/history.ts'
import { connect, type PostgresDatabase } from '../../../src/history/postgres/connect.ts'
import { postgresBackend } from '../../../src/history/postgres/postgres-backend.ts'
import { openPostgresHistory } from '../../../src/history/postgres/postgres-history.ts'
import { leaseFence } from '../../../src/history/sql/backend.ts'
import { openSqliteHistory } from '../../../src/history/sqlite/sqlite-history.ts'
import { canonicalJson } from '../../../src/model/canonical-json.ts'
import type { ProjectRef } from '../../../src/model/resource.ts'
import { SharedRunDraft } from '../../../src/pool/drafts.ts'
import { temporaryDatabasePath } from '../database-fixture.ts'
import { knownIn } from '../known-in.ts'
import { contentsOfDatabase, contentsOfFile } from '../move/copied.ts'
import { Machines } from '../processes.ts'
import {
  aChange,
  aContext,
  aCoverage,
  aNotice,
  aStart,
  at,
  aVersion,
  aViolation,
  commit,
  endedAs,
  instead,
  orders,
  payments,
} from '../samples.ts'
import { hasPostgres, makeDatabase, type TestDatabase } from './databases.ts'
import { playEvents } from './eventful-history.ts'

const owner = () => ({ ...new Machines().process(1), isClockOwn: true })
const projects = [payments, orders]

describe.skipIf(!hasPostgres)('the rows of a run in PostgreSQL', () => {
  let place: TestDatabase
  let db: PostgresDatabase
  let file: string
  let remove: () => void
  beforeEach(async () => {
    ;({ file, remove } = temporaryDatabasePath())
    place = await makeDatabase()
    db = connect(place.server)
  })
  afterEach(async () => {
    await db.close()
    await place.remove()
    remove()
  })

  const backend = () => postgresBackend(db, owner())

  async function playInFile(work: (history: History) => Promise<unknown>): Promise<void> {
    const history = openSqliteHistory(file, owner())
    await work(history)
    await history.close()
  }

  async function playInDatabase(work: (history: History) => Promise<unknown>): Promise<void> {
    const history = await openPostgresHistory(place.server, owner())
    await work(history)
    await history.close()
  }

  /** Compares every row, with its id, and so the links over them. */
  async function expectSameRows(): Promise<void> {
    const [ofDatabase, ofFile] = [await contentsOfDatabase(place.server), await contentsOfFile(file)]
    for (const [table, rows] of Object.entries(ofFile))
      expect({ [table]: ofDatabase[table] }).toEqual({ [table]: rows })
  }

  /** Compares the digests that a run committed with those of its rows. */
  async function expectDigested(run: number): Promise<void> {
    const written = await db.value<string>('SELECT part_digests FROM hookdrift.run WHERE number = $1', [run])
    const read = await db.snapshot((session) => partsOfRun(session, run))
    expect(written).toBe(canonicalJson(read))
  }

  it('are those of SQLite, after runs with something of everything', async () => {
    await playInFile(playEvents)
    await playInDatabase(playEvents)
    await expectSameRows()
  })

  it('are those of SQLite, after runs of many pages and discarded projects', async () => {
    const runs = async (history: History) => {
      for (const hour of [1, 2, 3]) {
        const draft = await history.begin(aStart(at(hour)))
        for (const project of projects) await auditPages(draft, project, hour)
        await draft.stageContext(aContext())
        await commit(draft)
      }
    }
    await playInFile(runs)
    await playInDatabase(runs)
    await expectSameRows()
  })

  it('are those of SQLite where other processes drafted the projects', async () => {
    await playInFile(async (history) => {
      for (const hour of [1, 2, 3]) {
        const draft = await history.begin(aStart(at(hour)))
        for (const project of projects) await auditPages(draft, project, hour)
        await draft.stageNotice(undefined, { code: 'clock_went_back', listing: null, text: 'r' })
        await draft.stageContext(aContext())
        await commit(draft)
      }
    })
    for (const hour of [1, 2, 3]) {
      const acquired = await acquireRun(backend(), aStart(at(hour)))
      const ids = await followingIds(db)
      const draft = new SharedRunDraft(backend(), acquired, ids)
      for (const project of projects) {
        const fence = leaseFence(acquired.token)
        const elsewhere = new SqlScanDraft(backend(), { run: acquired.run, fence, ids })
        await auditPages(elsewhere, project, hour)
        await draft.importProject(project, JSON.parse(JSON.stringify(await elsewhere.exportProject(project))))
      }
      await draft.stageNotice(undefined, { code: 'clock_went_back', listing: null, text: 'r' })
      await draft.stageContext(aContext())
      await commit(draft)
    }
    await expectSameRows()
  })

  it('are digested as they are where projects are written concurrently', async () => {
    await playInDatabase(async (history) => {
      const many = Array.from({ length: 6 }, (_, at): ProjectRef => ({ ...payments, name: `p${at}`, uid: `P${at}` }))
      for (const hour of [1, 2, 3]) {
        const draft = await history.begin(aStart(at(hour)))
        await Promise.all(many.map((project) => auditPages(draft, project, hour)))
        await commit(draft)
      }
    })
    for (const run of [1, 2, 3]) await expectDigested(run)
  })

  it('are digested as they are by a process that goes on with a run', async () => {
    const { run, token } = await acquireRun(backend(), aStart())
    const ids = await followingIds(db)
    const first = new SharedRunDraft(backend(), { run, token, interrupted: [] }, ids)
    await auditPages(first, payments, 1)
    const kept = JSON.stringify(await first.exportProject(payments))
    const second = new SharedRunDraft(backend(), { run, token, interrupted: [] }, ids)
    await auditPages(second, orders, 1)
    await second.importProject(payments, JSON.parse(kept))
    expect((await commit(second)).violations).toHaveLength(104)
    await expectDigested(run)
  })

  it('are not written by a draft whose fence is gone', async () => {
    const { run, token } = await acquireRun(backend(), aStart())
    const stopped = { ...backend(), now: () => 0 }
    const draft = new SqlScanDraft(stopped, { run, ids: await followingIds(db), fence: leaseFence(token) })
    // Its clock stops, so only a statement that writes notices.
    await draft.stageScan(payments)
    await db.run('UPDATE hookdrift.lease SET token = token + 1')
    await draft.stageNotice(payments, { code: 'fields_changed', listing: null, text: '' })
    await expect(draft.stage(payments, [aVersion('a')])).rejects.toMatchObject({ exitCode: 5 })
    await expect(draft.exportProject(payments)).rejects.toMatchObject({ exitCode: 5 })
    await expect(draft.discard(payments)).rejects.toMatchObject({ exitCode: 5 })
    expect(await db.value('SELECT count(*) FROM hookdrift.version')).toBe(0)
    expect(await db.value('SELECT count(*) FROM hookdrift.project')).toBe(0)
  })
})

/** Pages of a project that were new, are changed and are gone by turns. */
async function auditPages(draft: ScanDraft, project: ProjectRef, hour: number): Promise<void> {
  await draft.stageScan(project)
  await draft.stageWalk(project, aCoverage('endpoints'), hour === 2 ? ['/name'] : undefined)
  await draft.stageWalk(project, aCoverage('subscriptions', hour === 2 ? 'suspect' : 'complete'), undefined)
  if (hour === 2 && project === orders) {
    await auditPage(draft, project, { hour: 9, page: 9 })
    await draft.discard(project)
  }
  for (let page = 1; page <= 5 - hour; page += 1) await auditPage(draft, project, { hour, page })
  const isTaken = ({ uid }: { readonly uid: string }) => Number.parseInt(uid, 10) <= 5 - hour
  const current = (await draft.current(project)).filter(({ kind }) => kind === 'endpoint')
  const unseen = current.filter((version) => !isTaken(version))
  await draft.endVersions(
    project,
    unseen.map(({ id }) => id),
  )
  await draft.stageChanges(
    project,
    unseen.map(({ uid }) => aChange(uid, { change: 'removed' })),
  )
  await draft.endViolations(
    project,
    endedAs(
      (await draft.unconfirmedViolations(project)).map(({ id }) => id),
      'removed',
    ),
  )
  await draft.markUnreferenced(project, 'source', hour === 2 ? ['s'] : ['s', 't'])
  await draft.stageNotice(project, aNotice('endpoints', `noticed in ${hour}`))
  if (hour === 2) await draft.withholdRemovals(project, 'subscriptions', ['x'])
}

async function auditPage(
  draft: ScanDraft,
  project: ProjectRef,
  { hour, page }: { readonly hour: number; readonly page: number },
): Promise<void> {
  const uids = Array.from({ length: 130 }, (_, place) => `${page}-${place}`)
  const known = await knownIn(draft, project, 'endpoint', uids)
  const changed = uids.filter((_, place) => place % hour === 0)
  const versions = changed.map((uid) => aVersion(uid, { hour }, { replaces: known.get(uid)?.id }))
  await draft.stage(project, versions)
  await draft.stageChanges(
    project,
    changed.slice(0, 20).map((uid) => aChange(uid, { fields: [{ path: '/hour', before: 'é', after: hour }] })),
  )
  const active = new Map((await draft.activeViolations(project, 'endpoint', uids)).map((one) => [one.uid, one]))
  const found = uids.filter((_, place) => place % 10 === 0)
  await draft.stageViolations(project, {
    confirmed: found.flatMap((uid, at) => (at % 2 === 0 ? (active.get(uid)?.id ?? []) : [])),
    violations: found.flatMap((uid, at) => {
      const known = active.get(uid)
      if (known === undefined) return [aViolation(uid, {}, project)]
      return at % 2 === 0 ? [] : [instead(known, { message: `in ${hour}` })]
    }),
  })
}
