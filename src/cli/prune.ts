import { type Command, InvalidArgumentError } from 'commander'
import { locateHistory } from '../app/locate-history.ts'
import { withUpkeep } from '../app/open-history.ts'
import type { Execute, ProcessContext } from '../app/process-context.ts'
import { keepNothing, type RetentionRules, readSpan } from '../history/retention.ts'
import { toolVersion } from '../model/package-files.ts'
import { answerPruning, pruningView } from '../questions/answer-pruning.ts'
import { limited } from '../report/show-answer.ts'
import { printAnswer } from './print-answer.ts'
import { addReadingOptions, type ReadingOptions } from './query-options.ts'

/** Option and meaning of each count of runs to keep. */
const counts = {
  last: ['keepLast', 'keep the last n runs; n is a number or "unlimited"'],
  hourly: ['keepHourly', 'keep the last run of each of the last n hours that have one'],
  daily: ['keepDaily', 'keep the last run of each of the last n days that have one'],
  weekly: ['keepWeekly', 'keep the last run of each of the last n weeks that have one'],
  monthly: ['keepMonthly', 'keep the last run of each of the last n months that have one'],
  yearly: ['keepYearly', 'keep the last run of each of the last n years that have one'],
} as const satisfies Record<keyof Omit<RetentionRules, 'within'>, readonly [option: string, meaning: string]>

interface PruneOptions extends ReadingOptions, Partial<Record<(typeof counts)[keyof typeof counts][0], number>> {
  readonly keepWithin?: string
  readonly dryRun?: true
}

export function definePrune(command: Command, execute: Execute): void {
  for (const [name, [, meaning]] of Object.entries(counts)) command.option(`--keep-${name} <n>`, meaning, countOf)
  command
    .option('--keep-within <span>', 'keep all runs within this span before the newest run, such as 14d or 1y6m', spanOf)
    .option('--dry-run', 'only show which runs would be kept and removed')
  addReadingOptions(command).action((options: PruneOptions) => execute((terminal) => prune(options, terminal)))
}

function countOf(text: string): number {
  if (text === 'unlimited') return Number.POSITIVE_INFINITY
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('Expected a number or "unlimited".')
}

function spanOf(text: string): string {
  if (readSpan(text) !== undefined) return text
  throw new InvalidArgumentError('Expected years, months, days and hours, such as 14d or 1y6m.')
}

async function prune(options: PruneOptions, terminal: ProcessContext): Promise<number> {
  const request = { keep: keepOf(options), options: asGiven(options), toolVersion: toolVersion() }
  const isDry = options.dryRun === true
  const { plan, freed } = await withUpkeep(await locateHistory(options, terminal), terminal.env, async (upkeep) =>
    isDry ? { plan: await upkeep.planPruning(request.keep), freed: nothingFreed } : upkeep.prune(request),
  )
  const answer = answerPruning(plan, freed, isDry)
  // The whole plan is shown, unless a limit is given.
  const limit = options.limit ?? Number.POSITIVE_INFINITY
  return printAnswer({ ...answer, ...limited(answer.rows, limit) }, pruningView, options.format, terminal)
}

const nothingFreed = { bytes: 0, freeBytes: 0 }

function keepOf(options: PruneOptions): RetentionRules {
  const given = Object.entries(counts).flatMap(([name, [option]]) => {
    const count = options[option]
    return count === undefined ? [] : [[name, count] as const]
  })
  const within = options.keepWithin === undefined ? undefined : readSpan(options.keepWithin)
  return { ...keepNothing, ...Object.fromEntries(given), within }
}

function asGiven(options: PruneOptions): Readonly<Record<string, number | string>> {
  const { keepWithin: within } = options
  const given = Object.keys(counts).flatMap((name): [string, number | string][] => {
    const count = options[counts[name as keyof typeof counts][0]]
    return count === undefined ? [] : [[`keep_${name}`, count === Number.POSITIVE_INFINITY ? 'unlimited' : count]]
  })
  return Object.fromEntries(within === undefined ? given : [...given, ['keep_within', within]])
}
