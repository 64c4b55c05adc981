import Database from 'better-sqlite3'
import { messageOf } from '../../../model/errors.ts'
import { Faults, inOrder } from '../../check-result.ts'
import type { CommittedRun } from '../../reader.ts'
import type { CheckResult, Verification, VerificationDepth, VerificationRequest } from '../../upkeep.ts'
import { lastRun } from '../rows.ts'
import type { Check } from './check.ts'
import { fileChecks } from './file-checks.ts'
import { notificationChecks } from './notification-checks.ts'
import { recordChecks } from './record-checks.ts'
import { runChecks } from './run-checks.ts'
import { schemaChecks } from './schema-checks.ts'
import { secretChecks } from './secret-checks.ts'
import { versionChecks } from './version-checks.ts'
import { violationChecks } from './violation-checks.ts'

/** Checks a history in one read transaction. */
export function verifyHistory(
  db: Database.Database,
  { depth, exitCodeOf, openSecrets }: VerificationRequest,
): Verification {
  const all = [
    ...fileChecks,
    ...schemaChecks,
    ...recordChecks,
    ...runChecks(exitCodeOf),
    ...versionChecks,
    ...violationChecks,
    ...notificationChecks,
    ...secretChecks(openSecrets),
  ]
  const checks = all.filter((check) => check.depth === undefined || check.depth === depth)
  return db.transaction(() => {
    const results = checks.map((check) => perform(check, db, depth)).sort(inOrder)
    return { ok: results.every(({ ok }) => ok !== false), run: readableLastRun(db), checks: results }
  })()
}

function perform(check: Check, db: Database.Database, depth: VerificationDepth): CheckResult {
  const faults = new Faults()
  try {
    for (const fault of check.find(db, depth)) faults.add(fault)
  } catch (error) {
    // The file is damaged, or contains a value that no run writes.
    if (!(error instanceof Database.SqliteError || error instanceof SyntaxError)) throw error
    faults.add(`cannot be examined: ${messageOf(error)}`)
  }
  return faults.resultOf(check)
}

function readableLastRun(db: Database.Database): CommittedRun | null {
  try {
    return lastRun(db) ?? null
  } catch (error) {
    if (error instanceof Database.SqliteError) return null
    throw error
  }
}
