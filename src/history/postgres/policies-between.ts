import { readStableContext } from '../read-documents.ts'
import type { RecordedPolicy } from '../reader.ts'
import type { Session } from './connect.ts'

type StoredPolicy = Omit<RecordedPolicy, 'policy'> & { readonly body: string }

/** Runs that agree share a document, so few are read. */
export async function policiesBetween(session: Session, after: number, run: number): Promise<RecordedPolicy[]> {
  const rows = await session.all<StoredPolicy>(
    `SELECT g."firstRun", g."lastRun", d.body FROM hookdrift.document d JOIN
       (SELECT rules_document, min(number) AS "firstRun", max(number) AS "lastRun" FROM hookdrift.run
        WHERE state = 'committed' AND number > $1 AND number <= $2 GROUP BY rules_document) g
       ON d.sha256 = g.rules_document
     ORDER BY g."firstRun"`,
    [after, run],
  )
  return rows.map(({ body, ...runs }) => ({ ...runs, policy: readStableContext(body).policy }))
}
