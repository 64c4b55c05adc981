import type { RecordedSpan } from '../reader.ts'
import type { Transaction } from './connect.ts'
import { namedAt } from './violations-at.ts'

const goesOnSql = 'EXISTS (SELECT 1 FROM hookdrift.violation y WHERE y.replaces = x.id AND y.from_run <= $2)'
const isAlone = `x.from_run = x.first_run AND NOT ${goesOnSql}`

/**
 * Spans that reach into runs after `after`, up to `run`, as of `run`. First those that are all of their violation, which
 * need not be sorted.
 */
export async function visitSpans(
  transaction: Transaction,
  after: number,
  run: number,
  visit: (span: RecordedSpan) => void,
): Promise<void> {
  const spans = (which: string) =>
    transaction.iterate<RecordedSpan>(
      `SELECT coalesce(s.name, '') AS project, x.fingerprint, x.rule, x.severity, x.waiver IS NOT NULL AS "isWaived",
       f.started_at AS "firstSeen", b.started_at AS "from", e.started_at AS "to",
       ${goesOnSql} AS "goesOn",
       CASE WHEN e.number IS NOT NULL THEN x.resolution END AS resolution
     FROM ${namedAt('$2')} JOIN hookdrift.run f ON f.number = x.first_run JOIN hookdrift.run b ON b.number = x.from_run
     LEFT JOIN hookdrift.run e ON e.number = x.to_run AND x.to_run <= $2
     WHERE x.from_run <= $2 AND (x.to_run IS NULL OR x.to_run > $1) AND ${which}`,
      [after, run],
    )
  for await (const span of spans(isAlone)) visit(span)
  for await (const span of spans(`NOT (${isAlone}) ORDER BY x.fingerprint, x.from_run, x.id`)) visit(span)
}
