import { describe, expect, it } from 'vitest'
import { SharedRunDraft } from '../../../src/app/pool/open-pool.ts'
import { acquireRun } from '../../../src/history/draft/run-draft.ts'
import { SqlScanDraft } from '../../../src/history/draft/scan-draft.ts'
import { movableDatabase } from '../../../src/history/postgres/movable-database.ts'
import { postgresBackend } from '../../../src/history/postgres/postgres-backend.ts'
import { openPostgresHistory } from '../../../src/history/postgres/postgres-history.ts'
import { sqlReader } from '../../../src/history/reader.ts'
import { keepNothing } from '../../../src/history/retention.ts'
import { pruneHistory } from '../../../src/history/sql/prune-history.ts'
import { auditPages } from '../audit-pages.ts'
import { digestsOf } from '../digests-contract.ts'
import { contentsOfDatabase } from '../move/copied.ts'
import { Machines } from '../processes.ts'
import { aContext, aStart, at, commit, orders, payments } from '../samples.ts'
import { hasPostgres, makeDatabase, openDatabaseFixture } from './databases.ts'

const projects = [payments, orders]
const owner = () => ({ ...new Machines().process(1), usesLocalClock: true })

describe.skipIf(!hasPostgres)('the rows of a run that several processes write', () => {
  const fixture = openDatabaseFixture()

  const backend = () => postgresBackend(fixture.db, owner())

  it('are those of one process, where others drafted the projects', async () => {
    const other = await makeDatabase()
    const history = await openPostgresHistory(other.server, owner())
    for (const hour of [1, 2, 3]) {
      const draft = await history.begin(aStart(at(hour)))
      for (const project of projects) await auditPages(draft, project, hour)
      await draft.stageContext(aContext())
      await commit(draft)
    }
    await history.close()
    for (const hour of [1, 2, 3]) {
      const acquired = await acquireRun(backend(), aStart(at(hour)))
      const draft = new SharedRunDraft(backend(), acquired)
      for (const project of projects) {
        const elsewhere = new SqlScanDraft(fixture.db, sqlReader(fixture.db), acquired)
        await auditPages(elsewhere, project, hour)
        await draft.importProject(project, JSON.parse(JSON.stringify(await elsewhere.exportProject(project))))
      }
      await draft.stageContext(aContext())
      await commit(draft)
    }
    expect(await contentsOfDatabase(fixture.place.server)).toEqual(await contentsOfDatabase(other.server))
    await other.remove()
  })

  it('are digested as they are by a process that goes on with the run', async () => {
    const acquired = await acquireRun(backend(), aStart())
    const first = new SharedRunDraft(backend(), acquired)
    await auditPages(first, payments, 1)
    const kept = JSON.stringify(await first.exportProject(payments))
    const second = new SharedRunDraft(backend(), acquired)
    await auditPages(second, orders, 1)
    await second.importProject(payments, JSON.parse(kept))
    expect((await commit(second)).violations).toHaveLength(104)
    const { written, read } = await digestsOf(fixture.db, acquired.run)
    expect(written).toEqual(read)
  })

  it('stay while the run waits for another process: no pruning and no move comes in between', async () => {
    const acquired = await acquireRun(backend(), aStart())
    const draft = new SharedRunDraft(backend(), acquired)
    await auditPages(draft, payments, 1)
    await fixture.db.run(
      `INSERT INTO hookdrift.run_plan (id, request, asked_at, run, stop_at)
       VALUES ('asked', '{}', clock_timestamp(), $1, clock_timestamp() + interval '1 hour')`,
      [acquired.run],
    )
    await draft.release()
    const waiting = { exitCode: 5, message: expect.stringContaining('waits for a worker that coordinates it') }
    const order = { keep: { ...keepNothing, last: 1 }, options: {}, toolVersion: '0.1.0' }
    await expect(pruneHistory(backend(), order)).rejects.toMatchObject(waiting)
    const movable = movableDatabase(fixture.db, owner(), async () => ({ ok: true, run: null, checks: [] }))
    await expect(movable.move('elsewhere', async () => {})).rejects.toMatchObject(waiting)
    expect(await fixture.db.value('SELECT state FROM hookdrift.run')).toBe('running')
  })
})
