import { spawnSync } from 'node:child_process'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { measure, median } from './measure.ts'
import { stagePackage } from './stage-package.ts'
import { type FleetSizes, startService } from './start-service.ts'
import { table } from './table.ts'
import { layOut } from './work-place.ts'

/**
 * What a machine for hookdrift must have: the figures of docs/how-to/install.md. A first run fills the history, each
 * further one finds everything unchanged, as most do. Linux only, for the memory. `BENCH_ROUNDS` (default 5).
 */
const rounds = Number(process.env.BENCH_ROUNDS ?? 5)
const fleets = {
  '1,000 in 10 projects': { projects: 10, endpointsPerProject: 50, subscriptionsPerProject: 50 },
  '20,000 in 100 projects': { projects: 100, endpointsPerProject: 100, subscriptionsPerProject: 100 },
} as const satisfies Record<string, FleetSizes>

const executable = stagePackage()
const rows: string[][] = []
for (const [name, sizes] of Object.entries(fleets)) {
  const service = await startService(sizes)
  const place = layOut(service, executable)
  const bytes = () => statSync(place.file('audit.db')).size
  const peakMb = () => {
    const { command, args } = place.audit('audit.db', ['--import', join(import.meta.dirname, 'report-peak.ts')])
    return Number(spawnSync(command, args, { encoding: 'utf8' }).stderr.trim().split('\n').at(-1)) / 1024
  }
  try {
    const firstPeak = peakMb()
    const [filled] = [bytes()]
    place.remove('audit.db')
    const first = await measure(place.audit('audit.db'))
    const further = []
    for (let round = 0; round < rounds; round++) further.push(await measure(place.audit('audit.db')))
    const peak = Math.max(firstPeak, peakMb())
    rows.push([
      name,
      `${(first.wallMs / 1000).toFixed(1)} s`,
      `${(median(further.map(({ wallMs }) => wallMs)) / 1000).toFixed(1)} s`,
      `${(median(further.map(({ cpuMs }) => cpuMs)) / 1000).toFixed(1)} s`,
      `${peak.toFixed(0)} MB`,
      `${(filled / 1e6).toFixed(1)} MB`,
      `${((bytes() - filled) / 1e3 / (rounds + 1)).toFixed(1)} kB`,
    ])
  } finally {
    place.clear()
    service.stop()
  }
}
const head = [
  'resources',
  'first run',
  'further run',
  'its CPU time',
  'memory',
  'history',
  'a run that finds nothing new',
]
process.stdout.write(`${table([head, ...rows])}\n`)
