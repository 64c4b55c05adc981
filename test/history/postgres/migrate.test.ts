import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { connect, type PostgresDatabase } from '../../../src/history/postgres/connect.ts'
import {
  ensureSchema,
  readSchemaState,
  readSteps,
  refuseOtherSchema,
  type SchemaStep,
  upgradeSchema,
} from '../../../src/history/postgres/migrate.ts'
import { movableDatabase } from '../../../src/history/postgres/move/movable-database.ts'
import { openPostgresHistory } from '../../../src/history/postgres/postgres-history.ts'
import { refuseMissing } from '../../../src/history/postgres/refuse-missing.ts'
import { Machines } from '../processes.ts'
import { aStart } from '../samples.ts'
import { hasPostgres, makeDatabase, type TestDatabase } from './databases.ts'

const now = '2026-11-24T03:00:00.000Z'
const known = readSteps()

function nextStep(sql: string): readonly SchemaStep[] {
  const version = (known.at(-1)?.version ?? 0) + 1
  return [...known, { version, name: `${version}_next.sql`, sql, sha256: 'f'.repeat(64) }]
}

const later = nextStep(`
  ALTER TABLE hookdrift.run ADD COLUMN note text;
  UPDATE hookdrift.run SET note = 'of run ' || number;
  ALTER TABLE hookdrift.run ALTER COLUMN note SET NOT NULL`)

describe.skipIf(!hasPostgres)('a history whose schema has a further step', () => {
  let place: TestDatabase
  let db: PostgresDatabase
  beforeEach(async () => {
    place = await makeDatabase()
    db = connect(place.server)
    const history = await openPostgresHistory(place.server, new Machines().process(1))
    await (await history.begin(aStart(now))).abandon(now)
    await history.close()
  })
  afterEach(async () => {
    await db.close()
    await place.remove()
  })
  const state = (steps?: readonly SchemaStep[]) => readSchemaState(db, db, steps)
  const [old, next] = [known.at(-1)?.version, later.at(-1)?.version]

  it('is upgraded once, by however many processes, with what it holds', async () => {
    expect(await state(later)).toEqual({ has: old, knows: next })
    const others = [1, 2, 3].map(() => connect(place.server))
    const taken = await Promise.all(others.map((other) => upgradeSchema(other, now, later)))
    expect(taken.toSorted()).toEqual([0, 0, 1])
    expect(await db.all('SELECT number, note FROM hookdrift.run')).toEqual([{ number: 1, note: 'of run 1' }])
    expect(await state(later)).toEqual({ has: next, knows: next })
    await Promise.all(others.map((other) => other.close()))
  })

  it('is as it was where a part of the step fails', async () => {
    const broken = nextStep('ALTER TABLE hookdrift.run ADD COLUMN note text; SELECT 1/0')
    await expect(upgradeSchema(db, now, broken)).rejects.toThrow('division by zero')
    expect(await state(later)).toEqual({ has: old, knows: next })
    expect(await upgradeSchema(db, now, later)).toBe(1)
  })

  it('is waited for by the program that needs it, and refused by the one before', async () => {
    expect(() => refuseOtherSchema(db.shown, { has: old ?? 0, knows: next ?? 0 })).toThrow(
      expect.objectContaining({ exitCode: 4, isPassing: true, advice: expect.stringContaining('history upgrade') }),
    )
    await upgradeSchema(db, now, later)
    const refused = { exitCode: 4, advice: 'use the newer hookdrift that wrote it' }
    await expect(ensureSchema(db, now)).rejects.toMatchObject(refused)
    await expect(upgradeSchema(db, now)).rejects.toMatchObject(refused)
    await expect(openPostgresHistory(place.server, new Machines().process(1))).rejects.toMatchObject(refused)
  })

  it('is upgraded by a person after a dump only', async () => {
    const verify = () => Promise.reject(new Error('nothing is verified here'))
    const history = movableDatabase(db, new Machines().process(1), verify, later)
    await expect(history.upgrade(false)).rejects.toMatchObject({
      exitCode: 2,
      message: expect.stringMatching(/has runs, and an upgrade from schema 1 to 2 is for good$/),
      advice: expect.stringMatching(/^take a dump .*--yes$/),
    })
    expect(await history.upgrade(true)).toEqual({ from: 1, to: 2 })
  })

  it('is refused where a step has another text than the one that was taken', async () => {
    await upgradeSchema(db, now, later)
    const altered = later.map((step) => (step.version === next ? { ...step, sha256: '0'.repeat(64) } : step))
    await expect(upgradeSchema(db, now, altered)).rejects.toMatchObject({
      message: `the history ${db.shown} was made with another text of migration 2`,
    })
  })

  it.each([
    ['has the first step with another text', 'SET sha256 = repeat($$0$$, 64)'],
    ['has no first step', 'SET version = 16'],
  ])('of a checkout from before the first release is refused: it %s', async (_, edit) => {
    await db.run(`UPDATE hookdrift.migration ${edit}`)
    const refused = {
      exitCode: 4,
      message: `the history ${db.shown} was made by a checkout from before the first release`,
    }
    await expect(openPostgresHistory(place.server, new Machines().process(1))).rejects.toMatchObject(refused)
    await expect(upgradeSchema(db, now)).rejects.toMatchObject(refused)
    await expect(refuseMissing(place.server)).rejects.toMatchObject(refused)
  })
})
