import Database from 'better-sqlite3'
import { messageOf } from '../../../model/errors.ts'
import type { CommittedRun } from '../../reader.ts'
import type { CheckResult, Verification, VerificationDepth, VerificationRequest } from '../../upkeep.ts'
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
    return { ok: results.every(({ ok }) => ok), run: lastRun(db), checks: results }
  })()
}

const mostQuoted = 3

function perform({ id, invariant, means, find }: Check, db: Database.Database, depth: VerificationDepth): CheckResult {
  const faults: string[] = []
  let count = 0
  try {
    for (const fault of find(db, depth)) {
      count += 1
      if (faults.length < mostQuoted) faults.push(fault)
    }
  } catch (error) {
    // The file is damaged, or contains a value that no run writes.
    if (!(error instanceof Database.SqliteError || error instanceof SyntaxError)) throw error
    count += 1
    faults.push(`cannot be examined: ${messageOf(error)}`)
  }
  if (count === 0) return { id, ok: true, detail: invariant }
  const rest = count - faults.length
  return { id, ok: false, detail: faults.join('; ') + (rest === 0 ? '' : `; and ${rest} more`), means }
}

function lastRun(db: Database.Database): CommittedRun | null {
  try {
    const newest = db.prepare<[], CommittedRun>(
      `SELECT number, started_at AS startedAt, finished_at AS finishedAt FROM run
        WHERE state = 'committed' ORDER BY number DESC LIMIT 1`,
    )
    return newest.get() ?? null
  } catch (error) {
    if (error instanceof Database.SqliteError) return null
    throw error
  }
}

/** The file first, then invariants by number. */
function inOrder(a: CheckResult, b: CheckResult): number {
  return numberOf(a) - numberOf(b)
}

function numberOf({ id }: CheckResult): number {
  return Number(/^I(\d+)$/.exec(id)?.[1] ?? 0)
}
