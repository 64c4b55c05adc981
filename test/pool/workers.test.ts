import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { generateFleet } from '../../src/demo/generate-fleet.ts'
import { startSimulatedService } from '../../src/demo/simulated-service.ts'
import { connect } from '../../src/history/postgres/connect.ts'
import { startHookdrift } from '../cli/start-process.ts'
import { hasPostgres, makeDatabase, type TestDatabase } from '../history/postgres/databases.ts'
import { maskedReport, openWorkerProcesses, watchWalks } from './worker-processes.ts'

const size = { clean: false, projects: 8, endpointsPerProject: 10, seed: 'workers' }

describe.skipIf(!hasPostgres)('workers that share runs', () => {
  let place: TestDatabase
  beforeEach(async () => {
    place = await makeDatabase({ empty: true })
  })
  afterEach(() => place.remove())

  it('report what one process reports, and never read more projects at once than the service allows', async () => {
    const walks = watchWalks(20)
    const fleet = generateFleet(size)
    await using service = await startSimulatedService(fleet, { latencyMs: walks.latencyMs })
    await using workers = openWorkerProcesses({ service, fleet, url: place.url, walks: 3 })
    for (let n = 0; n < 4; n++) workers.start()
    await untilWorkers(place, 4)
    const first = await workers.audit()
    expect(first).toMatchObject({ code: 1, report: { run: { number: 1 } } })
    expect(walks.most()).toBeLessThanOrEqual(3)
    expect(walks.most()).toBeGreaterThan(1)

    const alone = startHookdrift(['audit', '--format', 'json', '--history', 'alone.db'], {
      cwd: workers.directory.path,
      env: { ACME_KEY: fleet.personalKey, HOOKDRIFT_SEAL_KEY: 'not-a-real-seal-key-of-many-workers' },
    })
    const { stdout } = await alone.ended
    expect(maskedReport(first.report)).toEqual(maskedReport(JSON.parse(stdout)))
    const { code, stdout: verified } = await workers.say('verify', '--deep')
    expect({ code, verified }).toMatchObject({ code: 0 })
    // A second run finds nothing new.
    expect((await workers.audit()).report).toMatchObject({ run: { number: 2 }, drift: [] })
  })
})

/** Waits until so many workers take part. */
async function untilWorkers({ server }: TestDatabase, count: number): Promise<void> {
  const db = connect(server)
  try {
    for (let tries = 0; tries < 300; tries++) {
      const alive = await db
        .value<number>("SELECT count(*) FROM hookdrift.worker WHERE seen_at > clock_timestamp() - interval '15 s'")
        .catch(() => 0)
      if (alive === count) return
      await sleep(200)
    }
    throw new Error(`there are no ${count} workers`)
  } finally {
    await db.close()
  }
}
