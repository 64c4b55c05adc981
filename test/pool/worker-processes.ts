import { setTimeout as sleep } from 'node:timers/promises'
import type { SimulatedFleet } from '../../src/demo/fleet.ts'
import type { SimulatedService } from '../../src/demo/simulated-service.ts'
import { connect } from '../../src/history/postgres/connect.ts'
import type { Report } from '../../src/model/report.ts'
import { configurationFor, openDirectory, type Running, startHookdrift } from '../cli/start-process.ts'
import type { TestDatabase } from '../history/postgres/databases.ts'

export interface WorkersOptions {
  readonly service: SimulatedService
  readonly fleet: SimulatedFleet
  /** URL of the history. */
  readonly url: string
  readonly slots?: number
  /** More of the configuration, before its services. */
  readonly more?: string
  /** Walks of the service at once. */
  readonly walks?: number
  /** Of a process. Default: two minutes. */
  readonly lifetimeMs?: number
}

/** Worker processes that share the runs of one history, and what is asked of them. */
export function openWorkerProcesses({
  service,
  fleet,
  url,
  slots = 4,
  more = '',
  walks = 4,
  lifetimeMs,
}: WorkersOptions) {
  const directory = openDirectory()
  const env = {
    ACME_KEY: fleet.personalKey,
    HOOKDRIFT_HISTORY: url,
    HOOKDRIFT_SEAL_KEY: 'not-a-real-seal-key-of-many-workers',
    HOOKDRIFT_LOG: 'info',
  }
  const text = (given: string) =>
    configurationFor(
      service.url,
      fleet,
      `worker: { shared: true, slots: ${slots}, listen: "127.0.0.1:0" }\npolicy: policy.yaml\n${given}`,
    ).replace('limits: { retries: 1, retry_budget: 2s }', `limits: { retries: 1, retry_budget: 2s, walks: ${walks} }`)
  const configure = (given: string) => directory.write('hookdrift.yaml', text(given))
  configure(more)
  directory.write('policy.yaml', 'extends: [all]\n')
  const running: Running[] = []
  const lifetime = lifetimeMs === undefined ? {} : { lifetimeMs }
  const options = (more: Readonly<Record<string, string>> = {}) => {
    return { cwd: directory.path, env: { ...env, ...more }, ...lifetime }
  }
  return {
    directory,
    configure,
    /** Starts a worker, and returns when it takes part. `config`: a file of its own. */
    start(config = 'hookdrift.yaml', more: Readonly<Record<string, string>> = {}) {
      const worker = startHookdrift(`worker --config ${config}`, options(more))
      running.push(worker)
      return worker
    },
    /** The configuration with something else, in a file of its own. */
    writeOther: (name: string, given: string) => directory.write(name, text(given)),
    /** Asks the workers for a run, and returns its report. */
    async audit(
      ...args: readonly string[]
    ): Promise<{ readonly code: number | null; readonly report: Report | undefined; readonly stderr: string }> {
      const { ended } = startHookdrift(['audit', '--shared', '--format', 'json', ...args], options())
      const { code, stdout, stderr } = await ended
      return { code, report: stdout === '' ? undefined : JSON.parse(stdout), stderr }
    },
    async say(...args: readonly string[]) {
      return startHookdrift(args, options()).ended
    },
    async [Symbol.asyncDispose]() {
      for (const { child } of running) {
        // A stopped process takes no SIGTERM before it goes on.
        if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL')
      }
      await Promise.all(running.map(({ ended }) => ended))
      directory[Symbol.dispose]()
    },
  }
}

/** What is wrong with a run that should be complete; empty when nothing is. */
export function faultsOfRun({
  code,
  report,
  stderr,
}: {
  readonly code: number | null
  readonly report: Report | undefined
  readonly stderr: string
}): string[] {
  const partial = report?.coverage.filter(({ status }) => status !== 'complete' && status !== 'skipped') ?? []
  const faults = partial.map(({ project, listing, reason }) => `${project} ${listing}: ${reason}`)
  return code === 0 || code === 1 ? faults : [...faults, `exit code ${code}: ${stderr.trim()}`]
}

/** What depends on where and how fast a run was audited, and on what was asked again. */
export function maskedReport(report: unknown): unknown {
  const text = JSON.stringify(report)
  return JSON.parse(
    text
      .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, 'TIME')
      .replaceAll(/"(duration_ms|requests|retries)":\d+/g, '"$1":0')
      .replaceAll(/"chain":"[0-9a-f]+"/g, '"chain":null')
      .replaceAll(/demo\/simulated-\d{6}/g, 'the answer'),
  )
}

/** Measures at a service how many projects are read at once. */
export function watchWalks(latencyMs: number) {
  const spans: { readonly project: string; readonly from: number; readonly to: number }[] = []
  return {
    latencyMs({ path }: { readonly path: string }) {
      const from = performance.now()
      spans.push({ project: /projects\/([^/?]+)/.exec(path)?.[1] ?? '', from, to: from + latencyMs })
      return latencyMs
    },
    /** The most projects that had a request under way at one time. */
    most() {
      return Math.max(
        0,
        ...spans.map(
          ({ from }) => new Set(spans.filter((s) => s.from <= from && s.to > from).map((s) => s.project)).size,
        ),
      )
    },
  }
}

/** Waits until so many workers take part. */
export async function untilWorkers({ server }: TestDatabase, count: number): Promise<void> {
  const db = connect(server)
  try {
    for (let tries = 0; tries < 300; tries++) {
      const alive = await db
        .value<number>("SELECT count(*) FROM hookdrift.worker WHERE seen_at > clock_timestamp() - interval '15 s'")
        .catch(() => 0)
      if (alive === count) return
      await sleep(200)
    }
    throw new Error(`there are no ${count} workers`)
  } finally {
    await db.close()
  }
}
