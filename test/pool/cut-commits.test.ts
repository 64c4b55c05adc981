import { describe, expect, it } from 'vitest'
import { generateFleet } from '../../src/demo/generate-fleet.ts'
import { createRandom } from '../../src/demo/random.ts'
import { startSimulatedService } from '../../src/demo/simulated-service.ts'
import { connect } from '../../src/history/postgres/connect.ts'
import { openAuditHarness, policyOf } from '../audit/audit-harness.ts'
import { faultsIn } from '../history/database-fixture.ts'
import { type Cut, openCuttingProxy } from '../history/postgres/cutting-proxy.ts'
import { hasPostgres, makeDatabase } from '../history/postgres/databases.ts'
import { editAtRandom } from '../oracle/random-edits.ts'
import { openPoolHarness } from './pool-harness.ts'
import { maskedReport } from './worker-processes.ts'

const now = () => Date.parse('2026-11-21T03:00:00Z')
const policy = policyOf('{"extends":["all"]}')

/**
 * Audits a fleet that changes, over and over: each time, the connection that sends another COMMIT of the run breaks.
 * Every report must be that of a history whose connection never breaks. Returns how many were broken.
 */
async function cutEach(cut: Cut, workers: number) {
  const random = createRandom(`cut/${cut}/${workers}`)
  const fleet = generateFleet({ seed: 'cut', projects: 2, incomingEvery: 2, endpointsPerProject: 5, clean: false })
  await using service = await startSimulatedService(fleet, { now })
  const place = await makeDatabase()
  const proxy = await openCuttingProxy(place.server)
  const pool = openPoolHarness(proxy.server, { walks: 4 })
  const projects = Object.fromEntries(fleet.projects().map(({ name, uid }) => [name, uid]))
  const options = { projects, key: fleet.personalKey, limits: { retries: 0 }, concurrency: 1 }
  const alone = openAuditHarness(options)
  const { openHistory } = pool
  const cutHarness = openAuditHarness({ ...options, openHistory, ...(workers === 0 ? {} : { conduct: pool.conduct }) })
  const db = connect(place.server)
  // Jobs that a worker was given and never heard of come back after ten seconds; this makes it one.
  const hurry = setInterval(() => {
    const silent = `started_on < now() - interval '1 second' AND state = 'active' AND name = 'walk'
      AND EXISTS (SELECT 1 FROM hookdrift.task t WHERE t.state = 'planned' AND t.project_id = (data ->> 'projectId')::bigint)`
    const sql = `UPDATE hookdrift_jobs.job SET heartbeat_on = now() - interval '1 minute' WHERE ${silent}`
    void db.foreign(sql).catch(() => {})
  }, 250)
  const started = await Promise.all(Array.from({ length: workers }, () => pool.startWorker()))
  let runs = 0
  const audit = async (harness: typeof alone) => maskedReport(await harness.audit({ url: service.url, policy }))
  /** A run whose error says that nothing was committed is done again, as a scheduler does it. */
  const auditUntilCommitted = async () => {
    for (;;) {
      try {
        return await audit(cutHarness)
      } catch (error) {
        expect(error).toMatchObject({ exitCode: 4, message: expect.stringMatching(/^cannot use the history/) })
      }
    }
  }
  const both = async () => {
    editAtRandom(fleet, random)
    const expected = renumbered(await audit(alone))
    expect(renumbered(await auditUntilCommitted())).toEqual(expected)
    runs += 1
  }
  try {
    await both()
    const before = proxy.commits
    await both()
    const commits = proxy.commits - before
    for (let at = 0; at < commits; at += 1) {
      proxy.arm(cut, at)
      await both()
    }
    expect(await faultsIn(db)).toEqual([])
    expect(await db.value("SELECT count(*) FROM hookdrift.run WHERE state = 'committed'")).toBe(runs)
    return proxy.cuts
  } finally {
    clearInterval(hurry)
    await db.close()
    await Promise.all(started.map((worker) => worker.stop()))
    await pool[Symbol.asyncDispose]()
    await proxy.close()
    await place.remove()
    for (const harness of [alone, cutHarness]) await harness[Symbol.asyncDispose]()
  }
}

/** Runs that were not committed have numbers, too. */
function renumbered(report: unknown): unknown {
  const text = JSON.stringify(report)
  return JSON.parse(
    text.replaceAll(/"(number|first_run|after_run|before_run)":\d+/g, '"$1":0').replaceAll(/"id":"\d+-/g, '"id":"0-'),
  )
}

describe.skipIf(!hasPostgres)('a run whose connection breaks at a COMMIT', { timeout: 170_000 }, () => {
  it.each([
    ['after', 0],
    ['before', 0],
    ['after', 2],
    ['before', 2],
  ] as const)('%s it was sent, with %i workers, is committed once and complete', async (cut, workers) => {
    expect(await cutEach(cut, workers)).toBeGreaterThan(workers === 0 ? 1 : 8)
  })
})
