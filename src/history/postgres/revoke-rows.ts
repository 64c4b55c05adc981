import type { Signature } from '../approvals.ts'
import type { PostgresDatabase } from './connect.ts'
import { type SharedProcess, writeBetweenRuns } from './lease.ts'

/** Revokes rows of a table by their ids, those that were not revoked before. @throws as `writeBetweenRuns` */
export async function revokeRows(
  db: PostgresDatabase,
  owner: SharedProcess,
  {
    table,
    ids,
    by,
    at,
    osUser,
  }: Signature & { readonly table: 'approval' | 'acceptance'; readonly ids: readonly number[] },
): Promise<void> {
  const values = [at, by, ids]
  // What a run ended is over.
  const isOpen = table === 'acceptance' ? 'revoked_at IS NULL AND ended_at IS NULL' : 'revoked_at IS NULL'
  const isSigned = 'id = ANY($3) AND revoked_at = $1 AND revoked_by = $2'
  await writeBetweenRuns(db, owner, {
    subject: 'the revocation',
    work: (session) =>
      session.run(
        `UPDATE hookdrift.${table} SET revoked_at = $1, revoked_by = $2, revoked_as = $4 WHERE id = ANY($3) AND ${isOpen}`,
        [...values, osUser ?? null],
      ),
    isRecorded: async (session, revoked) =>
      (await session.value<number>(`SELECT count(*) FROM hookdrift.${table} WHERE ${isSigned}`, values)) === revoked,
  })
}
