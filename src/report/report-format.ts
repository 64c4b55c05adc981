import type { Report } from '../model/report.ts'
import type { CsvSection } from './csv/section-names.ts'

/** One way to write the document down: a pure function of it, whole lines, a line break at the end. */
export type ReportFormat = (report: Report, render: RenderOptions) => string

/** How a person wants to see it. Formats for machines ignore it. */
export interface RenderOptions {
  /** Decoration only: nothing is said by colour alone. */
  readonly colour: boolean
  /** Columns of the terminal; `Infinity` never wraps. */
  readonly width: number
  /** Sections are not cut, however long. */
  readonly full: boolean
  /** Of formats that show one table at a time: CSV. Violations unless said. */
  readonly section?: CsvSection
}
