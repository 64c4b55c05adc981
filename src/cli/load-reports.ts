import type { Compliance } from '../compliance/compliance.ts'
import type { HistoryReader } from '../history/reader.ts'
import type { Report } from '../model/report.ts'
import type { Trend } from '../model/trend.ts'
import { loadFormats } from '../report/formats.ts'
import { fileRenderOptions, filesOf } from '../report/report-files.ts'
import type { Writers } from './deliver-report.ts'
import type { FormatOptions } from './formats.ts'

/** Loads the formats that will be written. Unknown names are reported later, by the option parser. */
export async function loadReports(options: FormatOptions): Promise<Writers<Report>> {
  const files = options.report.map((option) => option.replace(/=.*$/s, ''))
  const loaded = await loadFormats(new Set(isPrinted(options) ? [options.format, ...files] : files))
  return {
    writerOf: (name) => (document, render) => {
      const write = loaded.get(name)
      if (write === undefined) throw new Error(`the format ${name} was not loaded`)
      return write(document, render)
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
export function showsTrend(options: FormatOptions): boolean {
  const { format, report } = options
  return (isPrinted(options) && format === 'html') || report.some((option) => option.startsWith('html='))
}

function isPrinted({ quiet, output }: FormatOptions): boolean {
  return output !== undefined || quiet !== true
}

/** Loads the formats of reports by control, which write one file each. */
export async function loadComplianceReports(): Promise<Writers<Compliance>> {
  const { complianceFormatOf } = await import('../report/compliance-reports.ts')
  return { writerOf: complianceFormatOf, filesOf: (format, file) => [{ format, file, render: fileRenderOptions }] }
}
