import type { Command } from 'commander'
import { locateHistory } from '../app/locate-history.ts'
import type { Execute, ProcessContext } from '../app/process-context.ts'
import { findConfiguredPaths, readPoolOf } from '../app/read-plan.ts'
import type { ConfiguredPaths } from '../config/read-places.ts'
import type { HistoryLocation } from '../history/location.ts'
import { exitCodes } from '../model/errors.ts'
import type { Answer } from '../report/answer.ts'
import {
  addProjectOption,
  addReadingOptions,
  limitOf,
  printAnswer,
  type ReadingOptions,
  toDuration,
  withHistory,
} from './query-options.ts'

interface StatusOptions extends ReadingOptions {
  readonly project: readonly string[]
  /** Milliseconds. */
  readonly maxAge?: number
}

export function defineStatus(program: Command, execute: Execute): void {
  const command = program
    .command('status')
    .description('Show when each project was last scanned, and how well; exit 1 when a scan is stale')
    .option(
      '--max-age <duration>',
      'a scan is stale after this: 90s, 30m, 2d; default: when a schedule missed a run, or after 25h',
      toDuration,
    )
  addReadingOptions(addProjectOption(command)).action((options: StatusOptions) =>
    execute((terminal) => status(options, terminal)),
  )
}

async function status(options: StatusOptions, terminal: ProcessContext): Promise<number> {
  const { isStale, readStatus, statusView } = await import('../queries/read-status.ts')
  const { systemClock } = await import('../app/system.ts')
  const now = systemClock.now()
  const places = await findConfiguredPaths(options, terminal)
  const query = {
    expected: places && { named: places.projects, isFound: places.isFound },
    projects: options.project,
    now,
    dueAfter: await dueAfter(options, places?.schedules ?? [], now),
    limit: Number.POSITIVE_INFINITY,
  }
  const read = await withHistory(options, terminal, (reader) => readStatus(reader, query))
  const answer = await withPool(read, await locateHistory(options, terminal))
  const { limited } = await import('../report/show-answer.ts')
  await printAnswer({ ...answer, ...limited(answer.rows, limitOf(options)) }, statusView, options.format, terminal)
  return isStale(answer.rows) ? exitCodes.violations : exitCodes.clean
}

/** Adds what the workers of a history on a server do. */
async function withPool<Row>(answer: Answer<Row>, location: HistoryLocation): Promise<Answer<Row>> {
  const state = await readPoolOf(location)
  if (state === undefined) return answer
  const { describePool } = await import('../queries/describe-pool.ts')
  return { ...answer, ...describePool(state) }
}

async function dueAfter({ maxAge, config }: StatusOptions, schedules: ConfiguredPaths['schedules'], now: number) {
  if (maxAge !== undefined) return (_: string, ms: number) => ms + maxAge
  const { nextAuditDue } = await import('../worker/next-audit-due.ts')
  return nextAuditDue(schedules, { now, file: config })
}
