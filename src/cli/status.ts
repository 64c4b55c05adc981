import { existsSync } from 'node:fs'
import { type Command, InvalidArgumentError } from 'commander'
import type { Places } from '../config/read-places.ts'
import { AuditError, exitCodes } from '../model/errors.ts'
import { readDuration } from '../model/instant.ts'
import type { Execute } from './execute.ts'
import { placesOf } from '../app/history-of.ts'
import { pathFrom } from '../app/path-from.ts'
import { addProjectOption, addReadingOptions, asking, limitOf, type ReadingOptions, tellAnswer } from './reading.ts'
import type { Terminal } from '../app/terminal.ts'

interface StatusOptions extends ReadingOptions {
  readonly project: readonly string[]
  /** Milliseconds. */
  readonly maxAge?: number
}

/** A daily run, and an hour's grace. */
const defaultMaxAgeMs = 25 * 3_600_000

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

async function status(options: StatusOptions, terminal: Terminal): Promise<number> {
  const { isStale, readStatus, statusFace } = await import('../reading/read-status.ts')
  const { systemClock } = await import('../app/system.ts')
  const now = systemClock.now()
  const places = await placesBeside(options, terminal)
  const asked = {
    expected: places?.projects,
    projects: options.project,
    now,
    dueAfter: await dueAfter(options, places?.schedules ?? [], now),
    limit: Number.POSITIVE_INFINITY,
  }
  const answer = await asking(options, terminal, (reader) => readStatus(reader, asked))
  const { limited } = await import('../report/show-answer.ts')
  await tellAnswer({ ...answer, ...limited(answer.rows, limitOf(options)) }, statusFace, options.format, terminal)
  return isStale(answer.rows) ? exitCodes.violations : exitCodes.clean
}

/** What the configuration says, where there is one: a project that it no longer names is not missed. */
async function placesBeside({ history, config }: StatusOptions, terminal: Terminal): Promise<Places | undefined> {
  const isNamed = (terminal.env.HOOKDRIFT_HISTORY ?? '') !== ''
  if (history !== undefined || (isNamed && !existsSync(pathFrom(terminal.cwd(), config)))) return undefined
  return placesOf(config, terminal)
}

/** By `--max-age`; else when the next run of a schedule should be over; else by the age that a daily run may have. */
async function dueAfter({ maxAge, config }: StatusOptions, schedules: Places['schedules'], now: number) {
  if (maxAge !== undefined) return (_: string, ms: number) => ms + maxAge
  const { isChosen } = await import('../config/choose-projects.ts')
  const { readTimetable, timetableFaultsAt } = await import('../worker/timetable.ts')
  for (const schedule of schedules) {
    const fault = timetableFaultsAt(now)({ ...schedule, jitterMs: 0 })
    if (fault !== undefined) throw new AuditError(2, `${config}: a schedule cannot be kept: ${fault.text}`)
  }
  const timetables = schedules.map((schedule) => ({ ...schedule, ...readTimetable(schedule) }))
  return (project: string, ms: number) => {
    const own = timetables.filter(({ projects }) => isChosen(project, projects))
    return own.length === 0 ? ms + defaultMaxAgeMs : Math.min(...own.map(({ after, slackMs }) => after(ms) + slackMs))
  }
}

function toDuration(text: string): number {
  const ms = readDuration(text)
  if (ms !== undefined) return ms
  throw new InvalidArgumentError('Expected a duration such as 90s, 30m, 25h or 2d.')
}
