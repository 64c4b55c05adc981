import type { Database } from 'better-sqlite3'
import { chooseViolations, type OutlineRow } from '../choose-violations.ts'
import type { ResolvedViolation, ViolationChoice } from '../reader.ts'
import type { RecordedViolation } from '../records.ts'
import { cachedStatement } from './cached-statement.ts'
import { ownerSql } from './owner-sql.ts'
import { latestScanNumbers } from './scans-at.ts'
import { activeSql, isResolvedSql, resolvedSql, type StoredViolationRow, stateSql, toNamed } from './violations-at.ts'

type FoundRow = OutlineRow & { readonly firstRun: number }

/** Holds what comes first, and reads the rest of their rows. All others are read as far as choosing and ordering asks. */
export function firstViolations(db: Database, choice: ViolationChoice): (RecordedViolation | ResolvedViolation)[] {
  const choosing = chooseViolations(choice)
  const startOf = runStarts(db)
  for (const { row, project, run } of outlineRows(db, choice)) {
    choosing.add(row, { project, run, firstSeen: startOf(row.firstRun) })
  }
  const active = cachedStatement<{ id: number; scan: number }, StoredViolationRow>(db, `${activeSql} WHERE x.id = @id`)
  const resolved = cachedStatement<{ id: number }, StoredViolationRow>(db, `${resolvedSql} WHERE x.id = @id`)
  return choosing.chosen().flatMap(({ id, outline: { state, project }, run }) => {
    const row = state === 'resolved' ? resolved.get({ id }) : active.get({ id, scan: run })
    return row === undefined ? [] : [toNamed(row, project)]
  })
}

function* outlineRows(db: Database, { run, withActive, resolvedAfter, withOwner }: ViolationChoice) {
  const scans = latestScanNumbers(db, run)
  const columns = (at: string) => `x.id, x.kind, x.uid, x.rule, x.path, x.severity, x.first_run AS firstRun, x.waiver,
    ${withOwner ? ownerSql(at) : 'NULL'} AS owner`
  if (withActive) {
    type Parameters = { project: number; scan: number }
    const ofProject = `SELECT ${columns('@scan')}, ${stateSql} FROM violation x
      WHERE x.project_id = @project AND x.from_run <= @scan`
    const active = cachedStatement<Parameters, FoundRow>(db, `${ofProject} AND x.to_run IS NULL`)
    const ended = cachedStatement<Parameters, FoundRow>(db, `${ofProject} AND x.to_run > @scan`)
    for (const { id, name, run: scan } of scans) {
      const parameters = { project: id, scan }
      for (const row of active.iterate(parameters)) yield { row, project: name, run: scan }
      for (const row of ended.iterate(parameters)) yield { row, project: name, run: scan }
    }
  }
  if (resolvedAfter === undefined) return
  const names = new Map(scans.map(({ id, name }) => [id, name]))
  const resolved = cachedStatement<{ after: number; run: number }, FoundRow & { projectId: number; run: number }>(
    db,
    `SELECT ${columns('x.to_run')}, x.project_id AS projectId, 'resolved' AS state, x.to_run AS run
       FROM violation x WHERE ${isResolvedSql}`,
  )
  for (const row of resolved.iterate({ after: resolvedAfter, run })) {
    yield { row, project: names.get(row.projectId) ?? '', run: row.run }
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
