import { describe, expect, it } from 'vitest'
import { type RunRequest, takeTick } from '../../src/app/pool/runs.ts'
import { connect } from '../../src/history/postgres/connect.ts'
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
  const takeBy =
    (db = fixture.db) =>
    (dueAt: number) =>
      takeTick(db, { schedule: 'nightly', dueAt }, request)

  it('makes one run, however many workers see it', async () => {
    const take = takeBy()
    const workers = ['a', 'b', 'c', 'd', 'e', 'f']
    const first = await Promise.all(workers.map(() => take(1_000)))
    expect(first.toSorted()).toEqual(['elsewhere', 'elsewhere', 'elsewhere', 'elsewhere', 'elsewhere', 'taken'])
    // The run of the tick before is not over.
    const second = await Promise.all(workers.map(() => take(2_000)))
    expect(second.toSorted()).toEqual(['elsewhere', 'elsewhere', 'elsewhere', 'elsewhere', 'elsewhere', 'running'])
    expect(await fixture.db.value('SELECT count(*) FROM hookdrift.run_plan WHERE ended_at IS NULL')).toBe(1)
  })

  it.each(['before', 'after', 'meanwhile'] as const)(
    'makes one run where the connection breaks %s its COMMIT is sent, once it is asked for again',
    async (cut) => {
      const proxy = await openCuttingProxy(fixture.place.server)
      const db = connect(proxy.server)
      const take = takeBy(db)
      proxy.arm(cut)
      await expect(take(1_000)).rejects.toMatchObject({ isPassing: true })
      // Committed or not, by then: the next one waits for its rows.
      await take(1_000)
      expect(await db.value('SELECT count(*) FROM hookdrift.run_plan WHERE ended_at IS NULL')).toBe(1)
      await db.close()
      await proxy.close()
    },
  )
})
