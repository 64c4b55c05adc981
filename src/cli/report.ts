import type { Command } from 'commander'
import { z } from 'zod'
import type { HistoryOptions } from '../app/locate-history.ts'
import type { ProcessContext } from '../app/process-context.ts'
import { composeReport } from '../audit/compose-report.ts'
import type { HistoryReader } from '../history/reader.ts'
import { requireRunRecord } from '../history/sql/read-run.ts'
import { AuditError, exitCodes } from '../model/errors.ts'
import type { ApiSource } from '../questions/query-parameters.ts'
import { type ParameterValues, parameter, runNamed, runOrTime } from '../questions/question.ts'
import { builtInFrameworkIds } from '../report/compliance/built-in-frameworks.ts'
import { controlFormat, formatNames } from '../report/formats.ts'
import { addParameters, valuesOf } from './ask.ts'
import {
  addFormatOptions,
  type FormatOptions,
  loadComplianceReports,
  loadReports,
  planDelivery,
  printCauses,
  readTrendOf,
  showsTrend,
} from './deliver-report.ts'
import { withHistory } from './print-answer.ts'
import { addHistoryOptions } from './query-options.ts'

const parameters = {
  at: parameter('--run, --at <run|time>', `the run to report: ${runOrTime}`, z.string().default('latest')),
  framework: parameter(
    '--framework <name>',
    `report by control of this framework: ${builtInFrameworkIds.join(', ')}, or a YAML file`,
    z.string().optional(),
  ),
  from: parameter(
    '--from <time>',
    'with --framework: report on a period that begins then, instead of one run',
    z.string().optional(),
    { conflicts: ['at'] },
  ),
  to: parameter('--to <time>', 'end of the period (default: the last run)', z.string().optional()),
}

type ReportOptions = ParameterValues<typeof parameters> & FormatOptions & HistoryOptions

export function defineReport(command: Command) {
  addParameters(addHistoryOptions(command), parameters)
  addFormatOptions(command, [...formatNames, controlFormat])
  return (options: FormatOptions & HistoryOptions, terminal: ProcessContext) =>
    report({ ...options, ...valuesOf(command, parameters) }, terminal)
}

export const reportSource: ApiSource<typeof parameters> = {
  parameters: {
    ...parameters,
    // Files are not for readers of the pages.
    framework: parameter(
      '--framework <name>',
      parameters.framework.description,
      z.enum(builtInFrameworkIds).optional(),
    ),
  },
  isOfRun: true,
  isLimited: false,
  async write(history, values, { terminal, options }) {
    const written: string[] = []
    const ignore = { write: () => true, on: () => {} }
    const stdout = { ...ignore, write: (text: string) => written.push(text) > 0 }
    const context = { ...terminal, stdout, stderr: ignore }
    const answer = await plan({ ...options, ...values, format: 'json', report: [] }, context)
    await answer(history, (await runNamed(history, values.at)).number)
    return written.join('')
  },
}

async function report(options: ReportOptions, terminal: ProcessContext): Promise<number> {
  const answer = await plan(options, terminal)
  return withHistory(options, terminal, async (history) => {
    await answer(history, (await runNamed(history, options.at)).number)
    return exitCodes.clean
  })
}

/** Checks the options before the history is read; the returned function writes the report. */
async function plan(
  options: ReportOptions,
  terminal: ProcessContext,
): Promise<(history: HistoryReader, run: number) => Promise<void>> {
  const { framework, from, to } = options
  if (framework === undefined) {
    if (from !== undefined || to !== undefined) throw AuditError.usage('--from and --to need --framework')
    const deliver = await planDelivery(options, terminal, await loadReports(options))
    return async (history, run) => {
      const report = composeReport(await requireRunRecord(history, run))
      if (options.format === 'csv') await printCauses(report, options, terminal)
      deliver(report, showsTrend(options) ? { trend: await readTrendOf(history, report) } : {})
    }
  }
  const { section } = options
  if (section !== undefined && section !== 'violations' && section !== 'drift') {
    throw AuditError.usage(`--section ${section} is of the report of a run, and a report by control has none`, {
      advice: 'leave --framework out, or take the section drift: changes within change windows',
    })
  }
  if (to !== undefined && from === undefined) {
    throw AuditError.usage('--to is the end of a period, which needs --from', {
      advice: 'add --from; `--run` reports on one run, also by a time',
    })
  }
  const { planCompliance } = await import('../app/plan-compliance.ts')
  const deliver = await planDelivery(options, terminal, await loadComplianceReports())
  const answer = planCompliance({ framework, from, to }, terminal)
  return async (history, run) => deliver(await answer(history, run))
}
