import type { Database } from 'better-sqlite3'
import { chooseViolations } from '../choose-violations.ts'
import type { FoundViolation, ResolvedViolation, ViolationChoice } from '../reader.ts'
import type { RecordedViolation } from '../records.ts'
import { cachedStatement } from './cached-statement.ts'
import { activeSql, resolvedSql, type StoredViolationRow, toNamed } from './violations-at.ts'
import { outlineRows } from './visit-violations.ts'

/** Holds what comes first, and reads the rest of their rows. All others are read as far as choosing and ordering asks. */
export function firstViolations(db: Database, choice: ViolationChoice): (RecordedViolation | ResolvedViolation)[] {
  const choosing = chooseViolations(choice)
  for (const { row, ...place } of outlineRows(db, { ...choice, withText: false })) choosing.add(row, place)
  return foundViolations(
    db,
    choosing.chosen().map(({ id, outline: { state, project }, run }) => {
      return { id, project, run, isResolved: state === 'resolved' }
    }),
  )
}

export function foundViolations(
  db: Database,
  found: readonly FoundViolation[],
): (RecordedViolation | ResolvedViolation)[] {
  const active = cachedStatement<{ id: number; scan: number }, StoredViolationRow>(db, `${activeSql} WHERE x.id = @id`)
  const resolved = cachedStatement<{ id: number }, StoredViolationRow>(db, `${resolvedSql} WHERE x.id = @id`)
  return found.flatMap(({ id, project, isResolved, run }) => {
    const row = isResolved ? resolved.get({ id }) : active.get({ id, scan: run })
    return row === undefined ? [] : [toNamed(row, project)]
  })
}
