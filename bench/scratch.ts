import { measure } from './measure.ts'
import { stagePackage } from './stage-package.ts'
import { startYear } from './start-service.ts'
import { layOut } from './work-place.ts'

const n = Number(process.env.BENCH_RESOURCES)
const service = await startYear({
  projects: 1,
  endpointsPerProject: n,
  subscriptionsPerProject: 0,
  changesPerDay: n / 100,
})
const place = layOut(service, stagePackage())
const command = place.audit('audit.db', ['--import', '/tmp/t-facts/watch.mjs'])
for (const name of (process.env.RUNS ?? 'cold').split(',')) {
  if (name === 'changed') await service.become(2)
  const cost = await measure({
    ...command,
    env: {
      WATCH_OUT: `/tmp/t-facts/mem-${name}.txt`,
      SNAP_AT: name === process.env.SNAP_RUN ? (process.env.SNAP_AT ?? '') : '',
    },
  })
  console.log(name, cost.wallMs, cost.cpuMs)
}
place.clear()
await service.stop()
