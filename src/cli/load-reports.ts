import type { Compliance } from '../compliance/compliance.ts'
import type { Report } from '../model/report.ts'
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

/** Loads the formats of reports by control, which write one file each. */
export async function loadComplianceReports(): Promise<Writers<Compliance>> {
  const { complianceFormatOf } = await import('../report/compliance-reports.ts')
  return { writerOf: complianceFormatOf, filesOf: (format, file) => [{ format, file, render: fileRenderOptions }] }
}
