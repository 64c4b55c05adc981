import type { Signature } from '../approvals.ts'
import { type HistoryBackend, writeBetweenRuns } from './backend.ts'

/** Who signed and who revoked something, as it is read. */
export interface StoredSignature {
  readonly at: string
  readonly by: string
  readonly osUser: string | null
  readonly revokedAt: string | null
  readonly revokedBy: string | null
  readonly revokedAs: string | null
}

/** The rest of the row, with its signatures. */
export function withSignature<Row extends StoredSignature>({ osUser, revokedAt, revokedBy, revokedAs, ...row }: Row) {
  const revoked =
    revokedAt === null ? undefined : { at: revokedAt, by: revokedBy ?? '', osUser: revokedAs ?? undefined }
  return { ...row, osUser: osUser ?? undefined, revoked }
}

interface Revocation extends Signature {
  readonly table: 'approval' | 'acceptance'
  readonly ids: readonly number[]
}

/** Revokes rows of a table by their ids, those that were not revoked before. @throws as `writeBetweenRuns` */
export async function revokeRows(backend: HistoryBackend, { table, ids, by, at, osUser }: Revocation): Promise<void> {
  // What a run ended is over.
  const isOpen = table === 'acceptance' ? 'revoked_at IS NULL AND ended_at IS NULL' : 'revoked_at IS NULL'
  const isSigned = 'id = ANY($1) AND revoked_at = $2 AND revoked_by = $3'
  await writeBetweenRuns(backend, {
    subject: 'the revocation',
    work: (transaction) =>
      transaction.run(
        `UPDATE hookdrift.${table} SET revoked_at = $2, revoked_by = $3, revoked_as = $4 WHERE id = ANY($1) AND ${isOpen}`,
        [ids, at, by, osUser ?? null],
      ),
    async isRecorded(transaction, revoked) {
      const count = `SELECT count(*) FROM hookdrift.${table} WHERE ${isSigned}`
      return (await transaction.value<number>(count, [ids, at, by])) === revoked
    },
  })
}
