import { loadavg } from 'node:os'
import { type Command, type Cost, measure, median } from './measure.ts'
import { stagePackage } from './stage-package.ts'
import { startService } from './start-service.ts'
import { table, verdict } from './table.ts'
import { layOut } from './work-place.ts'

/**
 * What the built package takes to print its help, and for the smallest audits: six resources, with a new history and
 * once more. Next to Node doing nothing, round by round. `BENCH_ROUNDS` (default 31): medians of that many rounds.
 */
const rounds = Number(process.env.BENCH_ROUNDS ?? 31)

const executable = stagePackage()
const service = await startService({ projects: 1, endpointsPerProject: 3, subscriptionsPerProject: 3 })
const place = layOut(service, executable)
// With an output that a shell opened: hookdrift takes what `measure` gives for a closed one, and fails.
const node = (...args: string[]): Command => ({
  command: 'sh',
  args: ['-c', 'exec "$0" "$@" >/dev/null', process.execPath, ...args],
})
const contenders = {
  'node -e 0': node('-e', '0'),
  '--help': node(executable, '--help'),
  'audit, new history': place.audit('audit.db'),
  'audit, once more': place.audit('audit.db'),
}
type Name = keyof typeof contenders
const names = Object.keys(contenders) as Name[]
const costs = new Map<Name, Cost[]>(names.map((name) => [name, []]))

try {
  // The first round fills the compile cache.
  for (let round = -1; round < rounds; round++) {
    place.remove('audit.db')
    for (const [name, of] of costs) {
      const cost = await measure(contenders[name])
      if (round >= 0) of.push(cost)
    }
  }
} finally {
  place.clear()
  await service.stop()
}

const ratioOf = (name: Name, what: keyof Cost) => {
  const nothing = costs.get('node -e 0') ?? []
  return median((costs.get(name) ?? []).map((cost, round) => cost[what] / (nothing[round]?.[what] ?? Number.NaN)))
}
const rows = [...costs].map(([name, of]) => [
  name,
  ...(['cpuMs', 'wallMs'] as const).flatMap((what) => [
    `${median(of.map((cost) => cost[what])).toFixed(0)} ms`,
    `${ratioOf(name, what).toFixed(1)}×`,
  ]),
])
const targets = { '--help': 2.5, 'audit, new history': 11, 'audit, once more': 11 } as const
const verdicts = Object.entries(targets).map(([name, atMost]) =>
  verdict(`${name} / node -e 0, CPU`, ratioOf(name as Name, 'cpuMs'), { atMost }),
)
process.stdout.write(`\
${rounds} rounds. Load of the machine: ${loadavg()
  .map((load) => load.toFixed(1))
  .join(', ')}.

${table([['', 'CPU', '×', 'wall', '×'], ...rows])}
${verdicts.join('')}`)
