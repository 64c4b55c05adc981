import type { Kind } from '../../model/resource.ts'
import type { Resolution, Severity } from '../../model/violation.ts'
import type { HistoryReader } from '../reader.ts'
import { sqlOf, type Transaction } from './session.ts'
import { projectNamesAt, startsOfRuns } from './violations.ts'

export interface RecordedSpan {
  readonly project: string
  readonly kind: Kind
  readonly fingerprint: string
  readonly rule: string
  readonly severity: Severity
  /** Whether it was waived, or could not be checked and was waived before. */
  readonly isWaived: boolean
  /** Starts of the runs that opened the violation, and that wrote and ended the span. */
  readonly first_seen: string
  readonly from: string
  readonly to: string | null
  /** Whether the violation went on in a later span, which may be pruned. */
  readonly goesOn: boolean
  /** Why the violation ended with this span, where the history can say. */
  readonly resolution: Resolution | null
}

type SpanRow = Pick<RecordedSpan, 'kind' | 'fingerprint' | 'rule' | 'severity' | 'resolution'> & {
  readonly projectId: number
  readonly isWaived: boolean | 0 | 1
  readonly goesOn: boolean | 0 | 1
  readonly firstRun: number
  readonly fromRun: number
  readonly toRun: number | null
}

/** What is replaced has no resolution. That what replaced it is there says less: it may be pruned. */
const goesOnSql = '(x.to_run IS NOT NULL AND x.to_run <= $2 AND x.resolution IS NULL)'
const isAlone = `x.from_run = x.first_run AND NOT ${goesOnSql}`

/**
 * Visits the spans of violations that reach into a run after `after`, up to `run`, as of `run`: what ends later is
 * active. The span of a violation ends when anything that is said of it changes. First come those that are all of
 * their violation, unordered; then the others, of which those of a violation follow each other, oldest first.
 */
export function visitSpans(
  history: HistoryReader,
  after: number,
  run: number,
  visit: (span: RecordedSpan) => void,
): Promise<void> {
  return history.snapshot((transaction) => visitAll(transaction, after, run, visit))
}

/**
 * Those that are all of their violation in the order of the table, which is the quickest; the index on fingerprints would
 * find a million rows one by one.
 */
async function visitAll(
  transaction: Transaction,
  after: number,
  run: number,
  visit: (span: RecordedSpan) => void,
): Promise<void> {
  const nameOf = await projectNamesAt(transaction, run)
  const startOf = await startsOfRuns(transaction, run)
  const table = sqlOf(transaction, {
    sqlite: 'hookdrift.violation x NOT INDEXED',
    postgres: 'hookdrift.violation x',
  })
  const visitThose = (which: string) =>
    transaction.each<SpanRow>(
      `SELECT x.project_id AS "projectId", x.kind, x.fingerprint, x.rule, x.severity, x.waiver IS NOT NULL AS "isWaived",
         x.first_run AS "firstRun", x.from_run AS "fromRun", CASE WHEN x.to_run <= $2 THEN x.to_run END AS "toRun",
         x.resolution, ${goesOnSql} AS "goesOn"
       FROM ${table} WHERE x.from_run <= $2 AND (x.to_run IS NULL OR x.to_run > $1) AND ${which}`,
      [after, run],
      // Written out: a million rows are copied by nothing that costs more.
      (row) =>
        visit({
          project: nameOf(row.projectId),
          kind: row.kind,
          fingerprint: row.fingerprint,
          rule: row.rule,
          severity: row.severity,
          isWaived: Boolean(row.isWaived),
          first_seen: startOf(row.firstRun),
          from: startOf(row.fromRun),
          to: row.toRun === null ? null : startOf(row.toRun),
          goesOn: Boolean(row.goesOn),
          resolution: row.toRun === null ? null : row.resolution,
        }),
    )
  await visitThose(isAlone)
  await visitThose(`NOT (${isAlone}) ORDER BY x.fingerprint, x.from_run, x.id`)
}
