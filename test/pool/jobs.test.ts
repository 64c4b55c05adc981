import { afterEach, assert, beforeEach, describe, expect, it } from 'vitest'
import { type Jobs, openJobs } from '../../src/app/pool/jobs.ts'
import { connect } from '../../src/history/postgres/connect.ts'
import { hasPostgres, openDatabaseFixture } from '../history/postgres/databases.ts'

const queue = 'walk'
const keys = (count: number, service = 'acme') =>
  Array.from({ length: count }, (_, projectId) => ({ run: 1, projectId, service }))
const limits = (most: number, cap: number) => ({ run: 1, most, caps: new Map([['acme', cap]]), others: [] })

describe.skipIf(!hasPostgres)('the jobs of a pool', () => {
  const fixture = openDatabaseFixture()
  let jobs: Jobs
  const errors: unknown[] = []
  beforeEach(async () => {
    jobs = await openJobs(fixture.db, (error) => errors.push(error))
  })
  afterEach(async () => {
    await jobs.close()
    expect(errors.splice(0)).toEqual([])
  })

  it('gives each job to one process, and no more than a cap at once', async () => {
    await jobs.send(keys(3))
    const first = await jobs.fetch(limits(8, 2))
    expect(first).toHaveLength(2)
    expect(await jobs.fetch(limits(8, 2))).toEqual([])
    const [done] = first
    expect(await jobs.complete(done as never)).toBe(true)
    const then = await jobs.fetch(limits(8, 2))
    expect([...first, ...then].map(({ data }) => data.projectId).sort()).toEqual([0, 1, 2])
  })

  it('never gives out more than the cap to processes that fetch at once', async () => {
    const others = await Promise.all(
      [1, 2, 3].map(() => openJobs(connect(fixture.place.server), (error) => errors.push(error))),
    )
    await jobs.send(keys(60))
    let active = 0
    let most = 0
    let done = 0
    const work = async (own: Jobs) => {
      for (let idle = 0; idle < 50 && done < 60; ) {
        const [job] = await own.fetch(limits(1, 3))
        if (job === undefined) {
          idle += 1
          continue
        }
        idle = 0
        active += 1
        most = Math.max(most, active)
        await new Promise((resolve) => setTimeout(resolve, 5))
        active -= 1
        if (await own.complete(job)) done += 1
      }
    }
    await Promise.all([jobs, ...others].flatMap((own) => [1, 2, 3, 4].map(() => work(own))))
    for (const other of others) await other.close()
    expect(done).toBe(60)
    expect(most).toBeGreaterThan(1)
    expect(most).toBeLessThanOrEqual(3)
  })

  it('does not let a process end a job that another one works at', async () => {
    await jobs.send(keys(1))
    const [zombie] = await jobs.fetch(limits(1, 9))
    assert(zombie, 'no job')
    await jobs.fail(zombie)
    await fixture.db.foreign(`UPDATE hookdrift_jobs.job SET start_after = now() WHERE name = '${queue}'`)
    const [owner] = await jobs.fetch(limits(1, 9))
    expect(owner).toMatchObject({ id: zombie.id, retryCount: 1 })
    expect(await jobs.touch([zombie])).toEqual(new Set())
    expect(await jobs.complete(zombie)).toBe(false)
    await jobs.fail(zombie)
    expect(await jobs.touch([owner as never])).toEqual(new Set([zombie.id]))
    expect(await jobs.complete(owner as never)).toBe(true)
  })

  it('sends nothing of a transaction that was rolled back', async () => {
    const work = fixture.db.transaction(async (transaction) => {
      await jobs.send(keys(2), transaction)
      throw new Error('stop')
    })
    await expect(work).rejects.toThrow('stop')
    expect(await jobs.fetch(limits(8, 8))).toEqual([])
  })

  it('takes services in turns, each up to its cap, and leaves those of others', async () => {
    await jobs.send([...keys(4), ...keys(4, 'other'), ...keys(2, 'foreign')])
    const caps = new Map([
      ['acme', 3],
      ['other', 1],
    ])
    const servicesOf = async (most: number) =>
      (await jobs.fetch({ run: 1, most, caps, others: ['foreign'] })).map(({ data }) => data.service).sort()
    expect(await servicesOf(2)).toEqual(['acme', 'other'])
    expect(await servicesOf(8)).toEqual(['acme', 'acme'])
    expect(await servicesOf(8)).toEqual([])
  })

  it('gives the job of a silent process to another one, and says how many had it before', async () => {
    await jobs.send(keys(1))
    for (const retryCount of [0, 1, 2]) {
      await fixture.db.foreign(`UPDATE hookdrift_jobs.job SET start_after = now() WHERE name = '${queue}'`)
      expect(await jobs.fetch(limits(1, 1))).toMatchObject([{ retryCount }])
      // As if its process were silent for a minute; the next round of supervision sees it.
      await fixture.db.foreign(
        `UPDATE hookdrift_jobs.job SET heartbeat_on = now() - interval '1 minute' WHERE name = '${queue}'`,
      )
      await expect
        .poll(
          () =>
            fixture.db.value(`SELECT count(*) FROM hookdrift_jobs.job WHERE name = '${queue}' AND state = 'active'`),
          { timeout: 20_000 },
        )
        .toBe(0)
    }
  })

  it('removes jobs that wait', async () => {
    await jobs.send(keys(2))
    await jobs.clear()
    expect(await jobs.fetch(limits(8, 8))).toEqual([])
  })
})
