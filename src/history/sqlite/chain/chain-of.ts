import type { Database } from 'better-sqlite3'

/** The chain's digest as of a sealed run; null for a run of a time without one, undefined when it is not there. */
export function chainOf(db: Database, run: number): string | null | undefined {
  return db
    .prepare<[number], string | null>("SELECT chain FROM run WHERE number = ? AND state = 'sealed'")
    .pluck()
    .get(run)
}
