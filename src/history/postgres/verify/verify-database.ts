import { type CheckWords, Faults, inOrder } from '../../check-result.ts'
import type { VerifyRows } from '../../movable-history.ts'
import type { SchemaFault } from '../../schema-faults.ts'
import { rowsIn } from '../../sql/copied-rows.ts'
import type { CheckResult, Verification, VerificationRequest } from '../../upkeep.ts'
import type { PostgresSession, PostgresTransaction } from '../connect.ts'
import { findDraftFaults, findOwnerFaults } from './place-checks.ts'
import { findMigrationFaults, migrationWords, schemaWords } from './schema-checks.ts'

export interface DatabaseChecks {
  readonly request: VerificationRequest
  /** Found before, because finding them takes a transaction that may write. */
  readonly schemaFaults: readonly SchemaFault[]
  readonly verifyRows: VerifyRows
}

/**
 * Verifies a history in the state that a transaction sees: a copy of its rows by all checks, and here what a copy
 * cannot show. Rows of an altered table are not read.
 */
export async function verifyDatabase(
  session: PostgresTransaction,
  { request, schemaFaults, verifyRows }: DatabaseChecks,
): Promise<Verification> {
  const schema = await resultOf(
    schemaWords,
    schemaFaults.map(({ text }) => text),
  )
  if (schemaFaults.some(({ type, fault }) => type === 'table' && fault !== 'unknown')) {
    const unread: CheckResult = { id: 'records', ok: null, detail: 'no row was read, because a table was altered' }
    return { ok: false, run: null, checks: [schema, unread] }
  }
  const copied = await verifyRows(rowsIn(session), request)
  const own: ReadonlyMap<string, CheckResult> = new Map([
    ['schema', schema],
    ['migration', await resultOf(migrationWords, await findMigrationFaults(session))],
    ...(await additional(session, copied.checks)),
  ])
  const checks = copied.checks.map((check) => own.get(check.id) ?? check)
  const missing = [...own.values()].filter(({ id }) => !checks.some((check) => check.id === id))
  const all = [...missing, ...checks].sort(inOrder)
  return { ok: all.every(({ ok }) => ok !== false), run: copied.run, checks: all }
}

/** Results of the copy's checks with what is found here besides. */
async function additional(
  session: PostgresTransaction,
  copied: readonly CheckResult[],
): Promise<[string, CheckResult][]> {
  const finders = { records: findOwnerFaults, I1: findDraftFaults }
  const results: [string, CheckResult][] = [['integrity_check', await integrityOf(session, copied)]]
  for (const [id, find] of Object.entries(finders)) {
    const check = copied.find((each) => each.id === id)
    if (check === undefined || check.ok === false) continue
    const means = failing[id] ?? ''
    results.push([id, await resultOf({ id, invariant: check.detail, means }, find(session))])
  }
  return results
}

const failing: Readonly<Record<string, string>> = {
  records: 'another program altered rows that identify runs and messages',
  I1: 'an uncommitted run is visible: reports cannot be trusted',
}

/** Pages and indexes are PostgreSQL's: it finds damage itself where data checksums are on. */
async function integrityOf(session: PostgresSession, copied: readonly CheckResult[]): Promise<CheckResult> {
  const found = copied.find(({ id }) => id === 'integrity_check')
  if (found?.ok === false) return found
  const setting = await session.value<string>("SELECT current_setting('data_checksums')")
  return { id: 'integrity_check', ok: null, detail: `left to PostgreSQL: data checksums are ${setting}` }
}

async function resultOf(words: CheckWords, found: Iterable<string> | AsyncIterable<string>): Promise<CheckResult> {
  const faults = new Faults()
  for await (const fault of found) faults.add(fault)
  return faults.resultOf(words)
}
