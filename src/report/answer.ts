import type { Json } from '../model/json.ts'
import type { ReportCoverage } from '../model/report.ts'

/**
 * Every answer by its name, with the version of its schema: `hookdrift.<name>/<version>`, published as
 * `config/answers/<name>.schema.json`. A version goes up when a member is renamed or taken away.
 */
export const answerVersions = {
  accept: 1,
  backup: 1,
  baseline: 2,
  'baseline-approve': 1,
  'baseline-diff': 1,
  'baseline-export': 1,
  'baseline-import': 1,
  'baseline-revoke': 1,
  compare: 1,
  'config-check': 1,
  'config-show': 1,
  diff: 2,
  doctor: 1,
  docs: 1,
  'history-copy': 1,
  'history-upgrade': 1,
  keygen: 1,
  notify: 2,
  'notify-test': 1,
  'policy-check': 1,
  'policy-explain': 1,
  'policy-test': 1,
  probe: 1,
  prune: 2,
  query: 2,
  'query-views': 1,
  replay: 2,
  restore: 1,
  rules: 2,
  runs: 2,
  state: 2,
  status: 2,
  timeline: 2,
  verify: 2,
  violations: 2,
  worker: 1,
  trend: 1,
} as const

export type AnswerName = keyof typeof answerVersions

/** The answer of a command: rows and, where it reads the history, the run they are as of and its coverage. */
export interface Answer<Row> {
  readonly command: AnswerName
  /** null where the history has no committed run, and for answers that are not about one. */
  readonly run: AnswerRun | null
  readonly coverage?: readonly AnswerCoverage[]
  /** Further members of the JSON form. */
  readonly more?: Readonly<Record<string, Json>>
  /** Sentences for people, before the rows; neutralised when shown. */
  readonly remarks?: readonly string[]
  readonly rows: readonly Row[]
  /** The member of the JSON form that contains the rows; `rows` unless specified. */
  readonly rowsMember?: 'rows' | 'checks'
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
