import type { Report } from '../model/report.ts'
import type { Trend } from '../model/trend.ts'
import type { Grouping } from './group-by.ts'
import type { NamedHistory } from './text/commands.ts'
import type { Suggestion } from './what-next.ts'

/** A format: a pure function of the document that returns whole lines, with a line break at the end. */
export type ReportFormat = (report: Report, render: RenderOptions) => string

/** Options for people. Formats for machines ignore them. */
export interface RenderOptions {
  /** Decoration only: colour never carries meaning alone. */
  readonly colour: boolean
  /** Columns of the terminal; `Infinity` never wraps. */
  readonly width: number
  /** Whether long sections are shown whole. */
  readonly full: boolean
  /** Whether it is read on a screen, of which the end is seen first: what is new and severe is whole elsewhere. */
  readonly isScreen?: boolean
  /** For formats that show one table at a time (CSV); violations unless specified. */
  readonly section?: CsvSection
  /** For HTML: how violations developed up to the run. The history has it, not the document. */
  readonly trend?: Trend | undefined
  /** For text; by rule unless specified. */
  readonly groupBy?: Grouping
  /** How other commands find the same history. null: no command can, so the text suggests none. */
  readonly locating?: NamedHistory | null
  /** For text: what to suggest, from the commands that lead on from the report. */
  readonly next?: (steps: readonly Suggestion[]) => readonly Suggestion[]
}

/** The tables of a report in CSV; the first is what `--format csv` prints unless another is asked for. */
export const sectionNames = ['violations', 'drift', 'accepted', 'coverage', 'controls'] as const

export type CsvSection = (typeof sectionNames)[number]
