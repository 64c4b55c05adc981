import { describe, expect, it } from 'vitest'
import { generateFleet } from '../../src/demo/generate-fleet.ts'
import { startSimulatedService } from '../../src/demo/simulated-service.ts'
import { logOf } from '../cli/worker-log.ts'
import { openCuttingProxy } from '../history/postgres/cutting-proxy.ts'
import { hasPostgres, makeDatabase } from '../history/postgres/databases.ts'
import { openWorkerProcesses } from './worker-processes.ts'

const more = 'schedules: [{ name: yearly, cron: "0 0 1 1 *", run_on_start: true }]\n'

describe.skipIf(!hasPostgres)('a worker whose connections go silent and stay open', { timeout: 120_000 }, () => {
  it('is not ready, and ends in order when it is stopped in the midst of a run', async () => {
    const place = await makeDatabase({ empty: true })
    await using _ = { [Symbol.asyncDispose]: () => place.remove() }
    const proxy = await openCuttingProxy(place.server)
    await using __ = { [Symbol.asyncDispose]: () => proxy.close() }
    const fleet = generateFleet({ clean: false, projects: 4, endpointsPerProject: 10, seed: 'silent' })
    let onRequest = () => {}
    const isReading = new Promise<void>((resolve) => {
      onRequest = resolve
    })
    await using service = await startSimulatedService(fleet, {
      latencyMs() {
        onRequest()
        return 100
      },
    })
    const url = new URL(place.url)
    url.searchParams.set('host', proxy.server.host ?? '')
    await using workers = openWorkerProcesses({ service, fleet, url: url.href, more })
    const worker = workers.start()
    const log = logOf(worker)
    const { url: port } = await log.until('listening')
    await isReading
    expect((await fetch(`${port}/readyz`)).status).toBe(200)
    proxy.silence()
    const readiness = await fetch(`${port}/readyz`)
    expect(`${readiness.status} ${await readiness.text()}`).toBe('503 not ready\nthe history cannot be used\n')
    worker.child.kill('SIGTERM')
    expect(await worker.ended).toMatchObject({ code: 143 })
  })
})
