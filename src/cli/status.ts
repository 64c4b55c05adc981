import { existsSync } from 'node:fs'
import { type Command, InvalidArgumentError } from 'commander'
import { exitCodes } from '../model/errors.ts'
import type { Execute } from './execute.ts'
import { placesOf } from './history-of.ts'
import { pathFrom } from './path-from.ts'
import { addProjectOption, addReadingOptions, asking, limitOf, type ReadingOptions, tellAnswer } from './reading.ts'
import type { Terminal } from './terminal.ts'

interface StatusOptions extends ReadingOptions {
  readonly project: readonly string[]
  /** Milliseconds. */
  readonly maxAge: number
}

const hourMs = 3_600_000
/** A daily run, and an hour's grace. */
const defaultMaxAgeMs = 25 * hourMs

export function defineStatus(program: Command, execute: Execute): void {
  const command = program
    .command('status')
    .description('when each project was last looked at, and how; exit 1 when that is too long ago')
    .option('--max-age <duration>', 'a look is stale after this: 90s, 30m, 25h, 2d', toDuration, defaultMaxAgeMs)
  addReadingOptions(addProjectOption(command)).action((options: StatusOptions) =>
    execute((terminal) => status(options, terminal)),
  )
}

async function status(options: StatusOptions, terminal: Terminal): Promise<number> {
  const { isStale, readStatus, statusFace } = await import('../reading/read-status.ts')
  const { systemClock } = await import('./system.ts')
  const asked = {
    expected: await expectedProjects(options, terminal),
    projects: options.project,
    now: systemClock.now(),
    maxAgeMs: options.maxAge,
    limit: Number.POSITIVE_INFINITY,
  }
  const answer = await asking(options, terminal, (reader) => readStatus(reader, asked))
  const { limited } = await import('../report/answer.ts')
  await tellAnswer({ ...answer, ...limited(answer.rows, limitOf(options)) }, statusFace, options.format, terminal)
  return isStale(answer.rows) ? exitCodes.violations : exitCodes.clean
}

/** Those of the configuration, where there is one: a project that it no longer names is not missed. */
async function expectedProjects({ history, config }: StatusOptions, terminal: Terminal) {
  const isNamed = history !== undefined || (terminal.env.HOOKDRIFT_HISTORY ?? '') !== ''
  if (history !== undefined || (isNamed && !existsSync(pathFrom(terminal.cwd(), config)))) return undefined
  return (await placesOf(config, terminal)).projects
}

const unitsMs: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: hourMs, d: 24 * hourMs }

function toDuration(text: string): number {
  const [, amount, unit] = /^(\d{1,9}(?:\.\d{1,3})?)([smhd])$/.exec(text) ?? []
  const ms = Number(amount) * (unitsMs[unit ?? ''] ?? Number.NaN)
  if (ms > 0) return ms
  throw new InvalidArgumentError('Expected a duration such as 90s, 30m, 25h or 2d.')
}
