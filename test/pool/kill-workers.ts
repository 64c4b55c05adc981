import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { generateFleet } from '../../src/demo/generate-fleet.ts'
import { createRandom } from '../../src/demo/random.ts'
import { startSimulatedService } from '../../src/demo/simulated-service.ts'
import { connect } from '../../src/history/postgres/connect.ts'
import type { Running } from '../cli/start-process.ts'
import type { TestDatabase } from '../history/postgres/databases.ts'
import { editAtRandom } from '../oracle/random-edits.ts'
import { type Death, takenOf } from './die-at.ts'
import { faultsOfRun, openWorkerProcesses } from './worker-processes.ts'

/** A run of which a worker was killed. */
export interface DisturbedRun {
  /** False when the work was over before the statement came. */
  readonly wasKilled: boolean
  readonly tookMs: number
  /** What is wrong with it; empty when it was committed complete. */
  readonly faults: readonly string[]
}

const workers = 3
const mostRunMs = 600_000

/** Three worker processes that share the runs of a history, of which one can be killed at any statement. */
export async function openKilledWorkers(place: TestDatabase, { lifetimeMs = 120_000 } = {}) {
  const fleet = generateFleet({ clean: false, projects: 6, endpointsPerProject: 8, seed: 'killed' })
  const random = createRandom('killed')
  const service = await startSimulatedService(fleet, { latencyMs: 20, keepsRequests: false })
  const pool = openWorkerProcesses({ service, fleet, url: place.url, slots: 2, walks: 4, lifetimeMs })
  const armed = pool.directory.file('death.json')
  const env = { NODE_OPTIONS: `--import ${join(import.meta.dirname, 'die-at.ts')}`, HOOKDRIFT_TEST_DEATH: armed }
  const db = connect(place.server, { connections: 1 })
  let running: Running[] = []
  let runs = 0

  /** Replaces workers that were killed, and waits until all take part. */
  async function complete() {
    running = running.filter(isAlive)
    while (running.length < workers) running.push(pool.start('hookdrift.yaml', env))
    const pids = running.map(({ child }) => child.pid ?? 0)
    // The row of a worker that was killed stays for an hour, and the system gives its id to another process.
    const present = `SELECT count(DISTINCT pid) FROM hookdrift.worker
      WHERE pid = ANY($1::bigint[]) AND seen_at > clock_timestamp() - interval '15 s'`
    for (let tries = 0; tries < 600; tries++) {
      if ((await db.value<number>(present, [pids]).catch(() => 0)) === workers) return
      const gone = running.find((worker) => !isAlive(worker))
      if (gone !== undefined) throw new Error(`a worker ended before it took part: ${JSON.stringify(await gone.ended)}`)
      await sleep(100)
    }
    throw new Error('the workers do not take part')
  }

  return {
    pool,
    /** One run, after some edits; of which a worker is killed, where `death` says so. */
    async audit(death?: Death): Promise<DisturbedRun> {
      await complete()
      for (let edits = 0; edits < 4; edits++) editAtRandom(fleet, random)
      runs++
      if (death !== undefined) pool.directory.write('death.json', JSON.stringify({ ...death, number: runs }))
      const startedAt = performance.now()
      const audited = await Promise.race([pool.audit(), endlessAfter(mostRunMs)])
      const tookMs = performance.now() - startedAt
      const faults = faultsOfRun(audited)
      const taken = takenOf(armed, runs)
      if (death !== undefined && !existsSync(taken)) faults.push(`no ${death.part} began its work`)
      rmSync(taken, { force: true })
      return { wasKilled: !running.every(isAlive), tookMs, faults }
    },
    /** What one process finds after all runs: they left nothing half. */
    async verify(): Promise<readonly string[]> {
      const { code, stdout, stderr } = await pool.say('verify', '--deep')
      const faults = code === 0 ? [] : [`verify: ${stdout}${stderr}`]
      const audited = await pool.say('audit', '--format', 'json')
      const { drift } = JSON.parse(audited.stdout)
      return drift.length === 0 ? faults : [...faults, `one process finds other resources: ${JSON.stringify(drift)}`]
    },
    async [Symbol.asyncDispose]() {
      await pool[Symbol.asyncDispose]()
      await db.close()
      await service.close()
    },
  }
}

async function endlessAfter(ms: number): Promise<never> {
  await sleep(ms, undefined, { ref: false })
  throw new Error(`a run did not end within ${ms / 1000} s`)
}

function isAlive({ child }: Running) {
  return child.exitCode === null && child.signalCode === null
}
