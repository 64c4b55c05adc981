import type { Command } from 'commander'
import { locateHistory } from '../app/locate-history.ts'
import type { Execute, ProcessContext } from '../app/process-context.ts'
import { findConfiguredPaths, readPoolOf } from '../app/read-plan.ts'
import { systemClock } from '../app/system.ts'
import type { ConfiguredPaths } from '../config/read-places.ts'
import type { HistoryLocation } from '../history/location.ts'
import { exitCodes } from '../model/errors.ts'
import { describePool } from '../queries/describe-pool.ts'
import { isStale, readStatus, statusView } from '../queries/read-status.ts'
import type { Answer } from '../report/answer.ts'
import { limited } from '../report/show-answer.ts'
import { nextAuditDue } from '../worker/next-audit-due.ts'
import { printAnswer, runNamed, withHistory } from './print-answer.ts'
import {
  addProjectOption,
  addReadingOptions,
  limitOf,
  type ReadingOptions,
  runOrTime,
  toDuration,
} from './query-options.ts'

interface StatusOptions extends ReadingOptions {
  readonly run?: string
  readonly project: readonly string[]
  /** Milliseconds. */
  readonly maxAge?: number
}

export function defineStatus(command: Command, execute: Execute): void {
  command
    .option(
      '--max-age <duration>',
      'a scan is stale after this: 90s, 30m, 2d; default: when a schedule missed a run, or after 25h',
      toDuration,
    )
    .option('--run <run|time>', `as of the end of a run, without the configuration of today: ${runOrTime}`)
  addReadingOptions(addProjectOption(command)).action((options: StatusOptions) =>
    execute((terminal) => status(options, terminal)),
  )
}

async function status(options: StatusOptions, terminal: ProcessContext): Promise<number> {
  const { run: named, project: projects } = options
  const isPast = named !== undefined
  const places = isPast ? undefined : await findConfiguredPaths(options, terminal)
  const { isVisible = () => true } = terminal.reading ?? {}
  const read = await withHistory(options, terminal, async (reader) => {
    const run = isPast ? await runNamed(reader, named) : undefined
    const now = run === undefined ? systemClock.now() : Date.parse(run.finishedAt)
    return readStatus(reader, {
      expected: places && { named: places.projects.filter(isVisible), isFound: places.isFound },
      run,
      projects,
      now,
      limit: Number.POSITIVE_INFINITY,
      withReleases: true,
      dueAfter: await dueAfter(options, places?.schedules ?? [], now),
    })
  })
  // Workers read every project.
  const isWhole = terminal.reading?.isVisible === undefined
  const answer = isPast || !isWhole ? read : await withPool(read, await locateHistory(options, terminal))
  await printAnswer({ ...answer, ...limited(answer.rows, limitOf(options)) }, statusView, options.format, terminal)
  return isStale(answer.rows) ? exitCodes.violations : exitCodes.clean
}

/** Adds what the workers of a history on a server do. */
async function withPool<Row>(answer: Answer<Row>, location: HistoryLocation): Promise<Answer<Row>> {
  const state = await readPoolOf(location)
  if (state === undefined) return answer
  const { more, remarks = [] } = describePool(state)
  return { ...answer, more: { ...answer.more, ...more }, remarks: [...(answer.remarks ?? []), ...remarks] }
}

async function dueAfter({ maxAge, config }: StatusOptions, schedules: ConfiguredPaths['schedules'], now: number) {
  if (maxAge !== undefined) return (_: string, ms: number) => ms + maxAge
  return nextAuditDue(schedules, { now, file: config })
}
