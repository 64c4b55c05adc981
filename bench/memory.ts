import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Command, median } from './measure.ts'
import { stagePackage } from './stage-package.ts'
import { type FleetSizes, startService } from './start-service.ts'
import { table, verdict } from './table.ts'
import { layOut } from './work-place.ts'

/**
 * The highest resident memory of an audit with a new history, started by hand and as the manifests start it, and of the
 * floor that reads the same stream. Linux only: other systems do not count it. `BENCH_ROUNDS` (default 3): medians of
 * that many rounds. `BENCH_FLEETS`: how many of the fleets (default: all), the smallest first.
 */
const rounds = Number(process.env.BENCH_ROUNDS ?? 3)
const fleets = {
  '20,000 in 100 projects': { projects: 100, endpointsPerProject: 100, subscriptionsPerProject: 100 },
  '200,000 in 1,000 projects': { projects: 1000, endpointsPerProject: 100, subscriptionsPerProject: 100 },
  '100,000 in one listing': { projects: 1, endpointsPerProject: 100_000, subscriptionsPerProject: 0 },
} as const satisfies Record<string, FleetSizes>
const flags = ['--import', join(import.meta.dirname, 'report-peak.ts')]

const executable = stagePackage()
const deployed = deployedFlags()
const peaks: { name: string; audit: number; deployed: number; floor: number }[] = []
for (const [name, sizes] of Object.entries(fleets).slice(0, Number(process.env.BENCH_FLEETS ?? 3))) {
  const service = await startService(sizes)
  const place = layOut(service, executable)
  const audits: number[] = []
  const deployments: number[] = []
  const floors: number[] = []
  try {
    for (let round = 0; round < rounds; round++) {
      for (const file of ['audit.db', 'deployed.db', 'floor.db']) place.remove(file)
      audits.push(peakMb(place.audit('audit.db', flags)))
      deployments.push(peakMb(place.audit('deployed.db', [...deployed, ...flags])))
      floors.push(peakMb(place.floor('floor.db', flags)))
    }
  } finally {
    place.clear()
    await service.stop()
  }
  peaks.push({ name, audit: median(audits), deployed: median(deployments), floor: median(floors) })
}

const rows = peaks.map(({ name, audit, deployed, floor }) => [
  name,
  ...[audit, deployed, floor].map((peak) => `${peak.toFixed(0)} MB`),
  ...[audit / floor, deployed / floor].map((ratio) => ratio.toFixed(2)),
])
const [small, large] = peaks
const verdicts = peaks.flatMap(({ name, audit, deployed, floor }) => [
  verdict(`by hand / floor, ${name}`, audit / floor, { atMost: 1.1 }),
  verdict(`deployed / floor, ${name}`, deployed / floor, { atMost: 0.75 }),
])
if (small !== undefined && large !== undefined) {
  verdicts.push(verdict('growth from 20,000 to 200,000 by hand, in MB', large.audit - small.audit, { atMost: 80 }))
}
process.stdout.write(`Highest resident memory with a new history, ${rounds} rounds. Deployed: ${deployed.join(' ')}

${table([['resources', 'by hand', 'deployed', 'floor', 'by hand / floor', 'deployed / floor'], ...rows])}
${verdicts.join('')}`)

/** What the manifests give to Node. */
function deployedFlags(): readonly string[] {
  const manifest = readFileSync(join(import.meta.dirname, '../deploy/kubernetes/cronjob/cronjob.yaml'), 'utf8')
  const [, options] = /NODE_OPTIONS, value: "([^"]+)"/.exec(manifest) ?? []
  if (options === undefined) throw new Error('the manifest of the cron job sets no NODE_OPTIONS')
  return options.split(' ')
}

function peakMb({ command, args }: Command): number {
  const { status, stderr } = spawnSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'ignore', 'pipe'] })
  if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}:\n${stderr}`)
  return Number(stderr.trim().split('\n').at(-1)) / 1024
}
