import { describe, expect, it } from 'vitest'
import { connect } from '../../src/history/postgres/connect.ts'
import { openJobs, runQueue } from '../../src/pool/jobs.ts'
import { type RunRequest, takeTick } from '../../src/pool/runs.ts'

import { openCuttingProxy } from '../history/postgres/cutting-proxy.ts'
import { hasPostgres, makeDatabase } from '../history/postgres/databases.ts'

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
  it('makes one run, however many workers see it', async () => {
    const place = await makeDatabase()
    const db = connect(place.server)
    const jobs = await openJobs(db, () => {})
    const take = (worker: string, dueAt: number) =>
      takeTick({ db, jobs }, { schedule: 'nightly', dueAt, worker, id: `${worker} ${dueAt}` }, request)
    const workers = ['a', 'b', 'c', 'd', 'e', 'f']
    const first = await Promise.all(workers.map((worker) => take(worker, 1_000)))
    expect(first.toSorted()).toEqual(['elsewhere', 'elsewhere', 'elsewhere', 'elsewhere', 'elsewhere', 'taken'])
    // The run of the tick before is not over.
    const second = await Promise.all(workers.map((worker) => take(worker, 2_000)))
    expect(second.toSorted()).toEqual(['elsewhere', 'elsewhere', 'elsewhere', 'elsewhere', 'elsewhere', 'running'])
    expect(await db.value('SELECT count(*) FROM hookdrift.run_plan')).toBe(1)
    await jobs.close()
    await db.close()
    await place.remove()
  })

  it.each(['before', 'after', 'meanwhile'] as const)(
    'makes one run where the connection breaks %s its COMMIT is sent, once it is asked for again',
    async (cut) => {
      const place = await makeDatabase()
      const proxy = await openCuttingProxy(place.server)
      const db = connect(proxy.server)
      const jobs = await openJobs(db, () => {})
      const take = (id: string) =>
        takeTick({ db, jobs }, { schedule: 'nightly', dueAt: 1_000, worker: 'a', id }, request)
      proxy.arm(cut)
      await expect(take('first')).rejects.toMatchObject({ isPassing: true })
      // Committed or not, by then: the next one waits for its rows.
      await take('second')
      expect(await db.all('SELECT schedule, taken_by FROM hookdrift.tick')).toEqual([
        { schedule: 'nightly', taken_by: 'a' },
      ])
      const [job, ...others] = await jobs.fetch<{ id: string }>(runQueue, { most: 5, cap: 5 })
      expect(others).toEqual([])
      expect(await db.all('SELECT id FROM hookdrift.run_plan')).toEqual([{ id: job?.data.id }])
      await jobs.close()
      await db.close()
      await proxy.close()
      await place.remove()
    },
  )
})
