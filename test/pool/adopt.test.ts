import { describe, expect, it } from 'vitest'
import { openDrafts } from '../../src/app/pool/open-pool.ts'
import { writePlan } from '../../src/app/pool/runs.ts'
import { findBrokenLink } from '../../src/history/chain/links.ts'
import { postgresBackend } from '../../src/history/postgres/postgres-backend.ts'
import { sqlAcceptances } from '../../src/history/sql/acceptances.ts'
import { unknownScope } from '../../src/model/run-scope.ts'
import { hasPostgres, openDatabaseFixture } from '../history/postgres/databases.ts'
import { aStart, at } from '../history/samples.ts'

const on = (host: string) => ({
  host,
  bootId: host,
  pid: 1,
  isAlive: () => true,
  now: () => Date.now(),
  every: () => () => {},
})

describe.skipIf(!hasPostgres)('a run whose coordinator was lost with its machine', () => {
  const fixture = openDatabaseFixture()

  it('is adopted before the lease expires for others, and the lost one commits nothing', async () => {
    const { db } = fixture
    const silentFor = (seconds: number) =>
      db.run('UPDATE hookdrift.lease SET heartbeat_at = clock_timestamp() - make_interval(secs => $1)', [seconds])
    const [lost, successor] = [openDrafts(db, on('one')), openDrafts(db, on('two'))]
    const begun = await lost.begin(aStart(at(1)))
    await silentFor(5)
    await expect(successor.adopt(begun.run)).rejects.toMatchObject({ kind: 'busy' })
    await silentFor(8)
    await expect(successor.begin(aStart(at(2)))).rejects.toMatchObject({ kind: 'busy' })
    const adopted = await successor.adopt(begun.run)
    await expect(begun.commit(at(3), () => 0)).rejects.toMatchObject({ kind: 'busy' })
    expect(await adopted.commit(at(3), () => 0)).toMatchObject({ number: begun.run })
  })

  it('takes no decision of a person between two coordinators, as long as its time lasts', async () => {
    const { db } = fixture
    const drafts = openDrafts(db, on('one'))
    const begun = await drafts.begin(aStart(at(1)))
    const plan = { lists: [], isWholeFleet: true, areAll: true, scope: unknownScope }
    await db.run("INSERT INTO hookdrift.run_plan (id, request, asked_at) VALUES ('r', '{}', clock_timestamp())")
    await writePlan(db, 'r', { run: begun.run, plan, runTimeoutMs: 60_000 })
    const { accept } = sqlAcceptances(postgresBackend(db, on('two')))
    const refused = { kind: 'busy', message: expect.stringContaining(`run ${begun.run} writes to `) }
    await begun.release()
    await expect(accept([])).rejects.toMatchObject(refused)
    await db.run("UPDATE hookdrift.run_plan SET stop_at = stop_at - interval '3 minutes'")
    await accept([])
    await db.run("UPDATE hookdrift.run_plan SET stop_at = stop_at + interval '3 minutes'")
    await expect(accept([])).rejects.toMatchObject(refused)
    await (await drafts.adopt(begun.run)).commit(at(3), () => 0)
    await accept([])
  })

  it('is not adopted once another run closed it, whose link covers how it ended', async () => {
    const { db } = fixture
    const [lost, other] = [openDrafts(db, on('one')), openDrafts(db, on('two'))]
    const begun = await lost.begin(aStart(at(1)))
    await db.run("UPDATE hookdrift.lease SET heartbeat_at = 'epoch'")
    await (await other.begin(aStart(at(2)))).commit(at(3), () => 0)
    const ended = { kind: 'busy', message: expect.stringContaining(`run ${begun.run} was ended by another process`) }
    await expect(other.adopt(begun.run).then((draft) => draft.abandon(at(4)))).rejects.toMatchObject(ended)
    expect(await db.snapshot(findBrokenLink)).toBeUndefined()
  })
})
