import { join } from 'node:path'
import { type Command, type Cost, measure, median } from './measure.ts'
import { stagePackage } from './stage-package.ts'
import { startService } from './start-service.ts'
import { table, verdict } from './table.ts'
import { layOut } from './work-place.ts'

/**
 * An audit of 20,000 resources, a shell script that does the same, and the least that the libraries under it
 * could do: with a new history, and once more with nothing changed. `BENCH_ROUNDS` (default 5): medians of that many rounds,
 * every contender once a round.
 */
const rounds = Number(process.env.BENCH_ROUNDS ?? 5)
const sizes = { projects: 100, endpointsPerProject: 100, subscriptionsPerProject: 100 }

const executable = stagePackage()
const service = await startService(sizes)
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
const costs = new Map<Name, { cold: Cost[]; unchanged: Cost[] }>(
  names.map((name) => [name, { cold: [], unchanged: [] }]),
)

try {
  for (let round = 0; round < rounds; round++) {
    for (const [name, { cold, unchanged }] of costs) {
      const { keeps, run } = contenders[name]
      place.remove(keeps)
      cold.push(await measure(run))
      unchanged.push(await measure(run))
    }
  }
} finally {
  place.clear()
  await service.stop()
}

type When = 'cold' | 'unchanged'
const medianOf = (name: Name, when: When, what: keyof Cost) =>
  median((costs.get(name)?.[when] ?? []).map((cost) => cost[what]))
/** The median of each round's own ratio: neighbours on a machine come and go. */
const ratioOf = (name: Name, other: Name, when: When, what: keyof Cost = 'wallMs') => {
  const others = costs.get(other)?.[when] ?? []
  return median(
    (costs.get(name)?.[when] ?? []).map((cost, round) => cost[what] / (others[round]?.[what] ?? Number.NaN)),
  )
}
const targets = [
  ['script, plain', 'hookdrift', { atLeast: 10 }, { atLeast: 10 }],
  ['script, tuned', 'hookdrift', { atLeast: 4 }, { atLeast: 4 }],
  ['script, leanest', 'hookdrift', { atLeast: 1 }, { atLeast: 1 }],
  ['hookdrift', 'floor', { atMost: 1.6 }, { atMost: 2 }],
] as const
const verdicts = targets.flatMap(([name, other, ...wanted]) =>
  (['cold', 'unchanged'] as const).map((when, index) =>
    verdict(
      `${name} / ${other}, ${when}`,
      ratioOf(name, other, when),
      wanted[index] ?? wanted[0],
      ` (cpu ${ratioOf(name, other, when, 'cpuMs').toFixed(2)})`,
    ),
  ),
)

const seconds = (ms: number) => `${(ms / 1000).toFixed(2)} s`
const rows = names.map((name) => [
  name,
  ...(['cold', 'unchanged'] as const).flatMap((when) => [
    seconds(medianOf(name, when, 'wallMs')),
    seconds(medianOf(name, when, 'cpuMs')),
    `${ratioOf(name, 'hookdrift', when).toFixed(2)}×`,
  ]),
])
const resources = sizes.projects * (sizes.endpointsPerProject + sizes.subscriptionsPerProject)
process.stdout.write(`\
${resources.toLocaleString('en')} resources: ${sizes.projects} projects, both lists; sources and projects are not listed. ${rounds} rounds.
cold: a new history. unchanged: the same once more. cpu: of all processes. ×: wall time against hookdrift's.

${table([['', 'cold', 'cpu', '×', 'unchanged', 'cpu', '×'], ...rows])}
${verdicts.join('')}`)
