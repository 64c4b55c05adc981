import type { Channel } from '../../src/config/configuration.ts'
import type { Random } from '../../src/demo/random.ts'
import { openSqliteHistory } from '../../src/history/sqlite/sqlite-history.ts'
import { AuditError } from '../../src/model/errors.ts'
import type { Report } from '../../src/model/report.ts'
import { composeRunNotifications } from '../../src/notify/compose-messages.ts'
import { type AuditHarnessOptions, type AuditTurn, openAuditHarness } from '../audit/audit-harness.ts'
import type { TestDatabase } from '../history/postgres/databases.ts'
import { type AnswerQuestions, answersOf, firstDifference, renderAll } from './compare-answers.ts'
import { shakeWorkers } from './lose-workers.ts'
import { openLosses, openPoolHarness, type PoolWorkerInTest } from './pool-harness.ts'

export interface FourSides {
  /** Lets time pass between runs. */
  advance(ms: number): void
  /** Audits once by each side; `before` each. Returns where a report differs from SQLite's in one process. */
  audit(turn: AuditTurn, before?: () => void): Promise<readonly string[]>
  /** Compares what the histories answer, and the messages that wait in them. Adds what failed in workers. */
  compareHistories(questions: AnswerQuestions): Promise<readonly string[]>
  /** Walks that a lost worker had begun. */
  lost(): number
  close(): Promise<void>
}

const workersOfPool = 4

/** One for each way in which messages are composed. */
const channels: readonly Channel[] = [
  { name: 'lines', type: 'log' },
  { name: 'chat', type: 'slack', url: 'https://chat.example.com/x', max_characters: 40_000 },
  { name: 'pager', type: 'pagerduty', routing_key: 'not-a-real-key', url: 'https://events.example.com' },
]

/**
 * One fleet, audited by one process on SQLite, by one on PostgreSQL, by four workers, and by four workers of which some
 * are paused at random moments, and go on when others have their work. Each side composes messages.
 */
export async function openFourSides(
  given: AuditHarnessOptions,
  { makeDatabase, random }: { readonly makeDatabase: () => Promise<TestDatabase>; readonly random: Random },
): Promise<FourSides> {
  // Without retries, no run waits, and the clocks of all sides stay alike.
  const options = { ...given, limits: { retries: 0 }, concurrency: 1 }
  const places = [await makeDatabase(), await makeDatabase(), await makeDatabase()] as const
  const pools = places.map(({ server }) => openPoolHarness(server, { walks: 6 }))
  const [alone, together, disturbed] = pools
  if (alone === undefined || together === undefined || disturbed === undefined) throw new Error('three are opened')
  const sides = [
    { name: 'SQLite', harness: openAuditHarness(options), openHistory: undefined },
    ...pools.map(({ openHistory, conduct }, at) => {
      const isPool = at > 0 ? { conduct } : {}
      const name = ['PostgreSQL', 'four workers', 'four workers, some lost'][at] ?? ''
      return { name, openHistory, harness: openAuditHarness({ ...options, openHistory, ...isPool }) }
    }),
  ]
  const workers: PoolWorkerInTest[] = []
  for (const pool of [together, disturbed]) {
    for (let n = 0; n < workersOfPool; n++) workers.push(await pool.startWorker())
  }
  const shaken = workers.slice(workersOfPool)
  const losses = openLosses(places[2].server)
  const compose = composeRunNotifications(channels)

  return {
    advance(ms) {
      for (const { harness } of sides) harness.advance(ms)
    },
    async audit(turn, before = () => {}) {
      const reports: Report[] = []
      for (const { name, harness } of sides) {
        before()
        const auditing = harness.audit({ ...turn, compose })
        const shaking = name.endsWith('lost')
          ? shakeWorkers(shaken, auditing, { random, lose: losses.lose })
          : undefined
        reports.push(await auditing)
        await shaking
      }
      const latest = Math.max(...sides.map(({ harness }) => harness.clock.now()))
      for (const { harness } of sides) harness.advance(latest - harness.clock.now())
      const [expected, ...others] = reports.map(renderAll)
      return others.flatMap((found, at) =>
        [...found]
          .map(([format, text]) => [format, firstDifference(expected?.get(format), text)] as const)
          .filter(([, difference]) => difference !== undefined)
          .slice(0, 1)
          .map(([format, difference]) => `${sides[at + 1]?.name}: report ${format} differs: ${difference}`),
      )
    },
    async compareHistories(questions) {
      const differences: string[] = []
      let expected: readonly string[] | undefined
      for (const { name, harness, openHistory } of sides) {
        const history = (await openHistory?.()) ?? openSqliteHistory(harness.file, harness.owner)
        try {
          const found = await answersOf(history, questions)
          expected ??= found
          if (found.length !== expected.length) differences.push(`${name}: ${found.length} answers and messages`)
          const at = found.findIndex((answer, at) => answer !== expected?.[at])
          if (at >= 0) differences.push(`${name}: answer ${at}: ${firstDifference(expected[at], found[at])}`)
        } finally {
          await history.close()
        }
      }
      // The server ends the transaction of a worker that is paused in it.
      const bugs = disturbed.faults.filter((fault) => !(fault instanceof AuditError))
      return [...differences, ...[...together.faults, ...bugs].map((fault) => `fault: ${String(fault)}`)]
    },
    lost: () => disturbed.events.filter((event) => event.endsWith('takes over')).length,
    async close() {
      for (const worker of workers) worker.resume()
      await Promise.all(workers.map((worker) => worker.stop()))
      await losses.close()
      for (const pool of pools) await pool[Symbol.asyncDispose]()
      for (const { harness } of sides) await harness[Symbol.asyncDispose]()
      for (const place of places) await place.remove()
    },
  }
}
