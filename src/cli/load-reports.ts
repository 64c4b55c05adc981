import type { Report } from '../model/report.ts'
import { filesOf } from '../report/report-files.ts'
import type { ReportFormat } from '../report/report-format.ts'
import type { Format } from '../report/reports.ts'
import type { Writers } from './deliver-report.ts'
import { type FormatOptions, formats } from './formats.ts'

/** Each format with what it needs, and nothing of the others: a test holds them against the table of reports. */
export const reportLoaders = {
  text: async () => (await import('../report/text.ts')).text,
  json: async () => (await import('../report/json.ts')).json,
  sarif: async () => (await import('../report/sarif.ts')).sarif,
  junit: async () => (await import('../report/junit.ts')).junit,
  markdown: async () => (await import('../report/markdown.ts')).markdown,
  csv: async () => (await import('../report/csv.ts')).csv,
  html: async () => (await import('../report/html.ts')).html,
  ocsf: async () => (await import('../report/ocsf.ts')).ocsf,
  oscal: async () => (await import('../report/oscal.ts')).oscal,
} as const satisfies Record<Format, () => Promise<ReportFormat>>

/** Loads the formats that are asked for; what is no format is left to be told by whoever reads the order. */
export async function loadReports({ format, report }: FormatOptions): Promise<Writers<Report>> {
  const named = new Set([format, ...report.map((order) => order.replace(/=.*$/s, ''))])
  const wanted = formats.filter((name) => named.has(name))
  const loaded = new Map(
    await Promise.all(wanted.map(async (name): Promise<[Format, ReportFormat]> => [name, await reportLoaders[name]()])),
  )
  return {
    writerOf(name) {
      const writer = loaded.get(name)
      if (writer === undefined) throw new Error(`the format ${name} was not loaded`)
      return writer
    },
    filesOf,
  }
}
