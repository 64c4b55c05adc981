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
import { openPostgresHistory } from '../../../src/history/postgres/postgres-history.ts'
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
  const state = (steps?: readonly SchemaStep[]) => readSchemaState(db, db.schema, steps)
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

  it('is refused where a released step has another text', async () => {
    const altered = later.map((step) => (step.version === old ? { ...step, sha256: '0'.repeat(64) } : step))
    await expect(upgradeSchema(db, now, altered)).rejects.toMatchObject({
      message: `the history was made with another text of migration ${old}`,
    })
  })
})
