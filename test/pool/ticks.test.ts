import { describe, expect, it } from 'vitest'
import { connect } from '../../src/history/postgres/connect.ts'
import { openJobs, runQueue } from '../../src/pool/jobs.ts'
import { type RunRequest, takeTick } from '../../src/pool/runs.ts'
import { openCuttingProxy } from '../history/postgres/cutting-proxy.ts'
import { hasPostgres, openDatabaseFixture } from '../history/postgres/databases.ts'

const request: RunRequest = {
  schedule: 'nightly',
  configurationDigest: 'configuration',
  policyDigest: 'policy',
  only: [],
  sealKeyId: 'key',
  failOn: 'medium',
  runsProbes: true,
  acceptsRemovals: false,
  notifies: true,
  runTimeoutMs: 60_000,
}

describe.skipIf(!hasPostgres)('a tick of a schedule', () => {
  const fixture = openDatabaseFixture()

  /** `worker` sees a tick through a connection to the database. */
  async function open(db = fixture.db) {
    const jobs = await openJobs(db, () => {})
    const take = (worker: string, dueAt: number, id = `${worker} ${dueAt}`) =>
      takeTick({ db, jobs }, { schedule: 'nightly', dueAt, worker, id }, request)
    return { jobs, take, [Symbol.asyncDispose]: () => jobs.close() }
  }

  it('makes one run, however many workers see it', async () => {
    await using ticks = await open()
    const workers = ['a', 'b', 'c', 'd', 'e', 'f']
    const first = await Promise.all(workers.map((worker) => ticks.take(worker, 1_000)))
    expect(first.toSorted()).toEqual(['elsewhere', 'elsewhere', 'elsewhere', 'elsewhere', 'elsewhere', 'taken'])
    // The run of the tick before is not over.
    const second = await Promise.all(workers.map((worker) => ticks.take(worker, 2_000)))
    expect(second.toSorted()).toEqual(['elsewhere', 'elsewhere', 'elsewhere', 'elsewhere', 'elsewhere', 'running'])
    expect(await fixture.db.value('SELECT count(*) FROM hookdrift.run_plan')).toBe(1)
  })

  it.each(['before', 'after', 'meanwhile'] as const)(
    'makes one run where the connection breaks %s its COMMIT is sent, once it is asked for again',
    async (cut) => {
      const proxy = await openCuttingProxy(fixture.place.server)
      const db = connect(proxy.server)
      const { jobs, take } = await open(db)
      proxy.arm(cut)
      await expect(take('a', 1_000, 'first')).rejects.toMatchObject({ isPassing: true })
      // Committed or not, by then: the next one waits for its rows.
      await take('a', 1_000, 'second')
      expect(await db.all('SELECT schedule, taken_by FROM hookdrift.tick')).toEqual([
        { schedule: 'nightly', taken_by: 'a' },
      ])
      const [job, ...others] = await jobs.fetch<{ id: string }>(runQueue, { most: 5, cap: 5 })
      expect(others).toEqual([])
      expect(await db.all('SELECT id FROM hookdrift.run_plan')).toEqual([{ id: job?.data.id }])
      await jobs.close()
      await db.close()
      await proxy.close()
    },
  )
})
