import type { RecordedSpan } from '../reader.ts'
import { sqlOf, type Transaction } from './session.ts'
import { projectNamesAt, startsOfRuns } from './violations.ts'

type SpanRow = Pick<RecordedSpan, 'fingerprint' | 'rule' | 'severity' | 'resolution'> & {
  readonly projectId: number
  readonly isWaived: boolean | 0 | 1
  readonly goesOn: boolean | 0 | 1
  readonly firstRun: number
  readonly fromRun: number
  readonly toRun: number | null
}

const goesOnSql = 'EXISTS (SELECT 1 FROM hookdrift.violation y WHERE y.replaces = x.id AND y.from_run <= $2)'
const isAlone = `x.from_run = x.first_run AND NOT ${goesOnSql}`

/**
 * Spans that reach into runs after `after`, up to `run`, as of `run`. First those that are all of their violation, in the
 * order of the table, which is the quickest; the index on fingerprints would find a million rows one by one.
 */
export async function visitSpans(
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
      `SELECT x.project_id AS "projectId", x.fingerprint, x.rule, x.severity, x.waiver IS NOT NULL AS "isWaived",
         x.first_run AS "firstRun", x.from_run AS "fromRun", CASE WHEN x.to_run <= $2 THEN x.to_run END AS "toRun",
         x.resolution, ${goesOnSql} AS "goesOn"
       FROM ${table} WHERE x.from_run <= $2 AND (x.to_run IS NULL OR x.to_run > $1) AND ${which}`,
      [after, run],
      // Written out: a million rows are copied by nothing that costs more.
      (row) =>
        visit({
          project: nameOf(row.projectId),
          fingerprint: row.fingerprint,
          rule: row.rule,
          severity: row.severity,
          isWaived: Boolean(row.isWaived),
          firstSeen: startOf(row.firstRun),
          from: startOf(row.fromRun),
          to: row.toRun === null ? null : startOf(row.toRun),
          goesOn: Boolean(row.goesOn),
          resolution: row.toRun === null ? null : row.resolution,
        }),
    )
  await visitThose(isAlone)
  await visitThose(`NOT (${isAlone}) ORDER BY x.fingerprint, x.from_run, x.id`)
}
