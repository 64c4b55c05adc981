import type { Compliance } from '../compliance/compliance.ts'
import type { HistoryReader } from '../history/reader.ts'
import type { Report } from '../model/report.ts'
import type { Trend } from '../model/trend.ts'
import { loadFormats } from '../report/formats.ts'
import { fileRenderOptions, filesOf } from '../report/report-files.ts'
import type { Writers } from './deliver-report.ts'
import type { FormatOptions } from './formats.ts'

/** Loads the formats that the options name. Unknown names are reported later, by the option parser. */
export async function loadReports({ format, report }: FormatOptions): Promise<Writers<Report>> {
  const loaded = await loadFormats(new Set([format, ...report.map((option) => option.replace(/=.*$/s, ''))]))
  return {
    writerOf(name) {
      const writer = loaded.get(name)
      if (writer === undefined) throw new Error(`the format ${name} was not loaded`)
      return writer
    },
    filesOf,
  }
}

/** The trend up to the run of a report. */
export async function readTrendOf(reader: HistoryReader, { run }: Report): Promise<Trend> {
  const { findTrend } = await import('../queries/read-trend.ts')
  const { number, started_at: startedAt, finished_at: finishedAt } = run
  return findTrend(reader, { run: { number, startedAt, finishedAt }, since: undefined, projects: [] })
}

/** Whether a report is written as HTML, which shows the trend. */
export function showsTrend({ format, report, quiet, output }: FormatOptions): boolean {
  const isPrinted = output !== undefined || quiet !== true
  return (isPrinted && format === 'html') || report.some((option) => option.startsWith('html='))
}

/** Loads the formats of reports by control, which write one file each. */
export async function loadComplianceReports(): Promise<Writers<Compliance>> {
  const { complianceFormatOf } = await import('../report/compliance-reports.ts')
  return { writerOf: complianceFormatOf, filesOf: (format, file) => [{ format, file, render: fileRenderOptions }] }
}
