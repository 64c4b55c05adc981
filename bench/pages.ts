import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fillResources } from './fill-resources.ts'
import { fillViolations } from './fill-violations.ts'
import { type Cost, measure, median } from './measure.ts'
import { stagePackage } from './stage-package.ts'
import { startService } from './start-service.ts'
import { table, verdict } from './table.ts'
import { layOut } from './work-place.ts'

/**
 * What pages of `hookdrift serve` cost over HTTP in a history of 200,000 violations and a tenth as many resources: the
 * first answer as of a run, the 50th and the 99th percentile of the others, and their bytes; and by how much an audit is
 * slower while someone reads them.
 * One violation in ten is active; `reading` measures what ended. `BENCH_ROWS`, `BENCH_ROUNDS` (default 100) and `BENCH_AUDITS` (default 15) for fewer.
 */
const rows = Number(process.env.BENCH_ROWS ?? 200_000)
const rounds = Number(process.env.BENCH_ROUNDS ?? 100)
const audits = Number(process.env.BENCH_AUDITS ?? 15)

const executable = stagePackage()
const directory = mkdtempSync(join(tmpdir(), 'hookdrift-pages-'))
const history = join(directory, 'hookdrift.db')

async function serve(): Promise<{ url: string; server: ChildProcess }> {
  const args = [executable, 'serve', '--history', history, '--listen', '127.0.0.1:0']
  const server = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = await once(server.stdout, 'data')
  const [url] = /http:\/\/[^ ]+/.exec(String(line)) ?? []
  if (url === undefined) throw new Error(`serve says ${line}`)
  return { url: url.replace(/\/$/, ''), server }
}

async function ask(url: string): Promise<{ ms: number; bytes: number; text: string }> {
  const start = performance.now()
  const answer = await fetch(url, { headers: { 'accept-encoding': 'identity' } })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${url} answers ${answer.status}: ${text}`)
  return { ms: performance.now() - start, bytes: Buffer.byteLength(text), text }
}

const percentile = (values: readonly number[], share: number) =>
  values.toSorted((a, b) => a - b)[Math.ceil(values.length * share) - 1] ?? 0

async function measurePages(url: string) {
  const first = await ask(`${url}/violations`)
  const second = /rel="next" href="([^"]+)"/.exec(first.text)?.[1]?.replaceAll('&amp;', '&') ?? '/violations'
  const [, fingerprint = ''] = /href="\/violations\/([0-9a-f]+)"/.exec(first.text) ?? []
  const pages = {
    overview: '/',
    violations: '/violations',
    'the page after': second,
    'of a rule, high or above': '/violations?rule=endpoint%2Frule-7&severity=high',
    'by age': '/violations?sort=age',
    'by due date': '/violations?sort=due',
    'by rule': '/violations?group-by=rule',
    'of a text': '/violations?q=orders+12',
    'by resource': '/violations?group-by=resource',
    'one violation': `/violations/${fingerprint}`,
    'a project': '/projects/bench/p1',
    'an owner': '/owners/tenant-7',
    resources: '/resources',
    'resources of a text': '/resources?q=orders+12',
    'resources of a text that none has': '/resources?q=nothing+has+this',
    'a run': '/runs/100',
    'a framework': '/compliance/soc2',
    worker: '/worker',
  }
  const found = []
  for (const [name, path] of Object.entries(pages)) {
    const cold = name === 'violations' ? first : await ask(url + path)
    const warm = []
    for (let round = 0; round < rounds; round++) warm.push(await ask(url + path))
    const ms = warm.map((answer) => answer.ms)
    found.push({ name, first: cold.ms, p50: percentile(ms, 0.5), p99: percentile(ms, 0.99), bytes: cold.bytes })
  }
  return found
}

/** The cost of audits that write to the same history, in turns with and without someone who reads pages. */
async function measureAudits(url: string): Promise<{ alone: Cost[]; read: Cost[] }> {
  const service = await startService({ projects: 10, endpointsPerProject: 5000, subscriptionsPerProject: 0 })
  const place = layOut(service, executable)
  const times = { alone: [] as Cost[], read: [] as Cost[] }
  try {
    const { command, args } = place.audit('x')
    const audit = { command, args: args.map((arg) => (arg === place.file('x') ? history : arg)) }
    await measure(audit)
    for (let round = 0; round < audits; round++) {
      for (const kind of ['alone', 'read'] as const) {
        let isOver = kind === 'alone'
        // A reader who loads four pages a second.
        const reading = (async () => {
          for (let at = 0; !isOver; at++) {
            await ask(url + (at % 2 === 0 ? '/violations' : '/violations?severity=high'))
            await new Promise((resolve) => setTimeout(resolve, 250))
          }
        })()
        times[kind].push(await measure(audit))
        isOver = true
        await reading
      }
    }
  } finally {
    place.clear()
    await service.stop()
  }
  return times
}

try {
  fillViolations(history, rows)
  fillResources(history, Math.ceil(rows / 10))
  const { url, server } = await serve()
  try {
    const pages = await measurePages(url)
    const shown = pages.map(({ name, first, p50, p99, bytes }) => [
      name,
      ...[first, p50, p99].map((ms) => `${ms.toFixed(1)} ms`),
      `${(bytes / 1000).toFixed(1)} kB`,
    ])
    const slowest = Math.max(...pages.map(({ p99 }) => p99))
    const largest = Math.max(...pages.map(({ bytes }) => bytes))
    process.stdout.write(`Pages of ${rows.toLocaleString('en')} violations, ${rounds} times each; load ${loadavg()[0]?.toFixed(1)}.

${table([['', 'first', 'p50', 'p99', 'bytes'], ...shown])}
${verdict('p99 of the slowest page, ms', slowest, { atMost: 150 })}${verdict('the largest page, kB', largest / 1000, { atMost: 60 })}
`)
    const { alone, read } = await measureAudits(url)
    // Time without the processor: waiting for the disk, for locks, and for a processor that others use.
    const idle = ({ wallMs, cpuMs }: Cost) => Math.max(0, wallMs - cpuMs)
    const wall = ({ wallMs }: Cost) => wallMs
    const cpu = ({ cpuMs }: Cost) => cpuMs
    const parts = (
      [
        ['wall time', wall],
        ['CPU time', cpu],
        ['waiting', idle],
      ] as const
    ).map(([name, part]) => [name, ...[alone, read].map((costs) => `${median(costs.map(part)).toFixed(0)} ms`)])
    process.stdout.write(`${table([['an audit', 'alone', 'with readers'], ...parts])}
${verdict('an audit with readers / alone', median(read.map(wall)) / median(alone.map(wall)), { atMost: 1.05 }, `; ${audits} audits each, in turns; load ${loadavg()[0]?.toFixed(1)}`)}`)
  } finally {
    server.kill()
  }
} finally {
  rmSync(directory, { recursive: true, force: true })
}
