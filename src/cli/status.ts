import { existsSync } from 'node:fs'
import { type Command, InvalidArgumentError } from 'commander'
import type { ConfiguredPaths } from '../config/read-places.ts'
import { AuditError, exitCodes } from '../model/errors.ts'
import type { Execute } from './execute.ts'
import { configuredPaths } from './history-of.ts'
import { pathFrom } from './path-from.ts'
import {
  addProjectOption,
  addReadingOptions,
  limitOf,
  printAnswer,
  type ReadingOptions,
  withHistoryReader,
} from './reading.ts'
import type { ProcessContext } from './terminal.ts'

interface StatusOptions extends ReadingOptions {
  readonly project: readonly string[]
  /** Milliseconds. */
  readonly maxAge?: number
}

const hourMs = 3_600_000
/** A daily run, and an hour's grace. */
const defaultMaxAgeMs = 25 * hourMs

export function defineStatus(program: Command, execute: Execute): void {
  const command = program
    .command('status')
    .description('when each project was last looked at, and how; exit 1 when that is too long ago')
    .option(
      '--max-age <duration>',
      'a look is stale after this: 90s, 30m, 2d; unless said, when the schedules missed a run, or after 25h',
      toDuration,
    )
  addReadingOptions(addProjectOption(command)).action((options: StatusOptions) =>
    execute((terminal) => status(options, terminal)),
  )
}

async function status(options: StatusOptions, terminal: ProcessContext): Promise<number> {
  const { isStale, readStatus, statusView } = await import('../queries/read-status.ts')
  const { systemClock } = await import('./system.ts')
  const now = systemClock.now()
  const places = await placesBeside(options, terminal)
  const asked = {
    expected: places?.projects,
    projects: options.project,
    now,
    dueAfter: await dueAfter(options, places?.schedules ?? [], now),
    limit: Number.POSITIVE_INFINITY,
  }
  const answer = await withHistoryReader(options, terminal, (reader) => readStatus(reader, asked))
  const { limited } = await import('../report/show-answer.ts')
  await printAnswer({ ...answer, ...limited(answer.rows, limitOf(options)) }, statusView, options.format, terminal)
  return isStale(answer.rows) ? exitCodes.violations : exitCodes.clean
}

/** What the configuration says, where there is one: a project that it no longer names is not missed. */
async function placesBeside(
  { history, config }: StatusOptions,
  terminal: ProcessContext,
): Promise<ConfiguredPaths | undefined> {
  const isNamed = (terminal.env.HOOKDRIFT_HISTORY ?? '') !== ''
  if (history !== undefined || (isNamed && !existsSync(pathFrom(terminal.cwd(), config)))) return undefined
  return configuredPaths(config, terminal)
}

/** By `--max-age`; else when the next run of a schedule should be over; else by the age that a daily run may have. */
async function dueAfter({ maxAge, config }: StatusOptions, schedules: ConfiguredPaths['schedules'], now: number) {
  if (maxAge !== undefined) return (_: string, ms: number) => ms + maxAge
  const { matchesProject } = await import('../config/choose-projects.ts')
  const { readTimetable, timetableFaultsAt } = await import('../worker/timetable.ts')
  for (const schedule of schedules) {
    const fault = timetableFaultsAt(now)({ ...schedule, jitterMs: 0 })
    if (fault !== undefined) throw AuditError.usage(`${config}: a schedule cannot be kept: ${fault.text}`)
  }
  const timetables = schedules.map((schedule) => ({ ...schedule, ...readTimetable(schedule) }))
  return (project: string, ms: number) => {
    const own = timetables.filter(({ projects }) => matchesProject(project, projects))
    return own.length === 0 ? ms + defaultMaxAgeMs : Math.min(...own.map(({ after, slackMs }) => after(ms) + slackMs))
  }
}

const unitsMs: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: hourMs, d: 24 * hourMs }

function toDuration(text: string): number {
  const [, amount, unit] = /^(\d{1,9}(?:\.\d{1,3})?)([smhd])$/.exec(text) ?? []
  const ms = Number(amount) * (unitsMs[unit ?? ''] ?? Number.NaN)
  if (ms > 0) return ms
  throw new InvalidArgumentError('Expected a duration such as 90s, 30m, 25h or 2d.')
}
