import { describe, expect, it } from 'vitest'
import { generateFleet } from '../../src/demo/generate-fleet.ts'
import { startSimulatedService } from '../../src/demo/simulated-service.ts'
import { hasPostgres, makeDatabase } from '../history/postgres/databases.ts'
import { anOtlpReceiver } from '../telemetry/otlp-receiver.ts'
import { openWorkerProcesses, untilWorkers } from './worker-processes.ts'

describe.skipIf(!hasPostgres)('a run that workers share', { timeout: 100_000 }, () => {
  it('is one trace, with the walks of all workers', async () => {
    const place = await makeDatabase()
    const fleet = generateFleet({ clean: false, projects: 4, endpointsPerProject: 6, seed: 'traced' })
    await using service = await startSimulatedService(fleet, { latencyMs: 40 })
    const receiver = await anOtlpReceiver()
    const workers = openWorkerProcesses({ service, fleet, url: place.url, slots: 1 })
    try {
      const telemetry = { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, OTEL_METRICS_EXPORTER: 'none' }
      for (let n = 0; n < 2; n++) workers.start('hookdrift.yaml', telemetry)
      await untilWorkers(place, 2)
      const { report } = await workers.audit()
      await expect.poll(() => receiver.spans().length, { timeout: 20_000 }).toBeGreaterThan(0)
      const spans = receiver.spans()
      expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1)
      const named = (name: string) => spans.filter((span) => span.name === name)
      const [run, ...others] = named('hookdrift.run')
      expect(others).toEqual([])
      expect(run?.attributes).toMatchObject({ 'hookdrift.run': 1, 'hookdrift.exit_code': report?.verdict.exit_code })
      const scanned = named('hookdrift.scan').filter(({ attributes }) => attributes['hookdrift.service'] === 'acme')
      expect(scanned.map(({ attributes }) => attributes['hookdrift.project']).sort()).toEqual(
        fleet
          .projects()
          .map(({ name }) => `acme/${name}`)
          .sort(),
      )
      const walked = (report?.coverage ?? []).filter(({ project }) => project.startsWith('acme/'))
      const walks = named('hookdrift.walk').map(({ attributes }) => attributes)
      expect(walks.map((walk) => `${walk['hookdrift.project']} ${walk['hookdrift.listing']}`).sort()).toEqual(
        walked.map(({ project, listing }) => `${project} ${listing}`).sort(),
      )
    } finally {
      await workers[Symbol.asyncDispose]()
      await place.remove()
    }
  })
})
