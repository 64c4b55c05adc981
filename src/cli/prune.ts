import { type Command, InvalidArgumentError } from 'commander'
import { locateHistory } from '../app/locate-history.ts'
import type { Execute, ProcessContext } from '../app/process-context.ts'
import { keepNothing, type RetentionRules, readSpan } from '../history/retention.ts'
import { addReadingOptions, printAnswer, type ReadingOptions } from './query-options.ts'

interface PruneOptions extends ReadingOptions {
  readonly keepLast?: number
  readonly keepHourly?: number
  readonly keepDaily?: number
  readonly keepWeekly?: number
  readonly keepMonthly?: number
  readonly keepYearly?: number
  readonly keepWithin?: string
  readonly dryRun?: true
}

export function definePrune(program: Command, execute: Execute): void {
  const command = program
    .command('prune')
    .description('Remove old runs; keep those that the options name and those that the history needs')
    .option('--keep-last <n>', 'the last n runs; n is a number or "unlimited", here and below', countOf)
    .option('--keep-hourly <n>', 'the last run of each of the last n hours that have one', countOf)
    .option('--keep-daily <n>', 'the same for days', countOf)
    .option('--keep-weekly <n>', 'the same for weeks', countOf)
    .option('--keep-monthly <n>', 'the same for months', countOf)
    .option('--keep-yearly <n>', 'the same for years', countOf)
    .option('--keep-within <span>', 'all runs within a span before the newest run, such as 14d or 1y6m', spanOf)
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
  const { withUpkeep } = await import('../app/open-history.ts')
  const { toolVersion } = await import('../app/tool-version.ts')

  const request = { keep: keepOf(options), options: asGiven(options), toolVersion: toolVersion() }
  const isDry = options.dryRun === true
  const { plan, freed } = await withUpkeep(await locateHistory(options, terminal), terminal.env, async (upkeep) =>
    isDry ? { plan: await upkeep.planPruning(request.keep), freed: nothingFreed } : upkeep.prune(request),
  )
  const { answerPruning, pruningView } = await import('../queries/answer-pruning.ts')
  const { limited } = await import('../report/show-answer.ts')
  const answer = answerPruning(plan, freed, isDry)
  // The whole plan is shown, unless a limit is given.
  const limit = options.limit ?? Number.POSITIVE_INFINITY
  return printAnswer({ ...answer, ...limited(answer.rows, limit) }, pruningView, options.format, terminal)
}

const nothingFreed = { bytes: 0, leftBytes: 0 }

function keepOf(options: PruneOptions): RetentionRules {
  return {
    last: options.keepLast ?? keepNothing.last,
    hourly: options.keepHourly ?? keepNothing.hourly,
    daily: options.keepDaily ?? keepNothing.daily,
    weekly: options.keepWeekly ?? keepNothing.weekly,
    monthly: options.keepMonthly ?? keepNothing.monthly,
    yearly: options.keepYearly ?? keepNothing.yearly,
    within: options.keepWithin === undefined ? undefined : readSpan(options.keepWithin),
  }
}

function asGiven({ keepLast, keepHourly, keepDaily, keepWeekly, keepMonthly, keepYearly, keepWithin }: PruneOptions) {
  const given = { keepLast, keepHourly, keepDaily, keepWeekly, keepMonthly, keepYearly, keepWithin }
  const names = Object.entries(given).flatMap(([name, value]): [string, number | string][] => {
    const flag = name.replace(/[A-Z]/, (letter) => `_${letter.toLowerCase()}`)
    return value === undefined ? [] : [[flag, value === Number.POSITIVE_INFINITY ? 'unlimited' : value]]
  })
  return Object.fromEntries(names)
}
