import type { Database } from 'better-sqlite3'
import type { Resealing } from '../../resealing.ts'
import { makeCheckpoint } from '../chain/chain.ts'
import { resealResources } from './reseal-resources.ts'
import { resealApprovals, resealDocuments, resealNotifications, resealWalks } from './reseal-texts.ts'
import { openRewording } from './rewording.ts'

/**
 * Brings every row to today's form, so that what an earlier version kept in clear does not stay. Within the transaction of
 * the caller, who has verified the chain. Where something was rewritten, the runs leave the chain, and a checkpoint vouches
 * for them.
 * @throws AuditError 4 when something does not match its digest
 */
export function resealHistory(db: Database, resealing: Resealing, now: string): void {
  const rewording = openRewording(db)
  const rewritten =
    resealResources(db, resealing, rewording) +
    resealWalks(db, resealing, rewording) +
    resealApprovals(db, resealing) +
    resealDocuments(db, resealing) +
    resealNotifications(db, resealing, rewording)
  if (rewritten === 0) return
  db.prepare(
    `UPDATE run SET former_chain = chain, previous = NULL, parts = NULL, chain = NULL
     WHERE state = 'sealed' AND chain IS NOT NULL`,
  ).run()
  makeCheckpoint(db, { madeAt: now, toolVersion: resealing.toolVersion, reason: 'reseal', runs: [] })
}
