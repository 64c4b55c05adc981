import type { Database } from 'better-sqlite3'
import { pairNeighbours, pairVersions } from '../pair-versions.ts'
import type { Differing } from '../reader.ts'
import { cachedStatement } from './cached-statement.ts'
import { latestScanNumbers } from './scans-at.ts'
import { runReader, type VersionValues, versionColumns } from './state-at.ts'

type SideValues = readonly [...VersionValues, facts: string, project: number]

const sideColumns = `${versionColumns}, v.facts, v.project_id`

/**
 * What was replaced or ended after `from`, and what was written instead by `to`. Found by the starts and ends of
 * versions, so the cost grows only with the changes between the two. A run's new rows have ids above its floor. Those
 * that ended are read in the order of their ids, so each page of the file is read once.
 */
const befores = `FROM version v WHERE v.id IN (SELECT id FROM version WHERE to_run > @from AND to_run <= @to)
  AND v.from_run <= @from`
const afters = `FROM version v WHERE v.id > (SELECT version_floor FROM run WHERE number > @from ORDER BY number LIMIT 1)
  AND v.from_run > @from AND v.from_run <= @to AND (v.to_run IS NULL OR v.to_run > @to)`

export function differing(db: Database, from: number, to: number): Differing[] {
  const pairs = pairVersions()
  const add = sideAdder(db, to, pairs)
  const sideOf = (rows: string) =>
    cachedStatement<{ from: number; to: number }, SideValues>(db, `SELECT ${sideColumns} ${rows}`).raw()
  for (const row of sideOf(befores).all({ from, to })) add('before', row)
  for (const row of sideOf(afters).all({ from, to })) add('after', row)
  return pairs.differing()
}

/** SQLite sorts them, in a file where they are many. */
export function visitDiffering(db: Database, from: number, to: number, visit: (pair: Differing) => void): void {
  const pairs = pairNeighbours(visit)
  const add = sideAdder(db, to, pairs)
  const both = cachedStatement<{ from: number; to: number }, readonly [...SideValues, isAfter: 0 | 1]>(
    db,
    `SELECT ${sideColumns}, 0 AS is_after ${befores} UNION ALL SELECT ${sideColumns}, 1 ${afters}
       ORDER BY project_id, kind, uid`,
  )
  for (const [...values] of both.raw().iterate({ from, to })) {
    const isAfter = values.pop() === 1
    // What remains are the columns of a side.
    add(isAfter ? 'after' : 'before', values as unknown as SideValues)
  }
  pairs.end()
}

function sideAdder(db: Database, to: number, pairs: Pick<ReturnType<typeof pairVersions>, 'add'>) {
  const runOf = runReader(db)
  const projects = new Map(latestScanNumbers(db, to).map(({ id, run: _, ...project }) => [id, project]))
  return (side: 'before' | 'after', [kind, uid, name, fromRun, digest, body, facts, id]: SideValues) => {
    const project = projects.get(id)
    if (project === undefined) return
    pairs.add(side, id, { project, kind, uid }, { name, fromRun, digest, body, ...runOf(fromRun), facts })
  }
}
