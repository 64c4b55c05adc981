import { generateFleet } from '../src/demo/generate-fleet.ts'
import { startSimulatedService } from '../src/demo/simulated-service.ts'
import type { FleetSizes, ServiceProcess } from './start-service.ts'

// A process of its own: what it costs is not counted with its clients, and the peak of its memory is not theirs.
const [sizes = '{}'] = process.argv.slice(2)
const { latencyMs = 0, ...counts } = JSON.parse(sizes) as FleetSizes
const fleet = generateFleet({ ...counts, incomingEvery: 0, clean: true })
const service = await startSimulatedService(fleet, { prerender: true, latencyMs })
// A benchmark asks often and reads no log.
setInterval(() => service.requests.splice(0), 1_000).unref()
const ready: Omit<ServiceProcess, 'stop'> = {
  url: service.url,
  key: fleet.personalKey,
  projects: fleet.projects().map(({ uid }) => uid),
}
process.send?.(ready)
process.on('disconnect', () => process.exit())
