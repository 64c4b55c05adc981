import { AuditError } from '../../../model/errors.ts'
import { endOfTime, movedTo } from '../../lease-owner.ts'
import {
  type ContainsLink,
  type HistoryRows,
  type MovableHistory,
  refuseTaken,
  type VerifyRows,
} from '../../movable-history.ts'
import type { SchemaFault } from '../../schema-faults.ts'
import { rowsIn, targetIn } from '../../sql/copied-rows.ts'
import { chainOf } from '../../sql/prune-history.ts'
import { historyTables } from '../../table-rows.ts'
import type { PostgresDatabase, PostgresSession, PostgresTransaction } from '../connect.ts'
import { nowSql, readLease, type SharedProcess } from '../lease.ts'
import { ensureSchema, readSchemaState, readSteps, type SchemaState, upgradeSchema } from '../migrate.ts'
import { requireHistory } from '../refuse-missing.ts'
import { findSchemaFaults } from '../verify/schema-checks.ts'
import { verifyDatabase } from '../verify/verify-database.ts'

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
    shown: db.shown,
    async snapshot(work) {
      await requireHistory(db)
      const schemaFaults = () => db.transaction((session) => findSchemaFaults(session, db.schema))
      return db.snapshot((session) => work(rowsOf(session, schemaFaults)))
    },
    async move(to, work) {
      await requireHistory(db)
      return db.transaction(async (session) => {
        await lockTables(session)
        await readLease(session, owner, db.shown)
        const result = await work(ownRows(session))
        await markMoved(session, owner, to)
        return result
      })
    },
    async fill(contains, work) {
      await ensureSchema(db, new Date(owner.now()).toISOString())
      return db.transaction(async (session) => {
        await lockTables(session)
        await makeRoom(session, { owner, contains, shown: db.shown })
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
    `the history ${db.shown} has runs, and an upgrade from schema ${has} to ${knows} is for good`,
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

async function markMoved(session: PostgresSession, owner: SharedProcess, to: string): Promise<void> {
  const columns = `host = $1, boot_id = '', pid = 0, taken_at = ${nowSql(owner)}, heartbeat_at = '${endOfTime}'`
  await session.run(
    `INSERT INTO hookdrift.lease AS l (id, token, host, boot_id, pid, taken_at, heartbeat_at)
     VALUES (1, 1, $1, '', 0, ${nowSql(owner)}, '${endOfTime}') ON CONFLICT (id) DO UPDATE SET token = l.token + 1, ${columns}`,
    [movedTo + to],
  )
  await session.run(`UPDATE hookdrift.channel SET token = token + 1, ${columns}`, [movedTo + to])
}

interface Room {
  readonly owner: SharedProcess
  readonly contains: ContainsLink
  readonly shown: string
}

/** How far runs were that workers shared: the numbers of these runs are given out again. */
const underWay = ['run_plan', 'task', 'id_block']

/** Empties a history that was moved, if the copy contains it. */
async function makeRoom(session: PostgresSession, { owner, contains, shown }: Room): Promise<void> {
  const wasMoved =
    (await session.value<number>('SELECT 1 FROM hookdrift.lease WHERE heartbeat_at = $1', [endOfTime])) === 1
  if (!wasMoved) await readLease(session, owner, shown)
  const exists = historyTables.map(({ name }) => `EXISTS (SELECT 1 FROM hookdrift.${name})`)
  const hasRows = (await session.value<boolean>(`SELECT ${exists.join(' OR ')}`)) === true
  const last = await session.get<{ number: number; chain: string | null }>(
    "SELECT number, chain FROM hookdrift.run WHERE state = 'committed' ORDER BY number DESC LIMIT 1",
  )
  await refuseTaken({ shown, hasRows, wasMoved, last }, contains)
  if (!wasMoved) return
  const names = [...historyTables.map(({ name }) => name), ...underWay]
  for (const name of names.toReversed()) await session.run(`DELETE FROM hookdrift.${name}`)
  // The token goes on, so that a late write of a former owner fails.
  await session.run("UPDATE hookdrift.lease SET token = token + 1, host = '', heartbeat_at = 'epoch'")
}
