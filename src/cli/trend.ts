import type { Command } from 'commander'
import type { Execute, ProcessContext } from '../app/process-context.ts'
import { findRun } from '../history/find-run.ts'
import { type CommittedRun, listRuns } from '../history/sql/runs.ts'
import { AuditError } from '../model/errors.ts'
import { readPastTime } from '../model/time.ts'
import type { TrendWeek } from '../model/trend.ts'
import { readTrend, trendViewOf } from '../queries/read-trend.ts'
import { answerFromHistory, runNamed } from './print-answer.ts'
import { addProjectOption, addReadingOptions, limitOf, type ReadingOptions, runOrTime } from './query-options.ts'

interface TrendOptions extends ReadingOptions {
  readonly project: readonly string[]
  readonly since: string
  readonly run: string
}

export function defineTrend(command: Command, execute: Execute): void {
  command
    .option('--since <run|time>', 'the beginning of the period; a duration counts back from its last run', '90d')
    .option('--run <run>', `its last run: ${runOrTime}`, 'latest')
  addReadingOptions(addProjectOption(command)).action((options: TrendOptions) =>
    execute((terminal) => trend(options, terminal)),
  )
}

async function trend(options: TrendOptions, terminal: ProcessContext): Promise<number> {
  let weeks: readonly TrendWeek[] = []
  const { project: projects } = options
  return answerFromHistory(
    options,
    terminal,
    trendViewOf(() => weeks),
    async (reader) => {
      const run = await runNamed(reader, options.run)
      const since = await sinceOf(options, run, await listRuns(reader))
      // A text has all weeks: the limit is for days.
      const limit = options.format === 'text' ? Number.POSITIVE_INFINITY : limitOf(options)
      const found = await readTrend(reader, { run, projects, since, limit })
      weeks = found.weeks
      return found.answer
    },
  )
}

/** A duration counts back from the run, so that the answer about a run is the same tomorrow. */
async function sinceOf(
  { since }: TrendOptions,
  { startedAt }: CommittedRun,
  runs: readonly CommittedRun[],
): Promise<number> {
  const end = Date.parse(startedAt)
  const start = readPastTime(since, end)?.start ?? Date.parse(findRun(runs, since, end).startedAt)
  if (start < end) return start
  throw AuditError.usage(`--since ${since} is not before the run, which began at ${startedAt}`)
}
