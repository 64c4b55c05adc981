import { hash } from 'node:crypto'
import { backUpDatabase, chainOf, verifyDatabase } from '../../../src/app/copy-database.ts'
import { connect } from '../../../src/history/postgres/connect.ts'
import { spaceOfDatabase } from '../../../src/history/postgres/examine-database.ts'
import { leaseExpiryMs } from '../../../src/history/postgres/lease.ts'
import { readSteps, upgradeSchema } from '../../../src/history/postgres/migrate.ts'
import { openPostgresHistory } from '../../../src/history/postgres/postgres-history.ts'
import { postgresUpkeep } from '../../../src/history/postgres/postgres-upkeep.ts'
import { readNames } from '../../../src/history/postgres/read-names.ts'
import type { SchemaStep } from '../../../src/history/schema-steps.ts'
import type { Place } from '../contract-fixture.ts'
import { faultsIn } from '../database-fixture.ts'
import { at } from '../samples.ts'
import { makeDatabase, type TestDatabase } from './databases.ts'

/** A history in a database of its own, on the clock of the test's machines. */
export function makePostgresPlace({ isEmpty = false } = {}): Place {
  return placeIn(makeDatabase({ empty: isEmpty }))
}

/** The steps of this program and one more. */
export function withNextStep(sql: string): readonly SchemaStep[] {
  const known = readSteps()
  const version = (known.at(-1)?.version ?? 0) + 1
  return [...known, { version, name: `000${version}_next.sql`, sql, sha256: hash('sha256', sql) }]
}

function placeIn(making: Promise<TestDatabase>): Place {
  const opened: { close(): Promise<void> }[] = []
  return {
    expiryS: leaseExpiryMs / 1000,
    async open(process) {
      const history = await openPostgresHistory((await making).server, { ...process, usesLocalClock: true })
      opened.push(history)
      return history
    },
    address: async () => (await making).url,
    async upkeep(process) {
      const { server } = await making
      const upkeep = postgresUpkeep(
        server,
        { ...process, usesLocalClock: true },
        {
          verify: (request) => verifyDatabase(server, request),
          chainOf: (run) => chainOf(server, run),
          backUp: (target, request) => backUpDatabase(server, target, request),
        },
      )
      opened.push(upkeep)
      return upkeep
    },
    size: async () => spaceOfDatabase((await making).server),
    async upgrade(sql) {
      const db = connect((await making).server)
      await upgradeSchema(db, at(5), withNextStep(sql)).finally(() => db.close())
    },
    namesOf: async (what, prefix) => readNames((await making).server, what, prefix),
    async inDatabase(work) {
      const db = connect((await making).server)
      try {
        return await work(db)
      } finally {
        await db.close()
      }
    },
    async copy() {
      const copied = await makeDatabase({ template: (await making).server.database })
      return placeIn(Promise.resolve(copied))
    },
    async dispose() {
      for (const one of opened) await one.close().catch(() => {})
      const database = await making
      const db = connect(database.server)
      const hasHistory = await db.value<boolean>("SELECT to_regclass('hookdrift.run') IS NOT NULL")
      const faults = hasHistory === true ? await faultsIn(db) : []
      await db.close()
      await database.remove()
      return faults
    },
  }
}
