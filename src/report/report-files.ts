import { format as joinPath, parse } from 'node:path'
import type { NamedFormat } from './formats.ts'
import { type CsvSection, type RenderOptions, sectionNames } from './report-format.ts'

/** Options of a report in a file: it has nothing to do with the terminal, so it has no colour and is not cut. */
export const fileRenderOptions = { colour: false, width: 100, full: true } as const satisfies RenderOptions

export interface ReportFile {
  readonly format: NamedFormat
  readonly file: string
  readonly render: RenderOptions
}

/** The files of a report: one, except for CSV, whose other sections are next to it (`NAME.drift.csv`). */
export function filesOf(format: NamedFormat, file: string): readonly ReportFile[] {
  if (format !== 'csv') return [{ format, file, render: fileRenderOptions }]
  return sectionNames.map((section) => ({
    format,
    file: section === 'violations' ? file : fileOfSection(file, section),
    render: { ...fileRenderOptions, section },
  }))
}

function fileOfSection(file: string, section: CsvSection): string {
  const { dir, name, ext } = parse(file)
  return joinPath({ dir, name: `${name}.${section}`, ext })
}
