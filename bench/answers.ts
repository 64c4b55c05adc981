import { type Command, type Cost, measure, median } from './measure.ts'
import { stagePackage } from './stage-package.ts'
import { startYear } from './start-service.ts'
import { table, verdict } from './table.ts'
import { layOut } from './work-place.ts'

/**
 * Two answers about 20,000 resources as JSON: the state after a run, and the 4,000 changes between two. Next to Node doing
 * nothing, round by round, CPU time. `BENCH_ROUNDS` (default 7).
 */
const rounds = Number(process.env.BENCH_ROUNDS ?? 7)
const sizes = { projects: 100, endpointsPerProject: 100, subscriptionsPerProject: 100 }
const changes = 4_000

const executable = stagePackage()
const service = await startYear({ ...sizes, changesPerDay: changes })
const place = layOut(service, executable)
// With an output that a shell opened: hookdrift takes what `measure` gives for a closed one, and fails.
const node = (...args: string[]): Command => ({
  command: 'sh',
  args: ['-c', 'exec "$0" "$@" >/dev/null', process.execPath, ...args],
})
const asJson = ['--history', place.file('answers.db'), '--format', 'json', '--limit', '1000000']
const contenders = {
  'node -e 0': node('-e', '0'),
  state: node(executable, 'state', ...asJson),
  diff: node(executable, 'diff', 'latest~1', 'latest', ...asJson),
}
const costs = new Map<string, Cost[]>(Object.keys(contenders).map((name) => [name, []]))

try {
  await measure(place.audit('answers.db'))
  await service.become(2)
  await measure(place.audit('answers.db'))
  // The first round fills the compile cache.
  for (let round = -1; round < rounds; round++) {
    for (const [name, command] of Object.entries(contenders)) {
      const cost = await measure(command)
      if (round >= 0) costs.get(name)?.push(cost)
    }
  }
} finally {
  place.clear()
  await service.stop()
}

const nothing = costs.get('node -e 0') ?? []
const ratioOf = (name: string) =>
  median((costs.get(name) ?? []).map(({ cpuMs }, round) => cpuMs / (nothing[round]?.cpuMs ?? Number.NaN)))
const rows = [...costs].map(([name, of]) => [
  name,
  `${median(of.map(({ cpuMs }) => cpuMs)).toFixed(0)} ms`,
  `${ratioOf(name).toFixed(1)}×`,
])
process.stdout.write(`\
20,000 resources, about ${changes.toLocaleString('en')} changes between the runs. CPU time, ${rounds} rounds.

${table([['', 'cpu', '×'], ...rows])}
${verdict('state of 20,000 as JSON / node -e 0', ratioOf('state'), { atMost: 8 })}\
${verdict('diff of 4,000 as JSON / node -e 0', ratioOf('diff'), { atMost: 8 })}`)
