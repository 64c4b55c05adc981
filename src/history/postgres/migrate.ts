import { readFileSync } from 'node:fs'
import { AuditError } from '../../model/errors.ts'
import { packageFile } from '../../model/package-files.ts'
import type { PostgresServer } from '../postgres-server.ts'
import { refuseOtherSteps, type SchemaStep, stepsIn } from '../schema-steps.ts'
import { connect, type PostgresDatabase, type PostgresSession } from './connect.ts'

const directory = packageFile('migrations/postgres')

/** The steps to the newest schema, in order. */
export function readSteps(): readonly SchemaStep[] {
  return stepsIn(directory)
}

/** What makes the views of readers of some projects, in a schema that is there. */
export function readScopedViews(): string {
  return readFileSync(packageFile('migrations/scoped/postgres.sql'), 'utf8')
}

export interface SchemaState {
  /** 0: there is no history in the schema. */
  readonly has: number
  readonly knows: number
}

/** Which schema a database has, and which one this program knows. */
export async function readSchemaState(
  db: PostgresSession,
  { schema, displayName }: Pick<PostgresDatabase, 'schema' | 'displayName'>,
  steps = readSteps(),
): Promise<SchemaState> {
  const knows = steps.at(-1)?.version ?? 0
  const exists = await db.value<boolean>(`SELECT to_regclass($1) IS NOT NULL`, [`${schema}.migration`])
  if (exists !== true) return { has: 0, knows }
  const applied = await db.all<{ version: number; sha256: string }>(
    'SELECT version, sha256 FROM hookdrift.migration ORDER BY version',
  )
  if (applied.length > 0) refuseOtherSteps(displayName, applied, steps)
  return { has: applied.at(-1)?.version ?? 0, knows }
}

/**
 * Creates the history where there is none.
 * @throws AuditError.failure when the schema is newer than this program, or older: `hookdrift history upgrade` upgrades it
 */
export async function ensureSchema(db: PostgresDatabase, now: string): Promise<void> {
  const { has, knows } = await readSchemaState(db, db)
  if (has === 0) await upgradeSchema(db, now)
  else refuseOtherSchema(db.displayName, { has, knows })
}

/** @throws AuditError.failure */
export function refuseOtherSchema(displayName: string, { has, knows }: SchemaState): void {
  if (has > knows) {
    throw AuditError.failure(`the history ${displayName} has schema ${has}, this hookdrift knows ${knows}`, {
      advice: 'use the newer hookdrift that wrote it',
    })
  }
  if (has < knows) {
    throw AuditError.failure(`the history ${displayName} has schema ${has}, this hookdrift needs ${knows}`, {
      advice: 'upgrade it with `hookdrift history upgrade`',
      isPassing: true,
    })
  }
}

/** Names a lock of this database that only upgrades take: "hkdf". */
const upgradeLock = 0x686b6466

/** Takes the missing steps, all or none, and makes the views of readers of some projects anew. Returns how many steps. */
export async function upgradeSchema(db: PostgresDatabase, now: string, steps = readSteps()): Promise<number> {
  return db.transaction(async (transaction) => {
    // Another process may take the steps meanwhile.
    await transaction.run('SELECT pg_advisory_xact_lock($1)', [upgradeLock])
    const state = await readSchemaState(transaction, db, steps)
    if (state.has > state.knows) refuseOtherSchema(db.displayName, state)
    const due = steps.filter(({ version }) => version > state.has)
    if (state.has === 0) await transaction.run(`CREATE SCHEMA IF NOT EXISTS "${db.schema}"`)
    // A column that a view reads keeps its type.
    await transaction.run('DROP SCHEMA IF EXISTS hookdrift_scoped CASCADE; CREATE SCHEMA hookdrift_scoped')
    for (const { version, name, sql, sha256 } of due) {
      await transaction.run(sql)
      const values = [version, name, sha256, now]
      await transaction.run(
        'INSERT INTO hookdrift.migration (version, name, sha256, applied_at) VALUES ($1, $2, $3, $4)',
        values,
      )
    }
    await transaction.run(readScopedViews())
    return due.length
  })
}

/** @throws AuditError.failure when the database has no history of this program's schema, or cannot be used */
export async function refuseMissing(server: PostgresServer): Promise<void> {
  const db = connect(server, { connections: 1 })
  try {
    await requireHistory(db)
  } finally {
    await db.close()
  }
}

/** @throws AuditError.failure when there is no history of this program's schema */
export async function requireHistory(db: PostgresDatabase): Promise<void> {
  const state = await readSchemaState(db, db)
  if (state.has === 0) {
    throw AuditError.failure(`there is no history at ${db.displayName}`, {
      advice: 'run an audit first, or name another history',
    })
  }
  refuseOtherSchema(db.displayName, state)
}
