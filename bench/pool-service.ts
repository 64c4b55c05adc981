import { generateFleet } from '../src/demo/generate-fleet.ts'
import { startSimulatedService } from '../src/demo/simulated-service.ts'
import type { PoolServices, ServiceLoad } from './start-service.ts'

// Several services in a process of their own, which measure what is asked of them at once.
const [given = '{}'] = process.argv.slice(2)
const { services: count, latencyMs, ...sizes } = JSON.parse(given) as PoolServices
const services = await Promise.all(Array.from({ length: count }, (_, at) => start(`pool-${at}`)))

process.on('message', () => process.send?.(services.map(({ takeLoad }) => takeLoad())))
process.on('disconnect', () => process.exit())
process.send?.({ services: services.map(({ url, key, projects }) => ({ url, key, projects })) })

async function start(seed: string) {
  const fleet = generateFleet({ ...sizes, seed, incomingEvery: 0, clean: true })
  let now = 0
  let load: ServiceLoad = { requests: 0, most: 0, firstAt: 0, lastAt: 0 }
  const service = await startSimulatedService(fleet, {
    prerender: sizes.pageSize,
    keepsRequests: false,
    latencyMs() {
      now += 1
      const { requests, most, firstAt } = load
      const at = Date.now()
      load = { requests: requests + 1, most: Math.max(most, now), firstAt: firstAt || at, lastAt: at + latencyMs }
      setTimeout(() => {
        now -= 1
      }, latencyMs)
      return latencyMs
    },
  })
  return {
    url: service.url,
    key: fleet.personalKey,
    projects: fleet.projects().map(({ uid }) => uid),
    takeLoad() {
      const taken = load
      load = { requests: 0, most: 0, firstAt: 0, lastAt: 0 }
      return taken
    },
  }
}
