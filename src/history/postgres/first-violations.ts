import { chooseViolations, type OutlineRow } from '../choose-violations.ts'
import type { ResolvedViolation, ViolationChoice } from '../reader.ts'
import type { RecordedViolation } from '../records.ts'
import type { Transaction } from './connect.ts'
import { ownerSql } from './owner-sql.ts'
import { lastScanSql } from './sql-fragments.ts'
import {
  activeAsOf,
  activeSql,
  isResolvedSql,
  namedAt,
  type RecordedViolationRow,
  type ResolvedRow,
  resolvedSql,
  stateSql,
  toResolved,
  toViolation,
} from './violations-at.ts'

type FoundRow = OutlineRow & { readonly project: string; readonly run: number; readonly firstSeen: string }

/**
 * Holds what comes first, and reads the rest of their rows, in a snapshot. All others are read as far as choosing and
 * ordering asks, some hundreds at a time.
 */
export async function firstViolations(
  transaction: Transaction,
  choice: ViolationChoice,
): Promise<(RecordedViolation | ResolvedViolation)[]> {
  const choosing = chooseViolations(choice)
  for (const [sql, values] of outlines(choice)) {
    for await (const row of transaction.iterate<FoundRow>(sql, values)) choosing.add(row, row)
  }
  const chosen = choosing.chosen().map(({ id, run, outline: { state, project } }) => ({ id, run, state, project }))
  const found = new Map<number, RecordedViolation | ResolvedViolation>()
  const [resolved, active] = [true, false].map((is) => chosen.filter(({ state }) => (state === 'resolved') === is))
  for (const row of await rowsOf<RecordedViolationRow>(transaction, active, activeSql))
    found.set(row.id, toViolation(row))
  for (const row of await rowsOf<ResolvedRow>(transaction, resolved, resolvedSql)) found.set(row.id, toResolved(row))
  return chosen.flatMap(({ id }) => found.get(id) ?? [])
}

function outlines({ run, withActive, resolvedAfter, withOwner }: ViolationChoice): [string, number[]][] {
  const select = (columns: string, scan: string) => `SELECT x.id, x.kind, x.uid, x.rule, x.path, x.severity, x.waiver,
    coalesce(s.name, '') AS project, f.started_at AS "firstSeen", ${withOwner ? ownerSql(scan) : 'NULL'} AS owner, ${columns}`
  const first = 'JOIN hookdrift.run f ON f.number = x.first_run'
  const active = activeAsOf(
    lastScanSql('$1'),
    (from) => `${select(`s.run, ${stateSql}`, 's.run')} FROM ${from} ${first}`,
  )
  const resolved = `${select("x.to_run AS run, 'resolved' AS state", 'x.to_run')} FROM ${namedAt('$2')} ${first}
    WHERE ${isResolvedSql('$1', '$2')}`
  return [
    ...(withActive ? [[active, [run]] satisfies [string, number[]]] : []),
    ...(resolvedAfter === undefined ? [] : [[resolved, [resolvedAfter, run]] satisfies [string, number[]]]),
  ]
}

interface Chosen {
  readonly id: number
  readonly run: number
  readonly project: string
}

async function rowsOf<Row extends object>(
  transaction: Transaction,
  chosen: readonly Chosen[] = [],
  statement: (from: string) => string,
): Promise<Row[]> {
  if (chosen.length === 0) return []
  const from = `unnest($1::bigint[], $2::bigint[], $3::text[]) AS s (id, run, name)
    CROSS JOIN LATERAL (SELECT * FROM hookdrift.violation v WHERE v.id = s.id LIMIT 1) x`
  return transaction.all<Row>(statement(from), [
    chosen.map(({ id }) => id),
    chosen.map(({ run }) => run),
    chosen.map(({ project }) => project),
  ])
}
