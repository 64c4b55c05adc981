import { setTimeout as sleep } from 'node:timers/promises'
import { generateFleet } from '../../src/demo/generate-fleet.ts'
import { createRandom, type Random } from '../../src/demo/random.ts'
import { startSimulatedService } from '../../src/demo/simulated-service.ts'
import type { History } from '../../src/history/history.ts'
import { connect } from '../../src/history/postgres/connect.ts'
import { openSqliteHistory } from '../../src/history/sqlite/sqlite-history.ts'
import { canonicalJson } from '../../src/model/canonical-json.ts'
import { AuditError } from '../../src/model/errors.ts'
import type { Report } from '../../src/model/report.ts'
import { type AuditTurn, openAuditHarness, policyOf } from '../audit/audit-harness.ts'
import { answersOf } from '../history/answers-of.ts'
import type { TestDatabase } from '../history/postgres/databases.ts'
import { editAtRandom } from '../oracle/random-edits.ts'
import { disturb } from '../oracle/random-faults.ts'
import { randomPolicy } from '../oracle/random-policy.ts'
import { reports as formats } from '../report/all-reports.ts'
import { openLosses, openPoolHarness, type PoolWorkerInTest } from './pool-harness.ts'

/** What a world showed. */
export interface PoolWorld {
  readonly runs: number
  /** Walks that a lost worker had begun. */
  readonly lost: number
  /** Where a side differs from SQLite in one process; empty when none does. */
  readonly differences: readonly string[]
}

const workersOfPool = 4
const latencyMs = 3

/**
 * A random fleet, audited several times while it changes and breaks: by one process on SQLite, by one on PostgreSQL, by
 * four workers, and by four workers of which some are paused at random moments, and go on when others have their work.
 * Every report in every format, and every answer of the history, must be the same.
 */
export async function compareWithPool(seed: string, makeDatabase: () => Promise<TestDatabase>): Promise<PoolWorld> {
  const random = createRandom(`pool/${seed}`)
  const fleet = generateFleet({
    seed,
    projects: 3 + random.below(4),
    incomingEvery: random.pick([1, 2, 3]),
    endpointsPerProject: random.pick([4, 8, 14]),
    sourcesPerProject: random.pick([1, 3]),
    clean: random.chance(0.4),
  })
  await using service = await startSimulatedService(fleet, {
    now: () => Date.parse('2026-11-21T03:00:00Z'),
    latencyMs,
  })
  const projects = Object.fromEntries(fleet.projects().map(({ name, uid }) => [name, uid]))
  // Without retries, no run waits, and the clocks of all sides stay alike.
  const options = { projects, key: fleet.personalKey, limits: { retries: 0 }, concurrency: 1 }
  const places = await Promise.all([makeDatabase(), makeDatabase(), makeDatabase()])
  const [alone, together, disturbed] = places.map(({ server }) => openPoolHarness(server, { walks: 6 }))
  if (alone === undefined || together === undefined || disturbed === undefined) throw new Error('three are opened')
  const sides = [
    { name: 'SQLite', harness: openAuditHarness(options) },
    { name: 'PostgreSQL', harness: openAuditHarness({ ...options, openHistory: alone.openHistory }) },
    ...[together, disturbed].map(({ openHistory, conduct }, at) => ({
      name: at === 0 ? 'four workers' : 'four workers, some lost',
      harness: openAuditHarness({ ...options, openHistory, conduct }),
    })),
  ]
  const workers: PoolWorkerInTest[] = []
  for (const pool of [together, disturbed]) {
    for (let n = 0; n < workersOfPool; n++) workers.push(await pool.startWorker())
  }
  const shaken = workers.slice(workersOfPool)
  const db = connect(places[2]?.server ?? (places[0] as TestDatabase).server)
  const lose = openLosses(db)
  const differences: string[] = []
  let runs = 0
  try {
    for (let left = 2 + random.below(3); left > 0 && differences.length === 0; left--) {
      for (let edits = random.pick([0, 1, 2, 8]); edits > 0; edits--) editAtRandom(fleet, random)
      if (random.chance(0.3)) disturb(service, random)
      else service.faults.length = 0
      const faults = service.faults.map((fault) => ({ ...fault, times: Number.POSITIVE_INFINITY }))
      const turn: Omit<AuditTurn, 'url'> = {
        policy: policyOf(JSON.stringify({ extends: [], rules: randomPolicy(random) })),
        pageSize: random.pick([2, 3, 5, 20]),
        acceptsRemovals: random.chance(0.1),
      }
      runs++
      const reports: Report[] = []
      for (const { name, harness } of sides) {
        service.faults.splice(0, service.faults.length, ...faults)
        const auditing = harness.audit({ url: service.url, ...turn })
        const shaking = name.endsWith('lost') ? shake(shaken, auditing, { random, lose }) : undefined
        reports.push(await auditing)
        await shaking
      }
      const latest = Math.max(...sides.map(({ harness }) => harness.clock.now()))
      for (const { harness } of sides) harness.advance(latest - harness.clock.now())
      differences.push(...(await differencesOf(sides, reports)))
    }
    for (const { openHistory } of [alone, together, disturbed]) {
      const found = differingAnswers(await readAll(sides[0]?.harness, undefined), await readAll(undefined, openHistory))
      if (found !== undefined && differences.length === 0) differences.push(`answers: ${found}`)
    }
    // The server ends the transaction of a worker that is paused in it.
    const bugs = disturbed.faults.filter((fault) => !(fault instanceof AuditError))
    differences.push(...[...together.faults, ...bugs].map((fault) => `fault: ${String(fault)}`))
  } finally {
    for (const worker of workers) worker.resume()
    await Promise.all(workers.map((worker) => worker.stop()))
    await db.close()
    for (const pool of [alone, together, disturbed]) await pool[Symbol.asyncDispose]()
    for (const { harness } of sides) harness[Symbol.dispose]()
    for (const place of places) await place.remove()
  }
  return { runs, lost: disturbed.events.filter((event) => event.endsWith('takes over')).length, differences }
}

