import { expect, it } from 'vitest'
import { connect, type PostgresDatabase } from '../../../src/history/postgres/connect.ts'
import { sqlReader } from '../../../src/history/reader.ts'
import { readFirstViolations, type ViolationGroup } from '../../../src/history/sql/first-violations.ts'
import type { SqlValue } from '../../../src/history/sql/session.ts'
import { hasPostgres, makeDatabase } from './databases.ts'
import { fillHistory } from './large-history.ts'

it.skipIf(!hasPostgres)(
  'a reader holds no violation but the first, and those that come with it from the server',
  async () => {
    const place = await makeDatabase()
    const db = connect(place.server)
    await fillHistory(db, { projects: 2, runs: 3, resources: 2000 })
    const read: number[] = []
    const listening: PostgresDatabase = {
      ...db,
      snapshot: (work) =>
        db.snapshot((transaction) =>
          work({
            ...transaction,
            async all<Row extends object>(sql: string, values?: readonly SqlValue[]) {
              const rows = await transaction.all<Row>(sql, values)
              read.push(rows.length)
              return rows
            },
          }),
        ),
    }
    let asked = 0
    const isChosen = ({ violations }: ViolationGroup) => {
      asked += violations
      return true
    }
    const choice = { run: 3, withActive: true, resolvedAfter: 0, isChosen, most: 2 }
    const first = await readFirstViolations(sqlReader(listening), choice)
    await db.close()
    expect(first).toHaveLength(2)
    expect(asked).toBeGreaterThan(4000)
    expect(Math.max(...read)).toBe(2)
    await place.remove()
  },
)
