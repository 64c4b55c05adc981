import { type Command, Option } from 'commander'
import type { HistoryOptions } from '../app/locate-history.ts'
import type { Execute, ProcessContext } from '../app/process-context.ts'
import { recordedPolicyResults } from '../audit/policy-results.ts'
import type { HistoryReader } from '../history/reader.ts'
import { AuditError, exitCodes } from '../model/errors.ts'
import {
  addFormatOptions,
  type FormatOptions,
  loadComplianceReports,
  loadReports,
  planDelivery,
  readTrendOf,
  showsTrend,
} from './deliver-report.ts'
import { runNamed, withHistory } from './print-answer.ts'
import { addHistoryOptions, runOrTime } from './query-options.ts'

interface ReportOptions extends FormatOptions, HistoryOptions {
  readonly run?: string
  readonly at?: string
  readonly framework?: string
  readonly from?: string
  readonly to?: string
  readonly policy?: string
}

export function defineReport(command: Command, execute: Execute): void {
  addHistoryOptions(command)
    .option('--run <run>', runOrTime, 'latest')
    .addOption(new Option('--at <time>', 'the last run committed by then; a date means its end, UTC').conflicts('run'))
    .option('--framework <name>', 'report by control: soc2, iso27001, pci-dss, nist-csf, or a YAML file')
    .addOption(
      new Option('--from <time>', 'with --framework: report a period from then on, instead of one run').conflicts([
        'run',
        'at',
      ]),
    )
    .option('--to <time>', 'end of the period; default: the last run')
    .option('--policy <file>', 'with --framework: evaluate this policy instead of the recorded results')
  addFormatOptions(command).action((options: ReportOptions) => execute((terminal) => report(options, terminal)))
}

async function report(options: ReportOptions, terminal: ProcessContext): Promise<number> {
  const answer = await plan(options, terminal)
  return withHistory(options, terminal, async (history) => {
    const run = await runNamed(history, options.at ?? options.run ?? 'latest')
    await answer(history, run.number)
    return exitCodes.clean
  })
}

/** Checks the options before the history is read; the returned function writes the report. */
async function plan(
  options: ReportOptions,
  terminal: ProcessContext,
): Promise<(history: HistoryReader, run: number) => Promise<void>> {
  const { framework, from, to, policy } = options
  if (framework === undefined) {
    if (from !== undefined || to !== undefined) throw AuditError.usage('--from and --to need --framework')
    if (policy !== undefined) {
      throw AuditError.usage('--policy needs --framework', {
        advice: '`hookdrift policy replay` lists the violations that another policy would have found',
      })
    }
    const deliver = await planDelivery(options, terminal, await loadReports(options))
    return async (history, run) => {
      const { report } = await recordedPolicyResults(history).resultsOf(run)
      deliver(report, showsTrend(options) ? { trend: await readTrendOf(history, report) } : {})
    }
  }
  const { planCompliance } = await import('../app/plan-compliance.ts')
  const deliver = await planDelivery(options, terminal, await loadComplianceReports())
  const answer = await planCompliance({ framework, from, to, policy }, terminal)
  return async (history, run) => deliver(await answer(history, run))
}
