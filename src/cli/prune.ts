import { existsSync } from 'node:fs'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { keepNothing, type RetentionRules, readSpan } from '../history/retention.ts'
import type { Freed } from '../history/sqlite/prune/free-disk.ts'
import type { PlannedRun } from '../history/sqlite/prune/plan-pruning.ts'
import { AuditError, exitCodes } from '../model/errors.ts'
import type { Execute } from './execute.ts'
import { type HistoryOptions, historyOf } from './history-of.ts'
import type { ProcessContext } from './terminal.ts'

interface PruneOptions extends HistoryOptions {
  readonly keepLast?: number
  readonly keepHourly?: number
  readonly keepDaily?: number
  readonly keepWeekly?: number
  readonly keepMonthly?: number
  readonly keepYearly?: number
  readonly keepWithin?: string
  readonly dryRun?: true
  readonly format: 'text' | 'json'
}

export function definePrune(program: Command, execute: Execute): void {
  program
    .command('prune')
    .description('remove old runs, keep those that are asked for and those that the history needs')
    .option('--keep-last <n>', 'the last n runs; n is a number or "unlimited", here and below', countOf)
    .option('--keep-hourly <n>', 'the last run of each of the last n hours that have one', countOf)
    .option('--keep-daily <n>', 'of each of the last n days', countOf)
    .option('--keep-weekly <n>', 'of each of the last n weeks', countOf)
    .option('--keep-monthly <n>', 'of each of the last n months', countOf)
    .option('--keep-yearly <n>', 'of each of the last n years', countOf)
    .option('--keep-within <time>', 'all runs of a time before the newest one, such as 14d or 1y6m', spanOf)
    .option('--dry-run', 'only say what would stay and go')
    .option('--config <file>', 'configuration, for the path of the history', 'hookdrift.yaml')
    .option('--history <file>', 'history; then no configuration is read')
    .addOption(new Option('--format <format>', 'of the answer').choices(['text', 'json']).default('text'))
    .action((options: PruneOptions) => execute((terminal) => prune(options, terminal)))
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
  const { planForFile, pruneFile } = await import('../history/sqlite/prune/prune-file.ts')
  const { resealingFor } = await import('./resealing-for.ts')
  const { thisProcess } = await import('./system.ts')
  const { toolVersion } = await import('./tool-version.ts')

  const order = { keep: keepOf(options), options: asGiven(options), toolVersion: toolVersion() }
  const file = await historyOf(options, terminal)
  if (!existsSync(file))
    throw AuditError.failure(`there is no history at ${file}`, { advice: 'name it with --history' })
  const isDry = options.dryRun === true
  const { plan, freed } = isDry
    ? { plan: planForFile(file, order), freed: { bytes: 0, leftBytes: 0 } }
    : pruneFile(file, thisProcess, order, await resealingFor(file, terminal.env))
  terminal.stdout.write(options.format === 'json' ? await asJson(plan, freed, isDry) : asText(plan, freed, isDry))
  return exitCodes.clean
}

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

async function asJson(plan: readonly PlannedRun[], { bytes }: Freed, isDry: boolean): Promise<string> {
  const { toAnswerRun } = await import('../queries/as-of.ts')
  const rows = plan.map(({ number, startedAt, reasons }) => {
    return { number, started_at: startedAt, kept: reasons.length > 0, reasons }
  })
  const newest = plan.at(-1)
  const run = newest === undefined ? null : toAnswerRun(newest)
  return `${JSON.stringify({ schema: 'hookdrift.prune/1', run, dry_run: isDry, freed_bytes: bytes, rows }, null, 2)}\n`
}

function asText(plan: readonly PlannedRun[], { bytes, leftBytes }: Freed, isDry: boolean): string {
  const kept = plan.filter(({ reasons }) => reasons.length > 0)
  const wide = `${plan.at(-1)?.number ?? ''}`.length
  const lines = kept.map(
    ({ number, startedAt, reasons }) => `keep  ${`${number}`.padStart(wide)}  ${startedAt}  ${reasons.join(', ')}`,
  )
  const count = plan.length - kept.length
  const runs = (n: number) => `${n} ${n === 1 ? 'run' : 'runs'}`
  const verdict = isDry
    ? `${runs(count)} would go, ${runs(kept.length)} would stay. Nothing was changed.`
    : `${runs(count)} pruned, ${runs(kept.length)} kept; ${megabytes(bytes)} given back${leftBytes > 0 ? `, ${megabytes(leftBytes)} free inside the file for the next runs` : ''}.`
  return [...lines, ...(lines.length > 0 ? [''] : []), verdict, ''].join('\n')
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`
}
