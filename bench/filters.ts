import { join } from 'node:path'
import { type Command, measure, median } from './measure.ts'
import { stagePackage } from './stage-package.ts'
import { startService } from './start-service.ts'
import { table, verdict } from './table.ts'
import { layOut } from './work-place.ts'

/**
 * An audit of 2,000 subscriptions with their filter rows, first and unchanged, and a bare client that asks for the same
 * rows from a service as slow as a gateway: each four at once, one after the other in every round. `BENCH_ROUNDS`
 * (default 5): medians of that many rounds.
 */
const rounds = Number(process.env.BENCH_ROUNDS ?? 5)
/** A running gateway took 2.2 ms of its time for each of four such requests at once. */
const latencyMs = 8
const service = await startService({ projects: 1, endpointsPerProject: 2000, subscriptionsPerProject: 2000, latencyMs })
const place = layOut(service, stagePackage(), 'auto')
const client: Command = {
  command: process.execPath,
  args: [join(import.meta.dirname, 'scripts', 'ask-filters.ts')],
  env: { ORDER: JSON.stringify([service.url, service.key, service.projects[0]]) },
}
const times = { first: [0], unchanged: [0], client: [0] }
for (const of of Object.values(times)) of.pop()
try {
  for (let round = 0; round < rounds; round++) {
    place.remove('filters.db')
    times.first.push((await measure(place.audit('filters.db'))).wallMs)
    times.unchanged.push((await measure(place.audit('filters.db'))).wallMs)
    times.client.push((await measure(client)).wallMs)
  }
} finally {
  place.clear()
  await service.stop()
}

const least = median(times.client)
const row = (name: string, of: readonly number[]) => [
  name,
  `${(median(of) / 1000).toFixed(2)} s`,
  (median(of) / least).toFixed(2),
]
process.stdout.write(`${table([
  ['2,000 subscriptions', 'time', '×'],
  row('bare client', times.client),
  row('audit, first', times.first),
  row('audit, unchanged', times.unchanged),
])}
${verdict('first', median(times.first) / least, { atMost: 1.3 })}`)
