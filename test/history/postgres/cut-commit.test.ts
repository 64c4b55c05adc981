import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { History } from '../../../src/history/history.ts'
import { connect } from '../../../src/history/postgres/connect.ts'
import { openPostgresHistory } from '../../../src/history/postgres/postgres-history.ts'
import { readRunRecord } from '../../../src/history/sql/read-run.ts'
import { listRuns } from '../../../src/history/sql/runs.ts'
import { AuditError } from '../../../src/model/errors.ts'
import { faultsIn } from '../database-fixture.ts'
import { Machines } from '../processes.ts'
import { aChange, aStart, at, aVersion, aViolation, commit, payments, walkAll } from '../samples.ts'
import { type CuttingProxy, openCuttingProxy } from './cutting-proxy.ts'
import { hasPostgres, makeDatabase, type TestDatabase } from './databases.ts'

describe.skipIf(!hasPostgres)('a connection that breaks at a COMMIT', () => {
  let place: TestDatabase
  let proxy: CuttingProxy
  let history: History
  beforeEach(async () => {
    place = await makeDatabase()
    proxy = await openCuttingProxy(place.server)
    history = await openPostgresHistory(proxy.server, { ...new Machines().process(1), isClockOwn: true })
  })
  afterEach(async () => {
    await history.close()
    await proxy.close()
    const db = connect(place.server)
    expect(await faultsIn(db)).toEqual([])
    await db.close()
    await place.remove()
  })

  async function aDraft(hour: number) {
    const draft = await history.begin(aStart(at(hour)))
    await walkAll(draft)
    await draft.stage(payments, [aVersion(`of ${hour}`)])
    await draft.stageChanges(payments, [aChange(`of ${hour}`)])
    await draft.stageViolations(payments, { confirmed: [], violations: [aViolation(`of ${hour}`)] })
    return draft
  }

  const numbers = async () => (await listRuns(history)).map(({ number }) => number)

  it('after the server executed it leaves the run committed, and the caller learns so', async () => {
    const draft = await aDraft(1)
    proxy.arm('after')
    const record = await commit(draft)
    expect(proxy.cuts).toBe(1)
    expect(record.changes).toHaveLength(1)
    expect(await readRunRecord(history, 1)).toEqual(record)
    await expect(draft.stageScan(payments)).rejects.toMatchObject({ exitCode: 5 })
    // The lease is free.
    expect((await commit(await aDraft(2))).violations).toHaveLength(2)
    expect(await numbers()).toEqual([1, 2])
  })

  it('before the server got it leaves a run that can be abandoned', async () => {
    const draft = await aDraft(1)
    proxy.arm('before')
    await expect(commit(draft)).rejects.toThrow(AuditError)
    expect(proxy.cuts).toBe(1)
    expect(await numbers()).toEqual([])
    await draft.abandon(at(1.5))
    await commit(await aDraft(2))
    expect(await numbers()).toEqual([2])
  })

  it('while it is on its way leaves the run committed or not, as the caller learns', async () => {
    for (let hour = 1; hour <= 20; hour += 1) {
      const draft = await aDraft(hour)
      proxy.arm('meanwhile')
      const isCommitted = await commit(draft).then(
        () => true,
        () => false,
      )
      expect((await numbers()).includes(draft.run)).toBe(isCommitted)
      if (!isCommitted) await draft.abandon(at(hour + 0.5))
    }
    expect(proxy.cuts).toBe(20)
  })

  it('of the beginning does not cost the run, nor the lease', async () => {
    proxy.arm('after')
    const draft = await aDraft(1)
    await commit(draft)
    proxy.arm('before')
    await expect(history.begin(aStart(at(2)))).rejects.toThrow(AuditError)
    expect((await commit(await aDraft(3))).number).toBe(2)
    expect([proxy.cuts, await numbers()]).toEqual([2, [1, 2]])
  })

  it('finds the run lost where another process took the lease meanwhile', async () => {
    const draft = await aDraft(1)
    proxy.arm('before')
    // The other process begins as soon as the server has rolled back.
    const owner = { ...new Machines().process(2, 'beta'), isClockOwn: true, now: () => Date.parse(at(1)) }
    const other = await openPostgresHistory(place.server, owner)
    const [committed, next] = await Promise.allSettled([commit(draft), beginRepeatedly(other)])
    expect(committed).toMatchObject({ status: 'rejected', reason: { exitCode: expect.any(Number) } })
    if (next.status === 'rejected') throw next.reason
    expect(next.value.interrupted).toEqual([1])
    await walkAll(next.value)
    await commit(next.value)
    await other.close()
    expect(await numbers()).toEqual([2])
  })

  async function beginRepeatedly(other: History) {
    for (;;) {
      try {
        return await other.begin(aStart(at(2)))
      } catch (error) {
        if (!(error instanceof AuditError) || error.exitCode !== 5) throw error
      }
    }
  }
})
