import type { Json } from '../model/json.ts'
import type { ReportCoverage } from '../model/report.ts'
import type { AnswerForm } from './answer-form.ts'

/** The answer of a command: rows and, where it reads the history, the run they are as of and its coverage. */
export interface Answer<Row> {
  readonly form: AnswerForm
  /** null where the history has no committed run, and for answers that are not about one. */
  readonly run: AnswerRun | null
  readonly coverage?: readonly AnswerCoverage[]
  /** Further members of the JSON form. */
  readonly more?: Readonly<Record<string, Json>>
  /** Sentences for people, before the rows; neutralised when shown. */
  readonly remarks?: readonly string[]
  /** Those of them that say what is unknown: next to CSV, which has no remarks, they are on stderr. */
  readonly unknown?: readonly string[]
  readonly rows: readonly Row[]
  /** Sentences for people, after the rows; neutralised when shown. */
  readonly conclusion?: readonly string[]
  /** How many more rows there are than the limit; `unknown` where they were not counted. */
  readonly omitted: number | 'unknown'
}

export interface AnswerRun {
  readonly number: number
  readonly started_at: string
  readonly finished_at: string
  readonly state: 'committed'
}

/** The coverage of the last scan of each project, as of the answer's run. */
export interface AnswerCoverage extends ReportCoverage {
  /** The run of that scan. */
  readonly run: number
}