interface Shaking {
  readonly random: Random
  /** Has the work of some given to others. */
  readonly lose: (workers: readonly PoolWorkerInTest[]) => Promise<void>
}

/** Pauses workers at random moments until a run has ended; each goes on a while after others have its work. */
async function shake(
  workers: readonly PoolWorkerInTest[],
  run: Promise<unknown>,
  { random, lose }: Shaking,
): Promise<void> {
  const chosen = new Set<PoolWorkerInTest>()
  let isOver = false
  const end = () => {
    isOver = true
  }
  run.then(end, end)
  // The project of a third one would be given up.
  const most = 1 + random.below(2)
  for (let paused = 0; paused < most && !isOver; ) {
    const worker = workers.find((each) => each.busy() > 0 && !chosen.has(each))
    if (worker === undefined) {
      await sleep(2)
      continue
    }
    await sleep(random.below(50))
    worker.pause()
    chosen.add(worker)
    paused += 1
  }
  while (!isOver) {
    await sleep(200)
    await lose([...chosen])
  }
  for (const worker of workers) worker.resume()
  // What zombies still have under way meets the fence before the next run.
  await sleep(50)
}

interface Side {
  readonly name: string
  readonly harness: ReturnType<typeof openAuditHarness>
}

async function differencesOf(sides: readonly Side[], reports: readonly Report[]): Promise<readonly string[]> {
  const [expected, ...others] = reports.map(masked)
  return others.flatMap((found, at) => {
    const side = sides[at + 1]?.name ?? ''
    for (const [name, render] of Object.entries(formats)) {
      const options = { colour: false, width: 100, full: true }
      const [left, right] = [expected, found].map((report) => render(report as Report, options))
      if (left !== right) return [`${side}: report ${name} differs: ${firstDifference(String(left), String(right))}`]
    }
    return []
  })
}

/** Without what depends on where and how fast a run was audited. */
function masked(report: Report): Report {
  const text = JSON.stringify({ ...report, digests: { ...report.digests, chain: null } })
  return JSON.parse(
    text
      .replaceAll(/demo\/simulated-\d{6}/g, 'the answer')
      .replaceAll(/"(duration_ms|requests|retries)":\d+/g, '"$1":0')
      .replaceAll(/"finished_at":"[^"]+"/g, '"finished_at":"2026-11-21T03:00:00.000Z"'),
  )
}

async function readAll(
  harness: Side['harness'] | undefined,
  open: (() => Promise<History>) | undefined,
): Promise<string> {
  const history = harness === undefined ? await open?.() : openSqliteHistory(harness.file, harness.owner)
  if (history === undefined) throw new Error('there is no history')
  try {
    // Members in one order, and none that are undefined.
    return canonicalJson(JSON.parse(JSON.stringify(await answersOf(history, []))))
      .replaceAll(/demo\/simulated-\d{6}/g, 'the answer')
      .replaceAll(/"(durationMs|requests|retries|id|originId)":\d+/g, '"$1":0')
      .replaceAll(/"chain":"[0-9a-f]+"/g, '"chain":null')
      .replaceAll(/"(finishedAt)":"[^"]+"/g, '"$1":"then"')
  } finally {
    await history.close()
  }
}

function differingAnswers(expected: string, found: string): string | undefined {
  return expected === found ? undefined : firstDifference(expected, found)
}

function firstDifference(left: string, right: string): string {
  let at = 0
  while (at < left.length && left[at] === right[at]) at++
  return `${left.slice(Math.max(0, at - 60), at + 60)} … ${right.slice(Math.max(0, at - 60), at + 60)}`
}
