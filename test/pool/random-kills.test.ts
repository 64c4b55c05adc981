import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { generateFleet } from '../../src/demo/generate-fleet.ts'
import { createRandom } from '../../src/demo/random.ts'
import { startSimulatedService } from '../../src/demo/simulated-service.ts'
import { connect } from '../../src/history/postgres/connect.ts'
import type { Running } from '../cli/start-process.ts'
import { hasPostgres, makeDatabase } from '../history/postgres/databases.ts'
import { faultsOfRun, openWorkerProcesses, untilWorkers } from './worker-processes.ts'

const size = { clean: false, projects: 16, endpointsPerProject: 20, seed: 'random-kills' }
/** So that a run takes some multiples of what it takes to notice that a worker is gone. */
const latencyMs = 300
const workersAlive = 3
/** Tasks that a process has, and runs that it coordinates. */
const takenSql = `SELECT count(*) FROM hookdrift.worker w WHERE w.pid = $1 AND
  (EXISTS (SELECT 1 FROM hookdrift.task t WHERE t.worker = w.id)
    OR EXISTS (SELECT 1 FROM hookdrift.run_plan p WHERE p.coordinator = w.id))`

describe.skipIf(!hasPostgres)('workers that are killed at random, next to one with a wrong key', () => {
  it('end a run complete within twice its quiet time, and the one with the wrong key takes nothing', async () => {
    const place = await makeDatabase({ empty: true })
    const fleet = generateFleet(size)
    const random = createRandom('random-kills')
    await using service = await startSimulatedService(fleet, { latencyMs })
    await using workers = openWorkerProcesses({
      service,
      fleet,
      url: place.url,
      slots: 2,
      walks: 6,
      lifetimeMs: 290_000,
    })
    const db = connect(place.server)
    let running: Running[] = []
    for (let n = 0; n < workersAlive; n++) running.push(workers.start())
    const wrong = workers.start('hookdrift.yaml', { HOOKDRIFT_SEAL_KEY: 'not-a-real-seal-key-and-another-one' })
    let said = ''
    wrong.child.stderr?.on('data', (text: string) => {
      said += text
    })
    try {
      await untilWorkers(place, workersAlive + 1)
      const quiet = await timed(() => workers.audit())
      expect(faultsOfRun(quiet.result)).toEqual([])

      let isOver = false
      let takenByWrong = 0
      const watched = (async () => {
        while (!isOver) {
          takenByWrong += (await db.value<number>(takenSql, [wrong.child.pid ?? 0])) ?? 0
          await sleep(100)
        }
      })()
      const killed = (async () => {
        let kills = 0
        while (!isOver && kills < 4) {
          await sleep(1_000 + random.below(4_000))
          const victim = running[random.below(running.length)]
          victim?.child.kill('SIGKILL')
          running = running.filter((each) => each !== victim)
          running.push(workers.start())
          kills++
        }
        return kills
      })()
      const disturbed = await timed(() => workers.audit())
      isOver = true
      await watched
      expect(await killed).toBeGreaterThan(2)
      expect(faultsOfRun(disturbed.result)).toEqual([])
      expect(disturbed.tookMs).toBeLessThan(2 * quiet.tookMs)

      expect(said).toContain('a run was asked for with other files than this worker has')
      expect(said).toContain('left the projects of a run to other workers')
      expect(takenByWrong).toBe(0)
      expect(said).not.toContain('a project was not scanned here')
      expect(await workers.say('verify', '--deep')).toMatchObject({ code: 0 })
    } finally {
      await db.close()
      await workers[Symbol.asyncDispose]()
      await place.remove()
    }
  }, 300_000)
})

async function timed<Result>(work: () => Promise<Result>) {
  const startedAt = performance.now()
  const result = await work()
  return { result, tookMs: performance.now() - startedAt }
}
