import { expect, it } from 'vitest'
import { connect } from '../../../src/history/postgres/connect.ts'
import { openPostgresHistory } from '../../../src/history/postgres/postgres-history.ts'
import { findSchemaFaults } from '../../../src/history/postgres/verify-database.ts'
import { Machines } from '../processes.ts'
import { aStart, at, payments, walkAll } from '../samples.ts'
import { administrate, hasPostgres, makeDatabase } from './databases.ts'

it.skipIf(!hasPostgres)(
  'asks for readers of some projects as a role that has no rights on the tables, where there is one',
  async () => {
    // Roles are those of the whole server.
    const schema = `of_${process.pid}`
    const role = `${schema}_scoped`
    const database = await makeDatabase({ empty: true })
    const server = { ...database.server, schema }
    await administrate(`CREATE ROLE ${role} NOLOGIN`)
    const history = await openPostgresHistory(server, { ...new Machines().process(1), usesLocalClock: true })
    try {
      const draft = await history.begin(aStart(at(1)))
      await walkAll(draft)
      await draft.commit(at(2), () => 0)
      const scoped = history.within({ has: () => true, mayHaveOf: () => true })
      const ask = (sql: string) => scoped.ask((session) => session.value(sql))
      expect(await ask('SELECT current_user::text')).toBe(role)
      expect(await ask('SELECT name FROM hookdrift.scan')).toBe(payments.name)
      await expect(ask(`SELECT name FROM ${schema}.scan`)).rejects.toThrow(/permission denied/)
      await expect(ask('SELECT name FROM hookdrift.channel')).rejects.toThrow(/channel/)
      expect(await history.ask((session) => session.value('SELECT current_user::text'))).not.toBe(role)
      // No transaction has a scope by itself.
      const db = connect(server)
      const faults = () => db.transaction((session) => findSchemaFaults(session, schema))
      expect(await faults()).toEqual([])
      await db.run(`GRANT USAGE ON SCHEMA ${schema} TO ${role}; GRANT SELECT ON ${schema}.scan TO ${role}`)
      expect(await faults()).toMatchObject([
        { text: expect.stringContaining(`the role ${role} has rights on the tables`) },
      ])
      await expect(db.value(`SELECT name FROM ${role}.scan`)).rejects.toThrow(/scope\.projects/)
      await db.close()
    } finally {
      await history.close()
      await database.remove()
      await administrate(`DROP ROLE ${role}`)
    }
  },
)
