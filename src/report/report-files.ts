import { format as joinPath, parse } from 'node:path'
import { type CsvSection, sectionNames } from './csv/section-names.ts'
import type { Format } from './formats.ts'
import type { RenderOptions } from './report-format.ts'

/** What a report in a file looks like: it is read elsewhere, so no terminal matters, and nothing is cut for one. */
export const fileRenderOptions = { colour: false, width: 100, full: true } as const satisfies RenderOptions

export interface ReportFile {
  readonly format: Format
  readonly file: string
  readonly render: RenderOptions
}

/** The files that a report is written to: one, but for CSV, whose other sections stand beside it (`NAME.drift.csv`). */
export function filesOf(format: Format, file: string): readonly ReportFile[] {
  if (format !== 'csv') return [{ format, file, render: fileRenderOptions }]
  return sectionNames.map((section) => ({
    format,
    file: section === 'violations' ? file : beside(file, section),
    render: { ...fileRenderOptions, section },
  }))
}

function beside(file: string, section: CsvSection): string {
  const { dir, name, ext } = parse(file)
  return joinPath({ dir, name: `${name}.${section}`, ext })
}
