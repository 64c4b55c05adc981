import type { PostgresDatabase, PostgresTransaction } from '../history/postgres/connect.ts'

/**
 * A transaction that the server ends when its process rests in it for five seconds: others wait for its locks, and a
 * process may be paused, or its machine gone, at any statement.
 */
export function briefTransaction<Result>(
  db: PostgresDatabase,
  work: (transaction: PostgresTransaction) => Promise<Result>,
): Promise<Result> {
  return db.transaction(work, { mostIdleMs: 5_000 })
}
