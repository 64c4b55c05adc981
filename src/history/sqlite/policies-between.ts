import type { Database } from 'better-sqlite3'
import { readStableContext } from '../read-documents.ts'
import type { RecordedPolicy } from '../reader.ts'
import { cachedStatement } from './cached-statement.ts'

type StoredPolicy = Omit<RecordedPolicy, 'policy'> & { readonly body: string }

/** Runs that agree share a document, so few are read. */
export function policiesBetween(db: Database, after: number, run: number): RecordedPolicy[] {
  return cachedStatement<[number, number], StoredPolicy>(
    db,
    `SELECT firstRun, lastRun, body FROM document JOIN
       (SELECT rules_document, min(number) AS firstRun, max(number) AS lastRun FROM run
        WHERE state = 'committed' AND number > ? AND number <= ? GROUP BY rules_document) ON sha256 = rules_document
     ORDER BY firstRun`,
  )
    .all(after, run)
    .map(({ body, ...runs }) => ({ ...runs, policy: readStableContext(body).policy }))
}
