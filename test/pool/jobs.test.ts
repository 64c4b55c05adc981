import { afterEach, assert, beforeEach, describe, expect, it } from 'vitest'
import { connect } from '../../src/history/postgres/connect.ts'
import { type OpenJobs, openJobs, runQueue, walkQueue } from '../../src/pool/jobs.ts'
import { hasPostgres, openDatabaseFixture } from '../history/postgres/databases.ts'

const queue = walkQueue('acme')

describe.skipIf(!hasPostgres)('the jobs of a pool', () => {
  const fixture = openDatabaseFixture()
  let jobs: OpenJobs
  const errors: unknown[] = []
  beforeEach(async () => {
    jobs = await openJobs(fixture.db, (error) => errors.push(error))
    await jobs.makeQueues(['acme'])
  })
  afterEach(async () => {
    await jobs.close()
    expect(errors.splice(0)).toEqual([])
  })

  it('gives each job to one process, and no more than a cap at once', async () => {
    await jobs.send(queue, [{ n: 1 }, { n: 2 }, { n: 3 }])
    const first = await jobs.fetch<{ n: number }>(queue, { most: 8, cap: 2 })
    expect(first).toHaveLength(2)
    expect(await jobs.fetch(queue, { most: 8, cap: 2 })).toEqual([])
    const [done] = first
    expect(await jobs.complete(queue, done as never)).toBe(true)
    const then = await jobs.fetch<{ n: number }>(queue, { most: 8, cap: 2 })
    expect([...first, ...then].map(({ data }) => data.n).sort()).toEqual([1, 2, 3])
  })

  it('never gives out more than the cap to processes that fetch at once', async () => {
    const others = await Promise.all(
      [1, 2, 3].map(() => openJobs(connect(fixture.place.server), (error) => errors.push(error))),
    )
    await jobs.send(
      queue,
      Array.from({ length: 60 }, (_, n) => ({ n })),
    )
    let active = 0
    let most = 0
    let done = 0
    const work = async (own: OpenJobs) => {
      for (let idle = 0; idle < 50 && done < 60; ) {
        const [job] = await own.fetch(queue, { most: 1, cap: 3 })
        if (job === undefined) {
          idle += 1
          continue
        }
        idle = 0
        active += 1
        most = Math.max(most, active)
        await new Promise((resolve) => setTimeout(resolve, 5))
        active -= 1
        if (await own.complete(queue, job)) done += 1
      }
    }
    await Promise.all([jobs, ...others].flatMap((own) => [1, 2, 3, 4].map(() => work(own))))
    for (const other of others) await other.close()
    expect(done).toBe(60)
    expect(most).toBeGreaterThan(1)
    expect(most).toBeLessThanOrEqual(3)
  })

  it('does not let a process end a job that another one works at', async () => {
    await jobs.send(queue, [{}])
    const [zombie] = await jobs.fetch(queue, { most: 1, cap: 9 })
    assert(zombie, 'no job')
    await jobs.fail(queue, zombie)
    await fixture.db.foreign(`UPDATE hookdrift_jobs.job SET start_after = now() WHERE name = '${queue}'`)
    const [owner] = await jobs.fetch(queue, { most: 1, cap: 9 })
    expect(owner).toMatchObject({ id: zombie.id, retryCount: 1 })
    expect(await jobs.touch(queue, [zombie])).toEqual(new Set())
    expect(await jobs.complete(queue, zombie)).toBe(false)
    await jobs.fail(queue, zombie)
    expect(await jobs.touch(queue, [owner as never])).toEqual(new Set([zombie.id]))
    expect(await jobs.complete(queue, owner as never)).toBe(true)
  })

  it('sends nothing of a transaction that was rolled back', async () => {
    const work = fixture.db.transaction(async (transaction) => {
      await jobs.send(queue, [{}, {}], {}, transaction)
      throw new Error('stop')
    })
    await expect(work).rejects.toThrow('stop')
    expect(await jobs.fetch(queue, { most: 8, cap: 8 })).toEqual([])
  })

  it('keeps one run of a schedule waiting or under way', async () => {
    const send = (key: string) => jobs.send(runQueue, [{ key }], { key })
    expect([await send('nightly'), await send('nightly'), await send('hourly')]).toEqual([1, 0, 1])
    const [run] = await jobs.fetch<{ key: string }>(runQueue, { most: 1, cap: 1 })
    expect(run?.data).toEqual({ key: 'nightly' })
    expect([await send('nightly'), await jobs.fetch(runQueue, { most: 1, cap: 1 })]).toEqual([0, []])
  })

  it('gives the job of a silent process to another one, and gives it up after three', async () => {
    await jobs.send(queue, [{ n: 1 }])
    for (const retryCount of [0, 1, 2]) {
      await fixture.db.foreign(`UPDATE hookdrift_jobs.job SET start_after = now() WHERE name = '${queue}'`)
      expect(await jobs.fetch(queue, { most: 1, cap: 1 })).toMatchObject([{ retryCount }])
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
    expect(await jobs.fetch<{ n: number }>('lost', { most: 1, cap: 1 })).toMatchObject([{ data: { n: 1 } }])
  })

  it('removes jobs that wait', async () => {
    await jobs.send(queue, [{}, {}])
    await jobs.cancel(queue)
    expect(await jobs.fetch(queue, { most: 8, cap: 8 })).toEqual([])
  })
})
