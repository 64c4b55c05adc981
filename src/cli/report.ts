import { type Command, Option } from 'commander'
import { AuditError, exitCodes } from '../model/errors.ts'
import type { Execute } from './execute.ts'
import { addFormatOptions, type FormatOptions } from './formats.ts'
import { type HistoryOptions, historyOf } from './history-of.ts'
import type { Terminal } from './terminal.ts'

interface ReportOptions extends FormatOptions, HistoryOptions {
  readonly run?: string
  readonly at?: string
}

export function defineReport(program: Command, execute: Execute): void {
  const command = program
    .command('report')
    .description('print the report of any past run, as it was printed then')
    .option('--run <run>', 'a number, latest or latest~N', 'latest')
    .addOption(
      new Option('--at <time>', 'the last run sealed by then; a bare date means its end, UTC').conflicts('run'),
    )
    .option('--config <file>', 'configuration, for the path of the history', 'hookdrift.yaml')
    .option('--history <file>', 'history; then no configuration is read')
  addFormatOptions(command).action((options: ReportOptions) => execute((terminal) => report(options, terminal)))
}

async function report(options: ReportOptions, terminal: Terminal): Promise<number> {
  const { composeReport } = await import('../audit/compose-report.ts')
  const { findRun, findRunAt } = await import('../history/find-run.ts')
  const { openExistingHistory } = await import('../history/sqlite/sqlite-history.ts')
  const { planDelivery } = await import('./deliver-report.ts')
  const { thisProcess } = await import('./system.ts')

  const deliver = planDelivery(options, terminal)
  const history = openExistingHistory(await historyOf(options, terminal), thisProcess)
  try {
    const runs = await history.runs()
    const number = options.at === undefined ? findRun(runs, options.run ?? 'latest') : findRunAt(runs, options.at)
    const record = await history.readRun(number)
    if (record === undefined) throw new AuditError(4, `run ${number} went away while it was read`)
    deliver(composeReport(record))
    return exitCodes.clean
  } finally {
    await history.close()
  }
}
