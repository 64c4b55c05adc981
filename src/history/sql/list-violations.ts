import type { Waiver } from '../../model/violation.ts'
import type { HistoryReader } from '../reader.ts'
import type { RecordedViolation } from '../records.ts'
import { waiverOf } from '../stored-violation.ts'
import { lastScanSql } from './fragments.ts'
import { lastScansAt } from './scans.ts'
import type { Session } from './session.ts'
import { activeAsOf, isResolvedSql, ownedIn, ownerSql, startsOfRuns, stateSql } from './violations.ts'

/** A violation as of a run: all that lists choose, order and count by. `readViolationsByKey` reads the rest of a few. */
export interface ListedViolation
  extends Pick<RecordedViolation, 'rule' | 'severity' | 'state' | 'project' | 'kind' | 'uid' | 'path' | 'first_seen'> {
  readonly id: number
  /** Of active ones. */
  readonly waiver: Waiver | undefined
  readonly firstRun: number
  /** The scan that an active one is as of, or the run that ended it. */
  readonly run: number
  /** Empty for those without one. Read where owners are asked for, as are names and messages where texts are. */
  readonly owner?: string
  readonly name?: string
  readonly message?: string
}

export interface ListChoice {
  readonly run: number
  /** Lists those that ended after this run, up to `run`, too. */
  readonly resolvedAfter?: number | undefined
  readonly withOwners?: boolean
  readonly withTexts?: boolean
}

type ListedRow = Omit<ListedViolation, 'project' | 'first_seen' | 'waiver'> & {
  readonly projectId: number
  readonly waiver: string | null
}

/** The violations as of a run, each project as of its last scan by then. Unordered. */
export function listViolations(history: HistoryReader, choice: ListChoice): Promise<readonly ListedViolation[]> {
  const { run, resolvedAfter } = choice
  return history.snapshot(async (transaction) => {
    const scans = await lastScansAt(transaction, run)
    const names = new Map(scans.map(({ id, name }) => [id, name]))
    const startOf = await startsOfRuns(transaction, run)
    const listed: ListedViolation[] = []
    const values = resolvedAfter === undefined ? [run] : [run, resolvedAfter]
    await transaction.each<ListedRow>(listSql(transaction, choice), values, (row) => {
      const project = names.get(row.projectId)
      if (project === undefined) return
      const waiver = row.waiver === null ? undefined : waiverOf(row.waiver)
      listed.push({ ...row, project, first_seen: startOf(row.firstRun), waiver })
    })
    return listed
  })
}

/** Without owners and texts, the indexes on active and on ended violations have all of it. */
function listSql(session: Session, { resolvedAfter, withOwners, withTexts = false }: ListChoice): string {
  const select = (state: string, run: string, waiver: string, ownedIn: string) =>
    `SELECT x.id, x.project_id AS "projectId", x.kind, x.uid, x.rule, x.path, x.severity, x.first_run AS "firstRun",
      ${state} AS state, ${run} AS run, ${waiver} AS waiver
      ${withOwners ? `, coalesce(${ownerSql(ownedIn)}, '') AS owner` : ''}${withTexts ? ', x.name, x.message' : ''}`
  const active = activeAsOf(
    session,
    { scans: lastScanSql('$1'), isWhole: withTexts },
    (from) => `${select(stateSql, 's.run', 'x.waiver', 's.run')} FROM ${from}`,
  )
  if (resolvedAfter === undefined) return active
  // Of projects one by one, as the index has them.
  return `${active} UNION ALL ${select("'resolved'", 'x.to_run', 'NULL', ownedIn)}
    FROM hookdrift.project p CROSS JOIN hookdrift.violation x
    WHERE x.project_id = p.id AND ${isResolvedSql(session, 'x.to_run > $2 AND x.to_run <= $1')}`
}
