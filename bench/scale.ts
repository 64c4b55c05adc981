import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { type Command, type Cost, measure } from './measure.ts'
import { stagePackage } from './stage-package.ts'
import { type FleetSizes, startYear } from './start-service.ts'
import { table, verdict } from './table.ts'
import { layOut } from './work-place.ts'

/**
 * 200,000 resources in one process and one file: with a new history, with nothing changed, and with one in a hundred
 * changed; next to 20,000. What each run costs, how much memory it takes, and how long it holds the write lock at a
 * stretch. `BENCH_RESOURCES` (default 200,000), 200 a project; `BENCH_LISTING=1`: all of them in one listing.
 */
const most = Number(process.env.BENCH_RESOURCES ?? 200_000)
const isOneListing = process.env.BENCH_LISTING !== undefined
const perList = 100
const sizesOf = (resources: number): FleetSizes =>
  isOneListing
    ? { projects: 1, endpointsPerProject: resources, subscriptionsPerProject: 0 }
    : { projects: resources / (2 * perList), endpointsPerProject: perList, subscriptionsPerProject: perList }

interface RunAtScale extends Cost {
  readonly peakMb: number
  /** The longest time that no other process could write. */
  readonly lockedMs: number
}

const scenarios = ['cold', 'unchanged', '1 % changed'] as const
type Scenario = (typeof scenarios)[number]

const executable = stagePackage()
const small = await runAll(20_000)
const large = await runAll(most)

const perResource = (scenario: Scenario) => large[scenario].cpuMs / most / (small[scenario].cpuMs / 20_000)
const rows = (
  [
    ['20,000', small],
    [most.toLocaleString('en'), large],
  ] as const
).flatMap(([resources, runs]) =>
  scenarios.map((scenario) => {
    const { wallMs, cpuMs, peakMb, lockedMs } = runs[scenario]
    return [
      `${resources} ${scenario}`,
      ...[wallMs, cpuMs].map((ms) => `${(ms / 1000).toFixed(1)} s`),
      `${peakMb.toFixed(0)} MB`,
      `${lockedMs.toFixed(0)} ms`,
    ]
  }),
)
const where = isOneListing ? 'in one listing' : `in ${sizesOf(most).projects.toLocaleString('en')} projects`
process.stdout.write(`${most.toLocaleString('en')} resources ${where}, next to 20,000; one run each.

${table([['', 'wall', 'cpu', 'peak', 'locked'], ...rows])}
${verdict('peak, in MB', Math.max(...scenarios.map((scenario) => large[scenario].peakMb)), { atMost: 600 })}\
${verdict('cpu a resource, unchanged, next to 20,000', perResource('unchanged'), { atMost: 1.1 })}\
${verdict('cpu a resource, cold, next to 20,000', perResource('cold'), { atMost: 1.1 })}`)

async function runAll(resources: number): Promise<Record<Scenario, RunAtScale>> {
  const service = await startYear({ ...sizesOf(resources), changesPerDay: resources / 100 })
  const place = layOut(service, executable)
  const command = place.audit('audit.db', ['--import', join(import.meta.dirname, 'report-peak.ts')])
  try {
    const cold = await runOnce(command, place.file('audit.db'))
    const unchanged = await runOnce(command, place.file('audit.db'))
    await service.become(2)
    return { cold, unchanged, '1 % changed': await runOnce(command, place.file('audit.db')) }
  } finally {
    place.clear()
    await service.stop()
  }
}

async function runOnce(command: Command, file: string): Promise<RunAtScale> {
  const ended = new AbortController()
  const watching = longestLock(file, ended.signal)
  const peakFile = `${file}.peak`
  try {
    const cost = await measure({ ...command, env: { HOOKDRIFT_PEAK_FILE: peakFile } })
    ended.abort()
    return { ...cost, peakMb: Number(readFileSync(peakFile, 'utf8')) / 1024, lockedMs: await watching }
  } finally {
    ended.abort()
  }
}

/** Asks for the write lock again and again, and gives it back at once. */
async function longestLock(file: string, signal: AbortSignal): Promise<number> {
  let longest = 0
  let since: number | undefined
  let db: Database.Database | undefined
  while (!signal.aborted) {
    await sleep(5, undefined, { signal }).catch(() => {})
    try {
      db ??= new Database(file, { timeout: 0, fileMustExist: true })
      db.exec('BEGIN IMMEDIATE; ROLLBACK')
      if (since !== undefined) longest = Math.max(longest, performance.now() - since)
      since = undefined
    } catch {
      if (db !== undefined) since ??= performance.now()
    }
  }
  db?.close()
  return longest
}
