import type { Json } from '../model/json.ts'
import type { ReportCoverage } from '../model/report.ts'

/** What a reading command answers: rows, the run they are as of, and what was looked at by then. */
export interface Answer<Row> {
  /** Its schema is `hookdrift.<command>/1`. */
  readonly command: string
  /** null where the history holds no sealed run. */
  readonly run: AnswerRun | null
  readonly coverage?: readonly AnswerCoverage[]
  /** Further members of the JSON form. */
  readonly more?: Readonly<Record<string, Json>>
  /** Sentences for people, before the rows; neutralised when shown. */
  readonly remarks?: readonly string[]
  readonly rows: readonly Row[]
  /** How many more there are that were not asked for; `unknown` where nobody counted. */
  readonly leftOut: number | 'unknown'
}

export interface AnswerRun {
  readonly number: number
  readonly started_at: string
  readonly finished_at: string
  readonly sealed: true
}

/** Of the last look at each project by the answer's run. */
export interface AnswerCoverage extends ReportCoverage {
  /** The run that looked. */
  readonly run: number
}
