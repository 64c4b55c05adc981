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

/** Spans that reach into runs after `after`, up to `run`, as of `run`. The index on fingerprints keeps them together. */
export function visitSpans(db: Database, after: number, run: number, visit: (span: RecordedSpan) => void): void {
  const names = new Map(latestScanNumbers(db, run).map(({ id, name }) => [id, name]))
  const startOf = runStarts(db)
  const rows = cachedStatement<{ after: number; run: number }, SpanRow>(
    db,
    `SELECT x.project_id AS projectId, x.fingerprint, x.rule, x.severity, x.waiver IS NOT NULL AS isWaived,
         x.first_run AS firstRun, x.from_run AS fromRun, iif(x.to_run <= @run, x.to_run, NULL) AS toRun, x.resolution,
         x.to_run IS NOT NULL AND EXISTS (SELECT 1 FROM violation y WHERE y.replaces = x.id AND y.from_run <= @run) AS goesOn
       FROM violation x INDEXED BY violation_of_fingerprint
       WHERE x.from_run <= @run AND (x.to_run IS NULL OR x.to_run > @after) ORDER BY x.fingerprint, x.id`,
  ).iterate({ after, run })
  for (const { projectId, isWaived, goesOn, firstRun, fromRun, toRun, resolution, ...row } of rows) {
    visit({
      ...row,
      ...{ project: names.get(projectId) ?? '', isWaived: isWaived === 1, goesOn: goesOn === 1 },
      ...{ firstSeen: startOf(firstRun), from: startOf(fromRun), to: toRun === null ? null : startOf(toRun) },
      resolution: toRun === null ? null : resolution,
    })
  }
}
