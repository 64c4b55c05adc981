import Database from 'better-sqlite3'
import { AuditError, messageOf } from '../../../model/errors.ts'
import { Faults, inOrder } from '../../check-result.ts'
import { type CommittedRun, lastRun } from '../../sql/runs.ts'
import type { Session } from '../../sql/session.ts'
import type { CheckResult, Verification, VerificationDepth, VerificationRequest } from '../../upkeep.ts'
import { SqliteDatabase } from '../sqlite-database.ts'
import type { Check } from './check.ts'
import { fileChecks } from './file-checks.ts'
import { recordChecks } from './record-checks.ts'
import { runChecks } from './run-checks.ts'
import { secretChecks } from './secret-checks.ts'
import { versionChecks } from './version-checks.ts'

/** Checks a history in one read transaction: that of the caller, where there is one. `displayName`: what messages call it. */
export async function verifyHistory(
  db: Database.Database,
  { depth, exitCodeOf, openSecrets }: VerificationRequest,
  displayName = db.name,
): Promise<Verification> {
  const all = [...fileChecks, ...recordChecks, ...runChecks(exitCodeOf), ...versionChecks, ...secretChecks(openSecrets)]
  const checks = all.filter((check) => check.depth === undefined || check.depth === depth)
  const session = new SqliteDatabase(db, displayName)
  const verify = async () => {
    const results: CheckResult[] = []
    for (const check of checks) results.push(await perform(check, db, depth))
    const run = await readableLastRun(session)
    return { ok: results.every(({ ok }) => ok !== false), run, checks: results.sort(inOrder) }
  }
  return db.inTransaction ? verify() : session.snapshot(verify)
}

async function perform(check: Check, db: Database.Database, depth: VerificationDepth): Promise<CheckResult> {
  const faults = new Faults()
  try {
    for await (const fault of check.find(db, depth)) faults.add(fault)
  } catch (error) {
    faults.add(`cannot be examined: ${messageOf(causeOf(error))}`)
  }
  return faults.resultOf(check)
}

/** The file is damaged, or contains a value that no run writes. @throws all other errors */
function causeOf(error: unknown): unknown {
  const cause = error instanceof AuditError ? error.cause : error
  if (cause instanceof Database.SqliteError || cause instanceof SyntaxError) return cause
  throw error
}

async function readableLastRun(session: Session): Promise<CommittedRun | null> {
  try {
    return (await lastRun(session)) ?? null
  } catch (error) {
    causeOf(error)
    return null
  }
}
