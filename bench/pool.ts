import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect } from '../src/history/postgres/connect.ts'
import { openDatabases, type ProvingDatabase } from '../test/pool/open-databases.ts'
import { cpuTimeOf } from './cpu-time.ts'
import { median } from './measure.ts'
import { stagePackage } from './stage-package.ts'
import { startPoolServices } from './start-service.ts'
import { table, verdict } from './table.ts'

/**
 * Runs of one worker and of four, in turns, over services that take 150 ms for a page: how long they take, the CPU time of
 * workers and server, and the most requests at once, measured at the services. `BENCH_PROJECTS` (default 1000),
 * `BENCH_SLOTS` of each worker (default 2), `BENCH_ROUNDS` (default 1), `BENCH_LATENCY` in milliseconds (default 150).
 */
const projects = Number(process.env.BENCH_PROJECTS ?? 1000)
const slots = Number(process.env.BENCH_SLOTS ?? 2)
const rounds = Number(process.env.BENCH_ROUNDS ?? 1)
const latencyMs = Number(process.env.BENCH_LATENCY ?? 150)
const services = 5
/** Walks of a service at once: four workers could do more. */
const cap = 2 * slots
const pageSize = 10
const scenarios = ['first run', 'nothing changed'] as const

interface Figures {
  readonly wallMs: number
  /** From the first request to the last answer. */
  readonly walksMs: number
  readonly workersCpuMs: number
  readonly serverCpuMs: number
  readonly most: number
}

const executable = stagePackage()
const service = await startPoolServices({
  services,
  latencyMs,
  pageSize,
  projects: Math.ceil(projects / services),
  endpointsPerProject: pageSize,
  subscriptionsPerProject: pageSize,
})
const databases = await openDatabases({ settings: ['fsync=on', 'synchronous_commit=on', 'full_page_writes=on'] })
const directory = mkdtempSync(join(tmpdir(), 'hookdrift-bench-pool-'))
const figures = new Map<string, Figures[]>()
const file = (name: string) => join(directory, name)
const env = { ...process.env, HOOKDRIFT_SEAL_KEY: '0123456789abcdef'.repeat(4), HOOKDRIFT_LOG: 'error' }

try {
  writeFileSync(file('hookdrift.yaml'), configuration())
  for (let round = 0; round < rounds; round++) {
    for (const workers of round % 2 === 0 ? [1, 4] : [4, 1]) await measurePool(workers)
  }
} finally {
  rmSync(directory, { recursive: true, force: true })
  await service.stop()
  await databases[Symbol.asyncDispose]()
}
print()

function configuration(): string {
  return `worker: { shared: true, slots: ${slots} }
run_timeout: 1h
services:
${service.services
  .map(
    ({ url, key, projects }, at) => `  - name: bench-${at}
    url: ${url}
    key: ${key}
    page_size: ${pageSize}
    limits: { walks: ${cap} }
    listings: { sources: "off", project: "off" }
    projects: [${projects.map((id) => `{ id: ${id} }`).join(', ')}]
`,
  )
  .join('')}`
}

async function measurePool(count: number): Promise<void> {
  const place = await databases.make()
  const start = (...args: readonly string[]) =>
    spawn(process.execPath, [executable, ...args, '--config', file('hookdrift.yaml'), '--history', place.url], {
      stdio: ['ignore', 'ignore', 'pipe'],
      env,
    })
  const workers = Array.from({ length: count }, () => start('worker'))
  try {
    await untilWorkers(place, count)
    for (const scenario of scenarios) {
      await service.takeLoads()
      const before = cpuTimes(workers, await databases.pid())
      const startedAt = performance.now()
      const audit = start('audit', '--shared', '--fail-on', 'never', '--quiet')
      const [said, [code]] = await Promise.all([text(audit.stderr), once(audit, 'exit')])
      if (code !== 0) throw new Error(`an audit of ${count} workers ended with ${code}:\n${said}`)
      const wallMs = performance.now() - startedAt
      const after = cpuTimes(workers, await databases.pid())
      const loads = await service.takeLoads()
      const key = `${scenario}, ${count}`
      const measured: Figures = {
        wallMs,
        walksMs: Math.max(...loads.map(({ lastAt }) => lastAt)) - Math.min(...loads.map(({ firstAt }) => firstAt)),
        workersCpuMs: after.workers - before.workers,
        serverCpuMs: after.server - before.server,
        most: Math.max(...loads.map(({ most }) => most)),
      }
      process.stderr.write(`${key} workers: ${JSON.stringify(measured)}, load ${loadavg()[0]?.toFixed(1)}\n`)
      figures.set(key, [...(figures.get(key) ?? []), measured])
    }
  } finally {
    for (const worker of workers) worker.kill('SIGTERM')
    await Promise.all(workers.map((worker) => (worker.exitCode === null ? once(worker, 'exit') : undefined)))
    await place.remove()
  }
}

function cpuTimes(workers: readonly { readonly pid?: number | undefined }[], server: number | undefined) {
  return {
    workers: workers.reduce((sum, { pid }) => sum + cpuTimeOf(pid ?? Number.NaN), 0),
    server: server === undefined ? Number.NaN : cpuTimeOf(server),
  }
}

/** Waits until so many workers take part. */
async function untilWorkers({ server }: ProvingDatabase, count: number): Promise<void> {
  const db = connect(server)
  try {
    while ((await db.value<number>('SELECT count(*) FROM hookdrift.worker')) !== count) await sleep(100)
  } finally {
    await db.close()
  }
}

function print(): void {
  const of = (key: string, what: keyof Figures) => median((figures.get(key) ?? []).map((measured) => measured[what]))
  const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`
  const rows = [...figures.keys()].map((key) => [
    `${key} ${key.endsWith(' 1') ? 'worker' : 'workers'}`,
    ...(['wallMs', 'walksMs', 'workersCpuMs', 'serverCpuMs'] as const).map((what) => seconds(of(key, what))),
    `${(projects / (of(key, 'walksMs') / 1000)).toFixed(1)}`,
    String(Math.max(...(figures.get(key) ?? []).map(({ most }) => most))),
  ])
  const most = Math.max(...[...figures.values()].flat().map(({ most }) => most))
  process.stdout.write(`\
${projects} projects of ${services} services, ${latencyMs} ms a page, ${slots} slots a worker, at most ${cap} walks of a service; load ${loadavg()[0]?.toFixed(1)}.

${table([['', 'time', 'of it walks', 'CPU: workers', 'PostgreSQL', 'projects a second', 'most at once'], ...rows])}
${scenarios
  .map((scenario) =>
    verdict(`${scenario}: one worker / four`, of(`${scenario}, 1`, 'wallMs') / of(`${scenario}, 4`, 'wallMs'), {
      atLeast: 3.5,
    }),
  )
  .join('')}${verdict('most requests at once of a service / its cap', most / cap, { atMost: 1 })}`)
}
