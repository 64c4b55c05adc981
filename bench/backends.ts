import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { makeCluster } from '../test/start-postgres.ts'
import { type Cost, measure, median } from './measure.ts'
import { stagePackage } from './stage-package.ts'
import { startService } from './start-service.ts'
import { table, verdict } from './table.ts'
import { layOut } from './work-place.ts'

/**
 * Audits of 20,000 resources with a history in a file and in PostgreSQL, round by round side by side, by one process each.
 * The server runs on this machine with a socket, and waits for its disk as a real one does, which is memory where there is
 * some. `BENCH_ROUNDS` (default 5).
 */
const rounds = Number(process.env.BENCH_ROUNDS ?? 5)
const fleet = { projects: 100, endpointsPerProject: 100, subscriptionsPerProject: 100 }
const scenarios = ['first run', 'nothing changed'] as const
type Scenario = (typeof scenarios)[number]

const cluster = makeCluster({ settings: ['fsync=on', 'synchronous_commit=on', 'full_page_writes=on'] })
if (cluster === undefined) throw new Error('PostgreSQL is not installed: apt-get install postgresql')
const executable = stagePackage()
const service = await startService(fleet)
const place = layOut(service, executable)
const costs = new Map<string, Cost[]>()
const key = (scenario: Scenario, backend: string) => `${scenario} ${backend}`

try {
  await untilReady({ host: cluster.directory, user: cluster.user, database: 'postgres' })
  for (let round = 0; round < rounds; round++) {
    const sides = ['file', 'postgres'] as const
    for (const backend of round % 2 === 0 ? sides : sides.toReversed()) {
      place.remove('audit.db')
      for (const scenario of scenarios) {
        const command = place.audit('audit.db')
        const url = `postgres://${cluster.user}@/postgres?host=${cluster.directory}&schema=round_${round}`
        const args = backend === 'file' ? command.args : [...command.args, '--history', url]
        const env = { HOOKDRIFT_SEAL_KEY: '0123456789abcdef'.repeat(4) }
        const cost = await measure({ ...command, args, env })
        costs.set(key(scenario, backend), [...(costs.get(key(scenario, backend)) ?? []), cost])
      }
    }
  }
} finally {
  place.clear()
  await service.stop()
  await cluster.remove()
}

const of = (scenario: Scenario, backend: string, what: keyof Cost) =>
  median((costs.get(key(scenario, backend)) ?? []).map((cost) => cost[what]))
const ratio = (scenario: Scenario) => of(scenario, 'postgres', 'wallMs') / of(scenario, 'file', 'wallMs')
const rows = scenarios.map((scenario) => [
  scenario,
  ...(['wallMs', 'cpuMs'] as const).flatMap((what) =>
    ['file', 'postgres'].map((backend) => `${(of(scenario, backend, what) / 1000).toFixed(2)} s`),
  ),
  ratio(scenario).toFixed(2),
])
process.stdout.write(`20,000 resources in 100 projects, ${rounds} rounds: medians.

${table([['', 'file', 'PostgreSQL', 'CPU: file', 'PostgreSQL', 'ratio of the time'], ...rows])}
${scenarios.map((scenario) => verdict(`${scenario}, PostgreSQL / file`, ratio(scenario), { atMost: 2 })).join('')}`)

async function untilReady(server: ConstructorParameters<typeof Client>[0]): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const client = new Client(server)
    try {
      await client.connect()
      await client.end()
      return
    } catch (error) {
      if (attempt === 100) throw error
      await sleep(100)
    }
  }
}
