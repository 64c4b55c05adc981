import type { Database } from 'better-sqlite3'
import type { RecordedSpan } from '../reader.ts'
import { cachedStatement } from './cached-statement.ts'
import { runStarts } from './rows.ts'
import { latestScanNumbers } from './scans-at.ts'

type SpanRow = Pick<RecordedSpan, 'fingerprint' | 'rule' | 'severity' | 'resolution'> & {
  projectId: number
  isWaived: 0 | 1
  goesOn: 0 | 1
  firstRun: number
  fromRun: number
  toRun: number | null
}

const goesOnSql =
  'x.to_run IS NOT NULL AND EXISTS (SELECT 1 FROM violation y WHERE y.replaces = x.id AND y.from_run <= @run)'
const isAlone = `x.from_run = x.first_run AND NOT (${goesOnSql})`

/**
 * Spans that reach into runs after `after`, up to `run`, as of `run`. First those that are all of their violation, in the
 * order of the table, which is the quickest; the index on fingerprints would find a million rows one by one.
 */
export function visitSpans(db: Database, after: number, run: number, visit: (span: RecordedSpan) => void): void {
  const names = new Map(latestScanNumbers(db, run).map(({ id, name }) => [id, name]))
  const startOf = runStarts(db)
  const spans = (which: string) =>
    cachedStatement<{ after: number; run: number }, SpanRow>(
      db,
      `SELECT x.project_id AS projectId, x.fingerprint, x.rule, x.severity, x.waiver IS NOT NULL AS isWaived,
         x.first_run AS firstRun, x.from_run AS fromRun, iif(x.to_run <= @run, x.to_run, NULL) AS toRun, x.resolution,
         ${goesOnSql} AS goesOn
       FROM violation x NOT INDEXED
       WHERE x.from_run <= @run AND (x.to_run IS NULL OR x.to_run > @after) AND ${which}`,
    ).iterate({ after, run })
  // Written out: a million rows are copied by nothing that costs more.
  const pass = (row: SpanRow) =>
    visit({
      project: names.get(row.projectId) ?? '',
      fingerprint: row.fingerprint,
      rule: row.rule,
      severity: row.severity,
      isWaived: row.isWaived === 1,
      firstSeen: startOf(row.firstRun),
      from: startOf(row.fromRun),
      to: row.toRun === null ? null : startOf(row.toRun),
      goesOn: row.goesOn === 1,
      resolution: row.toRun === null ? null : row.resolution,
    })
  for (const row of spans(isAlone)) pass(row)
  for (const row of spans(`NOT (${isAlone}) ORDER BY x.fingerprint, x.id`)) pass(row)
}
