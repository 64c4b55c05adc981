import { existsSync } from 'node:fs'
import Database from 'better-sqlite3'
import { verdictOf } from '../../src/audit/compose-report.ts'
import { openSecrets } from '../../src/gateway/inventory/open-secrets.ts'
import { verifyHistory } from '../../src/history/sqlite/verify/verify-history.ts'

/** What `hookdrift verify --deep` finds wrong in a history. */
export async function faultsIn(file: string): Promise<string[]> {
  if (!existsSync(file)) return []
  const db = new Database(file, { readonly: true })
  try {
    const exitCodeOf = (record: Parameters<typeof verdictOf>[0]) => verdictOf(record).exit_code
    const { checks } = await verifyHistory(db, { depth: 'deep', exitCodeOf, openSecrets })
    return checks.flatMap(({ id, ok, detail }) => (ok ? [] : [`${id}: ${detail}`]))
  } finally {
    db.close()
  }
}
