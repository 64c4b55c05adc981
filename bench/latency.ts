import { resolve } from 'node:path'
import { type Cost, measure, median } from './measure.ts'
import { stagePackage } from './stage-package.ts'
import { startService } from './start-service.ts'
import { table } from './table.ts'
import { layOut } from './work-place.ts'

/**
 * Audits of services that answer late, by this checkout and by another one: `npm run bench -- latency DIRECTORY`. Wall
 * and CPU time, round by round side by side. `BENCH_ROUNDS` (default 5); `BENCH_LATENCIES` in milliseconds (default
 * 0,50,150); `BENCH_FLEETS`, projects and endpoints of each (default 1x5000,20x1100).
 */
const [other] = process.argv.slice(2)
if (other === undefined) throw new Error('name the other checkout: npm run bench -- latency DIRECTORY')
const rounds = Number(process.env.BENCH_ROUNDS ?? 5)
const executables = [stagePackage(resolve(other)), stagePackage()]
const latencies = (process.env.BENCH_LATENCIES ?? '0,50,150').split(',').map(Number)
const fleets = (process.env.BENCH_FLEETS ?? '1x5000,20x1100').split(',').map((fleet) => {
  const [projects = 1, endpointsPerProject = 1] = fleet.split('x').map(Number)
  return { projects, endpointsPerProject, subscriptionsPerProject: 0 }
})

process.stdout.write(
  `${rounds} rounds; ratios are medians of each round's own, in brackets those of the fastest rounds.\n\n`,
)
for (const fleet of fleets) {
  for (const latencyMs of latencies) {
    const rows = await compare({ ...fleet, latencyMs })
    process.stdout.write(`${table([['', 'wall', '', 'ratio', 'cpu', '', 'ratio'], ...rows])}\n`)
  }
}

async function compare(fleet: Parameters<typeof startService>[0]): Promise<string[][]> {
  const service = await startService(fleet)
  const sides = executables.map((executable) => ({
    place: layOut(service, executable),
    cold: [] as Cost[],
    unchanged: [] as Cost[],
  }))
  try {
    for (let round = 0; round < rounds; round++) {
      // Who comes first changes from round to round.
      for (const { place, cold, unchanged } of round % 2 === 0 ? sides : sides.toReversed()) {
        place.remove('audit.db')
        cold.push(await measure(place.audit('audit.db')))
        unchanged.push(await measure(place.audit('audit.db')))
      }
    }
  } finally {
    for (const { place } of sides) place.clear()
    await service.stop()
  }
  return (['cold', 'unchanged'] as const).map((when) => {
    const [before = [], now = []] = sides.map((side) => side[when])
    const name = `${fleet.projects} × ${fleet.endpointsPerProject}, ${fleet.latencyMs} ms, ${when}`
    return [
      name,
      ...(['wallMs', 'cpuMs'] as const).flatMap((what) => {
        const ratio = median(now.map((cost, round) => cost[what] / (before[round]?.[what] ?? Number.NaN)))
        return [
          ...[before, now].map((costs) => `${median(costs.map((cost) => cost[what])).toFixed(0)} ms`),
          `${ratio.toFixed(3)} (${(least(now, what) / least(before, what)).toFixed(3)})`,
        ]
      }),
    ]
  })
}

function least(costs: readonly Cost[], what: keyof Cost): number {
  return Math.min(...costs.map((cost) => cost[what]))
}
