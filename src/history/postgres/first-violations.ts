import { chooseViolations } from '../choose-violations.ts'
import type { FoundViolation, ResolvedViolation, ViolationChoice } from '../reader.ts'
import type { RecordedViolation } from '../records.ts'
import type { Session, Transaction } from './connect.ts'
import {
  activeSql,
  type RecordedViolationRow,
  type ResolvedRow,
  resolvedSql,
  toResolved,
  toViolation,
} from './violations-at.ts'
import { outlineRows } from './visit-violations.ts'

/**
 * Holds what comes first, and reads the rest of their rows, in a snapshot. All others are read as far as choosing and
 * ordering asks, some hundreds at a time.
 */
export async function firstViolations(
  transaction: Transaction,
  choice: ViolationChoice,
): Promise<(RecordedViolation | ResolvedViolation)[]> {
  const choosing = chooseViolations(choice)
  for await (const row of outlineRows(transaction, { ...choice, withText: false })) choosing.add(row, row)
  return foundViolations(
    transaction,
    choosing.chosen().map(({ id, run, outline: { state, project } }) => {
      return { id, run, project, isResolved: state === 'resolved' }
    }),
  )
}

export async function foundViolations(
  session: Session,
  asked: readonly FoundViolation[],
): Promise<(RecordedViolation | ResolvedViolation)[]> {
  const found = new Map<number, RecordedViolation | ResolvedViolation>()
  const [resolved, active] = [true, false].map((is) => asked.filter(({ isResolved }) => isResolved === is))
  for (const row of await rowsOf<RecordedViolationRow>(session, active, activeSql)) found.set(row.id, toViolation(row))
  for (const row of await rowsOf<ResolvedRow>(session, resolved, resolvedSql)) found.set(row.id, toResolved(row))
  return asked.flatMap(({ id }) => found.get(id) ?? [])
}

async function rowsOf<Row extends object>(
  session: Session,
  found: readonly FoundViolation[] = [],
  statement: (from: string) => string,
): Promise<Row[]> {
  if (found.length === 0) return []
  const from = `unnest($1::bigint[], $2::bigint[], $3::text[]) AS s (id, run, name)
    CROSS JOIN LATERAL (SELECT * FROM hookdrift.violation v WHERE v.id = s.id LIMIT 1) x`
  return session.all<Row>(statement(from), [
    found.map(({ id }) => id),
    found.map(({ run }) => run),
    found.map(({ project }) => project),
  ])
}
