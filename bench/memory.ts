import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { type Command, median } from './measure.ts'
import { stagePackage } from './stage-package.ts'
import { type FleetSizes, startService } from './start-service.ts'
import { table, verdict } from './table.ts'
import { layOut } from './work-place.ts'

/**
 * The highest resident memory of an audit with a new history, and of the floor that reads the same stream. Linux only:
 * other systems do not count it. `BENCH_ROUNDS` (default 3): medians of that many rounds.
 */
const rounds = Number(process.env.BENCH_ROUNDS ?? 3)
const fleets = {
  '20,000 in 100 projects': { projects: 100, endpointsPerProject: 100, subscriptionsPerProject: 100 },
  '200,000 in 1,000 projects': { projects: 1000, endpointsPerProject: 100, subscriptionsPerProject: 100 },
  '100,000 in one listing': { projects: 1, endpointsPerProject: 100_000, subscriptionsPerProject: 0 },
} as const satisfies Record<string, FleetSizes>
const flags = ['--import', join(import.meta.dirname, 'report-peak.ts')]

const executable = stagePackage()
const peaks: { name: string; audit: number; floor: number; ratio: number }[] = []
for (const [name, sizes] of Object.entries(fleets)) {
  const service = await startService(sizes)
  const place = layOut(service, executable)
  const audits: number[] = []
  const floors: number[] = []
  try {
    for (let round = 0; round < rounds; round++) {
      place.remove('audit.db')
      place.remove('floor.db')
      audits.push(peakMb(place.audit('audit.db', flags)))
      floors.push(peakMb(place.floor('floor.db', flags)))
    }
  } finally {
    place.clear()
    await service.stop()
  }
  const [audit, floor] = [median(audits), median(floors)]
  peaks.push({ name, audit, floor, ratio: audit / floor })
}

const rows = peaks.map(({ name, audit, floor, ratio }) => [
  name,
  `${audit.toFixed(0)} MB`,
  `${floor.toFixed(0)} MB`,
  ratio.toFixed(2),
])
const [small, large] = peaks
const growth = (large?.audit ?? Number.NaN) - (small?.audit ?? Number.NaN)
process.stdout.write(`Highest resident memory with a new history, ${rounds} rounds.

${table([['resources', 'hookdrift', 'floor', 'ratio'], ...rows])}
${peaks.map(({ name, ratio }) => verdict(`hookdrift / floor, ${name}`, ratio, { atMost: 1.15 })).join('')}\
${verdict('growth from 20,000 to 200,000, in MB', growth, { atMost: 120 })}`)

function peakMb({ command, args }: Command): number {
  const { status, stderr } = spawnSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'ignore', 'pipe'] })
  if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}:\n${stderr}`)
  return Number(stderr.trim().split('\n').at(-1)) / 1024
}
