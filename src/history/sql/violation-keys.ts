import type { ViolationState } from '../../model/violation.ts'
import type { HistoryReader } from '../reader.ts'
import type { RecordedViolation } from '../records.ts'
import type { ListedViolation } from './list-violations.ts'
import type { Identity } from './resource-life.ts'
import { lastScansAt } from './scans.ts'
import { type Session, sqlOf } from './session.ts'
import {
  activeSql,
  type ResolvedRow,
  type ResolvedViolation,
  resolvedSql,
  type StoredViolationRow,
  toResolved,
  toViolation,
} from './violations.ts'

/** Where a violation is found again. */
type ViolationKey = Pick<ListedViolation, 'id' | 'project' | 'kind' | 'run'> & {
  readonly state: ViolationState | 'active'
}

export interface IdentifiedViolation extends Identity, Omit<ViolationKey, 'project' | 'kind'> {
  readonly fingerprint: string
}

/** Violations that were listed or identified, in that order; without those that were pruned since. */
export function readViolationsByKey(
  history: HistoryReader,
  keys: readonly ViolationKey[],
): Promise<readonly (RecordedViolation | ResolvedViolation)[]> {
  return history.snapshot((session) => violationsByKey(session, keys))
}

async function violationsByKey(
  session: Session,
  keys: readonly ViolationKey[],
): Promise<(RecordedViolation | ResolvedViolation)[]> {
  const nameOf = () => ''
  const rows = new Map<number, RecordedViolation | ResolvedViolation>()
  const resolved = keys.filter(({ state }) => state === 'resolved')
  const active = keys.filter(({ state }) => state !== 'resolved')
  if (active.length > 0) {
    const idsAndRuns = JSON.stringify(active.map(({ id, run }) => [id, run]))
    const from = `${idsAndRunsSql(session)} s CROSS JOIN hookdrift.violation x`
    // Both conditions, or PostgreSQL might read all violations.
    const sql = `${activeSql(from)} WHERE x.id = s.id AND x.id = ANY($2)`
    const activeRows = await session.all<StoredViolationRow>(sql, [idsAndRuns, active.map(({ id }) => id)])
    for (const row of activeRows) rows.set(row.id, toViolation(row, nameOf))
  }
  if (resolved.length > 0) {
    const sql = `${resolvedSql} WHERE x.id = ANY($1)`
    const resolvedRows = await session.all<ResolvedRow>(sql, [resolved.map(({ id }) => id)])
    for (const row of resolvedRows) rows.set(row.id, toResolved(row, nameOf))
  }
  return keys.flatMap(({ id, project }) => {
    const row = rows.get(id)
    return row === undefined ? [] : [{ ...row, project }]
  })
}

type IdentifiedRow = Pick<IdentifiedViolation, 'id' | 'fingerprint' | 'kind' | 'uid'> & {
  readonly projectId: number
  readonly toRun: number | null
}

/**
 * Violations as of a run whose fingerprints begin with a text: the first `most` of them by fingerprint. Reads the range of
 * an index: fingerprints are hex digits, and `~` follows them. An index on projects would find all violations: the sum
 * keeps databases from it.
 */
export function identifyViolations(
  history: HistoryReader,
  prefix: string,
  run: number,
  most: number,
): Promise<readonly IdentifiedViolation[]> {
  return history.snapshot((session) => identify(session, prefix, run, most))
}

async function identify(session: Session, prefix: string, run: number, most: number): Promise<IdentifiedViolation[]> {
  const scans = new Map((await lastScansAt(session, run)).map((scan) => [scan.id, scan]))
  const rows = await session.all<IdentifiedRow>(
    `SELECT x.id, x.fingerprint, x.kind, x.uid, x.project_id AS "projectId", x.to_run AS "toRun"
     FROM hookdrift.violation x WHERE x.id IN (SELECT max(v.id) FROM hookdrift.violation v
       WHERE v.fingerprint >= $1::text AND v.fingerprint < $2::text AND v.from_run <= $3
         AND v.project_id + 0 = ANY($5) GROUP BY v.fingerprint ORDER BY v.fingerprint LIMIT $4)
     ORDER BY x.fingerprint`,
    [prefix, `${prefix}~`, run, most, [...scans.keys()]],
  )
  return rows.flatMap(({ projectId, toRun, ...row }) => {
    const scan = scans.get(projectId)
    if (scan === undefined) return []
    const { name, service, uid } = scan
    const isResolved = toRun !== null && toRun <= run
    const project = { name, service, uid }
    return [
      { ...row, project, ...(isResolved ? { state: 'resolved', run: toRun } : { state: 'active', run: scan.run }) },
    ]
  })
}

/** SQL of a table of violations (id) and the scans (run) that they are as of, from `$1`: pairs of them as JSON. */
function idsAndRunsSql(session: Session): string {
  const each = sqlOf(session, { sqlite: 'json_each($1)', postgres: 'jsonb_array_elements($1::jsonb)' })
  return `(SELECT (p.value ->> 0)::bigint AS id, (p.value ->> 1)::bigint AS run FROM ${each} p)`
}
