import { describe, expect, it } from 'vitest'
import { connect } from '../../src/history/postgres/connect.ts'
import { openJobs } from '../../src/pool/jobs.ts'
import type { RunRequest } from '../../src/pool/runs.ts'
import { takeTick } from '../../src/pool/ticks.ts'
import { hasPostgres, makeDatabase } from '../history/postgres/databases.ts'

const request: RunRequest = {
  ...{ schedule: 'nightly', configurationDigest: 'configuration', policyDigest: 'policy', only: [] },
  ...{ sealKeyId: 'key', failOn: 'medium' },
  ...{ runsProbes: true, acceptsRemovals: false, notifies: true, runTimeoutMs: 60_000 },
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
})
