import { readFileSync, writeFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openSharedGates } from '../../src/app/pool/open-pool.ts'
import { generateFleet } from '../../src/demo/generate-fleet.ts'
import { startSimulatedService } from '../../src/demo/simulated-service.ts'
import { connect } from '../../src/history/postgres/connect.ts'
import { hasPostgres, makeDatabase, type TestDatabase } from '../history/postgres/databases.ts'
import { openWorkerProcesses, untilWorkers } from './worker-processes.ts'

describe.skipIf(!hasPostgres)('a service that answers 429 to one of several workers', { timeout: 170_000 }, () => {
  let place: TestDatabase
  beforeEach(async () => {
    place = await makeDatabase()
  })
  afterEach(() => place.remove())

  it('is held by all of them, and by no shorter answer sooner', async () => {
    let now = 0
    const clock = { now: () => now, sleep: async () => {} }
    const sessions = [1, 2, 3].map(() => connect(place.server))
    const [limited, second, third] = sessions.map((session) => openSharedGates(session, clock))
    try {
      limited?.gateOf('acme').holdFor(60_000)
      await expect.poll(() => sessions[1]?.value('SELECT count(*) FROM hookdrift.service_gate')).toBe(1)
      second?.gateOf('acme').holdFor(1_000)
      await second?.refresh()
      await third?.refresh()
      for (const gates of [second, third]) {
        expect(gates?.gateOf('acme').waitMs()).toBeGreaterThan(50_000)
        expect(gates?.gateOf('acme').waitMs()).toBeLessThanOrEqual(60_000)
        expect(gates?.gateOf('other').waitMs()).toBe(0)
        expect([...(gates?.held().keys() ?? [])]).toEqual(['acme'])
      }
      now = 61_000
      expect(third?.held().size).toBe(0)
    } finally {
      for (const session of sessions) await session.close()
    }
  })

  it('is held by the worker itself where the server does not take it', async () => {
    const session = connect({ ...place.server, host: '/nowhere' })
    const gates = openSharedGates(session, { now: () => 0, sleep: async () => {} })
    gates.gateOf('acme').holdFor(5_000)
    await gates.refresh()
    expect(gates.gateOf('acme').waitMs()).toBe(5_000)
    await session.close()
  })

  it('gets no request of any worker until it may be asked again', async () => {
    const fleet = generateFleet({ clean: false, projects: 9, endpointsPerProject: 24, seed: 'limited' })
    const asked: number[] = []
    const latencyMs = () => {
      asked.push(performance.now())
      return 150
    }
    await using service = await startSimulatedService(fleet, { latencyMs })
    service.failNext({ how: 'status', status: 429, headers: { 'retry-after': '7' }, path: /\/endpoints/, skip: 12 })
    await using workers = openWorkerProcesses({ service, fleet, url: place.url, slots: 1, walks: 6 })
    const file = workers.directory.file('hookdrift.yaml')
    writeFileSync(file, readFileSync(file, 'utf8').replace('retry_budget: 2s', 'retry_budget: 60s'))
    for (let n = 0; n < 3; n++) workers.start()
    await untilWorkers(place, 3)
    const { report } = await workers.audit()
    expect(report?.coverage.filter(({ status }) => status !== 'complete')).toEqual([])
    expect(new Set(report?.coverage.flatMap(({ retries }) => retries))).toContain(1)
    const pauses = asked.slice(1).map((at, index) => at - (asked[index] ?? at))
    // The others learn it within two seconds.
    expect(Math.max(...pauses)).toBeGreaterThan(4_000)
    // All three were reading, and went on.
    const from = asked.find((_, index) => (pauses[index] ?? 0) > 4_000) ?? 0
    expect(asked.filter((at) => at > from - 3_000 && at <= from).length).toBeGreaterThan(10)
    expect(asked.filter((at) => at > from).length).toBeGreaterThan(10)
  })
})
