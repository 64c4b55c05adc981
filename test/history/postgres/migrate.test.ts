import { beforeEach, describe, expect, it } from 'vitest'
import { connect } from '../../../src/history/postgres/connect.ts'
import {
  ensureSchema,
  readSchemaState,
  refuseMissing,
  refuseOtherSchema,
  upgradeSchema,
} from '../../../src/history/postgres/migrate.ts'
import { movableDatabase } from '../../../src/history/postgres/movable-database.ts'
import { openPostgresHistory } from '../../../src/history/postgres/postgres-history.ts'
import type { SchemaStep } from '../../../src/history/schema-steps.ts'
import { Machines } from '../processes.ts'
import { aStart } from '../samples.ts'
import { hasPostgres, openDatabaseFixture } from './databases.ts'
import { withNextStep } from './postgres-place.ts'

const now = '2026-11-24T03:00:00.000Z'
const later = withNextStep(`
  ALTER TABLE hookdrift.run ADD COLUMN note text;
  UPDATE hookdrift.run SET note = 'of run ' || number;
  ALTER TABLE hookdrift.run ALTER COLUMN note SET NOT NULL`)

describe.skipIf(!hasPostgres)('a history whose schema has a further step', () => {
  const fixture = openDatabaseFixture()
  beforeEach(async () => {
    const history = await openPostgresHistory(fixture.place.server, new Machines().process(1))
    await (await history.begin(aStart(now))).abandon(now)
    await history.close()
  })
  const state = (steps?: readonly SchemaStep[]) => readSchemaState(fixture.db, fixture.db, steps)
  const [next, old] = [later.at(-1)?.version, later.at(-2)?.version]

  it('is upgraded once, by however many processes, with what it holds', async () => {
    expect(await state(later)).toEqual({ has: old, knows: next })
    const others = [1, 2, 3].map(() => connect(fixture.place.server))
    const taken = await Promise.all(others.map((other) => upgradeSchema(other, now, later)))
    expect(taken.toSorted()).toEqual([0, 0, 1])
    expect(await fixture.db.all('SELECT number, note FROM hookdrift.run')).toEqual([{ number: 1, note: 'of run 1' }])
    expect(await state(later)).toEqual({ has: next, knows: next })
    await Promise.all(others.map((other) => other.close()))
  })

  it('is waited for by the program that needs it, and refused by the one before', async () => {
    expect(() => refuseOtherSchema(fixture.db.displayName, { has: old ?? 0, knows: next ?? 0 })).toThrow(
      expect.objectContaining({ exitCode: 4, isPassing: true, advice: expect.stringContaining('history upgrade') }),
    )
    await upgradeSchema(fixture.db, now, later)
    const refused = { exitCode: 4, advice: 'use the newer hookdrift that wrote it' }
    await expect(ensureSchema(fixture.db, now)).rejects.toMatchObject(refused)
    await expect(upgradeSchema(fixture.db, now)).rejects.toMatchObject(refused)
    await expect(openPostgresHistory(fixture.place.server, new Machines().process(1))).rejects.toMatchObject(refused)
  })

  it('is upgraded by a person after a dump only', async () => {
    const verify = () => Promise.reject(new Error('nothing is verified here'))
    const history = movableDatabase(fixture.db, new Machines().process(1), verify, later)
    await expect(history.upgrade(false)).rejects.toMatchObject({
      exitCode: 2,
      message: expect.stringMatching(/has runs, and an upgrade from schema 1 to 2 is for good$/),
      advice: expect.stringMatching(/^take a dump .*--yes$/),
    })
    expect(await history.upgrade(true)).toEqual({ from: 1, to: 2 })
  })

  it('of a checkout from before the first release is refused by commands that only need to find it', async () => {
    await fixture.db.run('UPDATE hookdrift.migration SET version = 16')
    await expect(refuseMissing(fixture.place.server)).rejects.toMatchObject({
      message: `the history ${fixture.db.displayName} was made by a checkout from before the first release`,
    })
  })
})
