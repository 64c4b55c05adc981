import { AuditError } from '../../model/errors.ts'
import type { HistoryRows, MovableHistory, VerifyRows } from '../movable-history.ts'
import type { SchemaFault } from '../schema-faults.ts'
import { makeRoom, markMoved, rowsIn, targetIn } from '../sql/copied-rows.ts'
import { chainOf } from '../sql/prune-history.ts'
import { historyTables } from '../table-rows.ts'
import type { PostgresDatabase, PostgresSession, PostgresTransaction } from './connect.ts'
import { nowSql, readLease, requireFreeLease, type SharedProcess } from './lease.ts'
import { ensureSchema, readSchemaState, readSteps, requireHistory, type SchemaState, upgradeSchema } from './migrate.ts'
import { findSchemaFaults, verifyDatabase } from './verify-database.ts'

/**
 * The history in a PostgreSQL schema. `verifyRows` verifies what a copy of the rows can show. `steps`: those that lead to
 * the newest schema.
 */
export function movableDatabase(
  db: PostgresDatabase,
  owner: SharedProcess,
  verifyRows: VerifyRows,
  steps = readSteps(),
): MovableHistory {
  const rowsOf = (session: PostgresTransaction, schemaFaults: () => Promise<readonly SchemaFault[]>): HistoryRows => ({
    ...rowsIn(session),
    verify: async (request) => verifyDatabase(session, { request, schemaFaults: await schemaFaults(), verifyRows }),
    chainOf: (run) => chainOf(session, run),
  })
  /** Of a transaction that may write. */
  const ownRows = (session: PostgresTransaction) => rowsOf(session, () => findSchemaFaults(session, db.schema))
  return {
    displayName: db.displayName,
    async snapshot(work) {
      await requireHistory(db)
      const schemaFaults = () => db.transaction((session) => findSchemaFaults(session, db.schema))
      return db.snapshot((session) => work(rowsOf(session, schemaFaults)))
    },
    async move(to, work) {
      await requireHistory(db)
      return db.transaction(async (session) => {
        await lockTables(session)
        await requireFreeLease(session, owner, db.displayName)
        const result = await work(ownRows(session))
        await markMoved(session, to, nowSql(owner))
        return result
      })
    },
    async fill(original, work) {
      await ensureSchema(db, new Date(owner.now()).toISOString())
      return db.transaction(async (session) => {
        await lockTables(session)
        await makeRoom(session, {
          displayName: db.displayName,
          backendTables: underWay,
          original,
          refuseLive: () => readLease(session, owner, db.displayName),
        })
        return work({ ...ownRows(session), ...targetIn(session) })
      })
    },
    async upgrade(hasDump) {
      const state = await readSchemaState(db, db, steps)
      if (state.has > 0 && state.has < state.knows && !hasDump) await refuseWithoutDump(db, state)
      await upgradeSchema(db, new Date(owner.now()).toISOString(), steps)
      return { from: state.has, to: state.knows }
    },
    [Symbol.asyncDispose]: () => db.close(),
  }
}

/** @throws AuditError.usage when there are runs to lose */
async function refuseWithoutDump(db: PostgresDatabase, { has, knows }: SchemaState): Promise<void> {
  if ((await db.value<boolean>('SELECT EXISTS (SELECT 1 FROM hookdrift.run)')) !== true) return
  throw AuditError.usage(
    `the history ${db.displayName} has runs, and an upgrade from schema ${has} to ${knows} is for good`,
    {
      advice: `take a dump of the schema ${db.schema} first, with \`pg_dump -Fc\`, and then run this again with --yes`,
    },
  )
}

/** Nothing else writes until the transaction ends; readers go on. The lease first: a run locks that first too. */
async function lockTables(session: PostgresSession): Promise<void> {
  const names = ['lease', ...historyTables.map(({ name }) => name)].map((name) => `hookdrift.${name}`)
  await session.run("SELECT set_config('lock_timeout', '10s', true)")
  await session.run(`LOCK TABLE ${names.join(', ')} IN SHARE ROW EXCLUSIVE MODE`)
}

/** How far runs were that workers shared: the numbers of these runs are given out again. */
const underWay = ['run_plan', 'task']
