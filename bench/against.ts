import { resolve } from 'node:path'
import { type Cost, measure, median } from './measure.ts'
import { stagePackage } from './stage-package.ts'
import { startYear } from './start-service.ts'
import { table } from './table.ts'
import { layOut } from './work-place.ts'

/**
 * An audit of 20,000 resources by this checkout and by another one, such as a worktree of an earlier commit with its
 * packages installed: `npm run bench -- against DIRECTORY`. CPU time, round by round side by side; `BENCH_ROUNDS`
 * (default 5).
 */
const [other] = process.argv.slice(2)
if (other === undefined) throw new Error('name the other checkout: npm run bench -- against DIRECTORY')
const rounds = Number(process.env.BENCH_ROUNDS ?? 5)
const service = await startYear({
  projects: 100,
  endpointsPerProject: 100,
  subscriptionsPerProject: 100,
  changesPerDay: 200,
})
const sides = [stagePackage(resolve(other)), stagePackage()].map((executable) => ({
  place: layOut(service, executable),
  cold: [] as Cost[],
  unchanged: [] as Cost[],
  '1 % changed': [] as Cost[],
}))

try {
  for (let round = 0; round < rounds; round++) {
    for (const { place, cold, unchanged } of sides) {
      place.remove('audit.db')
      cold.push(await measure(place.audit('audit.db')))
      unchanged.push(await measure(place.audit('audit.db')))
    }
    await service.become(round + 2)
    for (const side of sides) side['1 % changed'].push(await measure(side.place.audit('audit.db')))
  }
} finally {
  for (const { place } of sides) place.clear()
  await service.stop()
}

const rows = (['cold', 'unchanged', '1 % changed'] as const).map((when) => {
  const [before = [], now = []] = sides.map((side) => side[when].map(({ cpuMs }) => cpuMs))
  const ratio = median(now.map((cpuMs, round) => cpuMs / (before[round] ?? Number.NaN)))
  return [when, `${median(before).toFixed(0)} ms`, `${median(now).toFixed(0)} ms`, `${ratio.toFixed(3)}×`]
})
process.stdout.write(`\
20,000 resources, CPU time, ${rounds} rounds.

${table([['', other, 'this checkout', 'ratio'], ...rows])}
`)
