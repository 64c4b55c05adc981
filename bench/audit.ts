import { loadavg } from 'node:os'
import { join } from 'node:path'
import { type Command, type Cost, measure, median } from './measure.ts'
import { stagePackage } from './stage-package.ts'
import { startYear } from './start-service.ts'
import { table, verdict } from './table.ts'
import { layOut } from './work-place.ts'

/**
 * An audit of 20,000 resources, a shell script that does the same, and the least that the libraries under it could do:
 * with a new history, once more with nothing changed, and once more after one in a hundred resources has changed,
 * spread over all projects. `BENCH_ROUNDS` (default 5): medians of that many rounds, every contender once a round.
 */
const rounds = Number(process.env.BENCH_ROUNDS ?? 5)
const sizes = { projects: 100, endpointsPerProject: 100, subscriptionsPerProject: 100 }
const resources = sizes.projects * (sizes.endpointsPerProject + sizes.subscriptionsPerProject)

const executable = stagePackage()
const service = await startYear({ ...sizes, changesPerDay: resources / 100 })
const place = layOut(service, executable)
const uids = `${service.projects.join('\n')}\n`

const script = (name: string, directory: string, ...more: string[]): Command => ({
  command: 'sh',
  args: [join(import.meta.dirname, 'scripts', name), service.url, service.key, place.file(directory), ...more],
  input: uids,
})
const contenders = {
  hookdrift: { keeps: 'audit.db', run: place.audit('audit.db') },
  'script, plain': { keeps: 'plain', run: script('plain.sh', 'plain') },
  'script, tuned': { keeps: 'tuned', run: script('tuned.sh', 'tuned') },
  'script, leanest': { keeps: 'leanest', run: script('leanest.sh', 'leanest') },
  'the same, secrets in clear': { keeps: 'clear', run: script('leanest.sh', 'clear', 'in-clear') },
  floor: { keeps: 'floor.db', run: place.floor('floor.db') },
}
type Name = keyof typeof contenders
const names = Object.keys(contenders) as Name[]
const scenarios = ['cold', 'unchanged', '1 % changed'] as const
type When = (typeof scenarios)[number]
const costs: Readonly<Record<When, Map<Name, Cost[]>>> = {
  cold: new Map(),
  unchanged: new Map(),
  '1 % changed': new Map(),
}
const loads: number[] = []

try {
  for (let round = 0; round < rounds; round++) {
    for (const name of names) {
      place.remove(contenders[name].keeps)
      await run(name, 'cold')
      await run(name, 'unchanged')
    }
    await service.become(round + 2)
    for (const name of ['hookdrift', 'floor'] as const) await run(name, '1 % changed')
  }
} finally {
  place.clear()
  await service.stop()
}

async function run(name: Name, when: When): Promise<void> {
  loads.push(loadavg()[0] ?? Number.NaN)
  const known = costs[when].get(name) ?? []
  costs[when].set(name, [...known, await measure(contenders[name].run)])
}

function medianOf(name: Name, when: When, what: keyof Cost): number {
  return median((costs[when].get(name) ?? []).map((cost) => cost[what]))
}

/** The median of each round's own ratio: neighbours on a machine come and go. */
function ratioOf(name: Name, other: Name, when: When, what: keyof Cost): number {
  const others = costs[when].get(other) ?? []
  return median((costs[when].get(name) ?? []).map((cost, round) => cost[what] / (others[round]?.[what] ?? Number.NaN)))
}

const floorTargets = { cold: 2.4, unchanged: 1.8, '1 % changed': 2 }
const scriptTargets = { 'script, plain': 12, 'script, tuned': 4, 'script, leanest': 1.2 }
const verdicts = [
  ...scenarios.map((when) => {
    const wall = ` (wall ${ratioOf('hookdrift', 'floor', when, 'wallMs').toFixed(2)})`
    const cpu = ratioOf('hookdrift', 'floor', when, 'cpuMs')
    return verdict(`hookdrift / floor, cpu, ${when}`, cpu, { atMost: floorTargets[when] }, wall)
  }),
  ...(Object.keys(scriptTargets) as (keyof typeof scriptTargets)[]).flatMap((name) =>
    (['cold', 'unchanged'] as const).map((when) => {
      const cpu = ` (cpu ${ratioOf(name, 'hookdrift', when, 'cpuMs').toFixed(2)})`
      const wall = ratioOf(name, 'hookdrift', when, 'wallMs')
      return verdict(`${name} / hookdrift, wall, ${when}`, wall, { atLeast: scriptTargets[name] }, cpu)
    }),
  ),
]

const seconds = (ms: number) => `${(ms / 1000).toFixed(2)} s`
const rows = names.map((name) => [
  name,
  ...scenarios.flatMap((when) => {
    if (!costs[when].has(name)) return ['', '', '']
    const times = ratioOf(name, 'floor', when, 'cpuMs')
    return [seconds(medianOf(name, when, 'wallMs')), seconds(medianOf(name, when, 'cpuMs')), `${times.toFixed(2)}×`]
  }),
])
process.stdout.write(`\
${resources.toLocaleString('en')} resources: ${sizes.projects} projects, both lists; sources and projects are not listed. ${rounds} rounds.
cold: a new history. unchanged: the same once more. 1 % changed: after ${resources / 100} edits everywhere.
cpu: of all processes. ×: cpu time against the floor's. Load of the machine before a run: ${Math.min(...loads).toFixed(1)} to ${Math.max(...loads).toFixed(1)}, median ${median(loads).toFixed(1)}.

${table([['', ...scenarios.flatMap((when) => [when, 'cpu', '×'])], ...rows])}
${verdicts.join('')}`)
