import { setImmediate } from 'node:timers/promises'
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
  { depth, exitCodeOf, openSecrets, onCheck }: VerificationRequest,
  displayName = db.name,
): Promise<Verification> {
  const all = [...fileChecks, ...recordChecks, ...runChecks(exitCodeOf), ...versionChecks, ...secretChecks(openSecrets)]
  const checks = all.filter((check) => check.depth === undefined || check.depth === depth)
  const session = new SqliteDatabase(db, displayName)
  const verify = async () => {
    const results: CheckResult[] = []
    const unexpected: unknown[] = []
    for (const [at, check] of checks.entries()) {
      onCheck?.(at, checks.length)
      results.push(await perform(check, db, depth, unexpected))
      // SQLite answers at once: only here is a signal heard where something has to be removed first.
      await setImmediate()
    }
    // Rows that were altered explain any error, and another check names them. Without such a check it is a bug.
    if (results.filter(({ ok }) => ok === false).length === unexpected.length && unexpected.length > 0)
      throw unexpected[0]
    const run = await readableLastRun(session)
    return { ok: results.every(({ ok }) => ok !== false), run, checks: results.sort(inOrder) }
  }
  return db.inTransaction ? verify() : session.snapshot(verify)
}

/** Adds to `unexpected` what neither the file nor SQLite explains. */
async function perform(
  check: Check,
  db: Database.Database,
  depth: VerificationDepth,
  unexpected: unknown[],
): Promise<CheckResult> {
  const faults = new Faults()
  try {
    for await (const fault of check.find(db, depth)) faults.add(fault)
  } catch (error) {
    const damage = describeDamage(error)
    if (damage === undefined) unexpected.push(error)
    faults.add(`cannot be examined: ${damage ?? 'a value is not as a run writes it'}`)
  }
  return faults.resultOf(check)
}

/** Quotes no value, as the message of a parser does. undefined: the file is not the cause as far as is known. */
function describeDamage(error: unknown): string | undefined {
  const cause = error instanceof AuditError ? error.cause : error
  if (cause instanceof SyntaxError) return 'a text is not JSON'
  return cause instanceof Database.SqliteError ? messageOf(cause) : undefined
}

async function readableLastRun(session: Session): Promise<CommittedRun | null> {
  try {
    return (await lastRun(session)) ?? null
  } catch (error) {
    if (describeDamage(error) === undefined) throw error
    return null
  }
}
