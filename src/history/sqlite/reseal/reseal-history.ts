import type { Database } from 'better-sqlite3'
import { AuditError } from '../../../model/errors.ts'
import type { Resealing } from '../../resealing.ts'
import { makeCheckpoint } from '../chain/chain.ts'
import { findBrokenLinks } from '../chain/check-chain.ts'
import { resealResources } from './reseal-resources.ts'
import { resealApprovals, resealDocuments, resealNotifications, resealWalks } from './reseal-texts.ts'
import { openRewording } from './rewording.ts'

/** Reseals the rows of a history, within the transaction of its upgrade. `now`: ISO 8601, UTC. */
export type ResealHistory = (db: Database, now: string) => void

/**
 * Reseals every row, so that no secret of an earlier version stays in clear. If it rewrites any, the runs leave the
 * chain and a checkpoint covers them.
 * @throws AuditError.failure when the chain does not verify or a row does not match its digest
 */
export function resealingBy(resealing: Resealing): ResealHistory {
  return (db, now) => resealHistory(db, resealing, now)
}

function resealHistory(db: Database, resealing: Resealing, now: string): void {
  refuseBroken(db)
  const rewording = openRewording(db)
  // Derived: what it says of names and places was sealed by an earlier version.
  db.exec('DELETE FROM mark_page; DELETE FROM mark_scan')
  const rewritten =
    resealResources(db, resealing, rewording) +
    resealWalks(db, resealing, rewording) +
    resealApprovals(db, resealing) +
    resealDocuments(db, resealing) +
    resealNotifications(db, resealing, rewording)
  if (rewritten === 0) return
  db.prepare(
    `UPDATE run SET former_chain = chain, previous = NULL, part_digests = NULL, chain = NULL, chain_version = NULL
     WHERE state = 'committed' AND chain IS NOT NULL`,
  ).run()
  makeCheckpoint(db, { madeAt: now, toolVersion: resealing.toolVersion, reason: 'reseal', runs: [] })
}

/** The checkpoint covers the resealed rows anew, so they must not be altered. */
function refuseBroken(db: Database): void {
  const [broken] = findBrokenLinks(db)
  if (broken === undefined) return
  throw AuditError.failure(`the history ${db.name} was not upgraded, because it does not verify: ${broken.text}`, {
    advice:
      'run `hookdrift verify` of the older version; restore the last backup that verifies: `hookdrift docs keep-the-history`',
  })
}
