import type { Database } from 'better-sqlite3'
import { firstInOrder } from '../first-in-order.ts'
import type { ResolvedViolation, ViolationChoice, ViolationOutline } from '../reader.ts'
import type { RecordedViolation } from '../records.ts'
import { compareText, inReportOrder } from '../report-order.ts'
import { cachedStatement } from './cached-statement.ts'
import { ownerSql } from './owner-sql.ts'
import { latestScanNumbers } from './scans-at.ts'
import { activeSql, isResolvedSql, resolvedSql, type StoredViolationRow, stateSql, toNamed } from './violations-at.ts'

interface OutlineRow extends Omit<ViolationOutline, 'project' | 'firstSeen' | 'waiver'> {
  readonly id: number
  readonly firstRun: number
  readonly waiver: string | null
}

interface Candidate {
  readonly id: number
  readonly outline: ViolationOutline
  /** The scan that an active one is as of, or the run that resolved it. */
  readonly run: number
  readonly sortKey: string
}

/** Holds what comes first, and reads the rest of their rows. All others are read as far as choosing and ordering asks. */
export function firstViolations(db: Database, choice: ViolationChoice): (RecordedViolation | ResolvedViolation)[] {
  const first = firstInOrder(choice.most, compareCandidates)
  const startOf = runStarts(db)
  for (const { row, project, run } of outlineRows(db, choice)) {
    const outline = toOutline(row, project, startOf(row.firstRun))
    if (!choice.isChosen(outline)) continue
    first.add({ id: row.id, outline, run, sortKey: choice.sortKey?.(outline) ?? '' })
  }
  const active = cachedStatement<{ id: number; scan: number }, StoredViolationRow>(db, `${activeSql} WHERE x.id = @id`)
  const resolved = cachedStatement<{ id: number }, StoredViolationRow>(db, `${resolvedSql} WHERE x.id = @id`)
  return first.values().flatMap(({ id, outline: { state, project }, run }) => {
    const row = state === 'resolved' ? resolved.get({ id }) : active.get({ id, scan: run })
    return row === undefined ? [] : [toNamed(row, project)]
  })
}

function compareCandidates(a: Candidate, b: Candidate): number {
  return (
    compareText(a.sortKey, b.sortKey) ||
    Number(a.outline.state === 'resolved') - Number(b.outline.state === 'resolved') ||
    (a.outline.state === 'resolved' ? b.run - a.run : 0) ||
    inReportOrder(a.outline, b.outline)
  )
}

function* outlineRows(db: Database, { run, withActive, resolvedAfter, withOwner }: ViolationChoice) {
  const scans = latestScanNumbers(db, run)
  const columns = (at: string) => `x.id, x.kind, x.uid, x.rule, x.path, x.severity, x.first_run AS firstRun, x.waiver,
    ${withOwner ? ownerSql(at) : 'NULL'} AS owner`
  if (withActive) {
    type Parameters = { project: number; scan: number }
    const ofProject = `SELECT ${columns('@scan')}, ${stateSql} FROM violation x
      WHERE x.project_id = @project AND x.from_run <= @scan`
    const active = cachedStatement<Parameters, OutlineRow>(db, `${ofProject} AND x.to_run IS NULL`)
    const ended = cachedStatement<Parameters, OutlineRow>(db, `${ofProject} AND x.to_run > @scan`)
    for (const { id, name, run: scan } of scans) {
      const parameters = { project: id, scan }
      for (const row of active.iterate(parameters)) yield { row, project: name, run: scan }
      for (const row of ended.iterate(parameters)) yield { row, project: name, run: scan }
    }
  }
  if (resolvedAfter === undefined) return
  const names = new Map(scans.map(({ id, name }) => [id, name]))
  const resolved = cachedStatement<{ after: number; run: number }, OutlineRow & { projectId: number; run: number }>(
    db,
    `SELECT ${columns('x.to_run')}, x.project_id AS projectId, 'resolved' AS state, x.to_run AS run
       FROM violation x WHERE ${isResolvedSql}`,
  )
  for (const row of resolved.iterate({ after: resolvedAfter, run })) {
    yield { row, project: names.get(row.projectId) ?? '', run: row.run }
  }
}

function toOutline(row: OutlineRow, project: string, firstSeen: string): ViolationOutline {
  const { rule, severity, state, kind, uid, path, owner, waiver } = row
  return {
    ...{ rule, severity, state, project, kind, uid, path, firstSeen },
    ...(waiver === null ? {} : { waiver }),
    owner: typeof owner === 'string' ? owner : null,
  }
}

/** The start of a run, which many violations share. */
function runStarts(db: Database): (run: number) => string {
  const known = new Map<number, string>()
  const find = cachedStatement<[number], string>(db, 'SELECT started_at FROM run WHERE number = ?').pluck()
  return (run) => {
    const start = known.get(run) ?? find.get(run) ?? ''
    known.set(run, start)
    return start
  }
}
