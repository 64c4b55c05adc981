import { describe, expect, it } from 'vitest'
import { keepNothing } from '../../src/history/retention.ts'
import { openContractFixture, type Place } from './contract-fixture.ts'
import { at } from './samples.ts'

/** What every backend promises of a history whose schema has a further step than this program's, or another text of one. */
export function describeSchema(name: string, makePlace: () => Place): void {
  describe(`${name}: a history of another schema`, () => {
    const fixture = openContractFixture(makePlace)

    const step = "ALTER TABLE hookdrift.run ADD COLUMN note text; UPDATE hookdrift.run SET note = 'of run ' || number"
    const rows = (sql: string) => fixture.place.inDatabase((db) => db.all(sql))
    const open = () => fixture.place.open(fixture.machines.process(200))

    it('has taken a step once, with what it holds', async () => {
      await fixture.run()
      await fixture.place.upgrade(step)
      await fixture.place.upgrade(step)
      expect(await rows('SELECT number, note FROM hookdrift.run')).toEqual([{ number: 1, note: 'of run 1' }])
      const steps = await rows('SELECT version, name, applied_at FROM hookdrift.migration ORDER BY version')
      expect(steps).toMatchObject([{ version: 1 }, { version: 2, name: '0002_next.sql', applied_at: at(5) }])
    })

    it('is as it was where a part of the step fails', async () => {
      await fixture.run()
      const broken = `${step}; INSERT INTO hookdrift.nowhere VALUES (1)`
      await expect(fixture.place.upgrade(broken)).rejects.toThrow(/nowhere/)
      await expect(rows('SELECT note FROM hookdrift.run')).rejects.toThrow(/note/)
      await (await open()).close()
    })

    it('is refused by the program before', async () => {
      await fixture.place.upgrade(step)
      await expect(open()).rejects.toMatchObject({
        exitCode: 4,
        message: expect.stringMatching(/^the history .* has schema 2, this hookdrift knows 1$/),
        advice: 'use the newer hookdrift that wrote it',
      })
    })

    it('is refused where a step has another text than the one that was taken', async () => {
      await fixture.place.upgrade(step)
      await expect(fixture.place.upgrade(`${step};`)).rejects.toMatchObject({
        exitCode: 4,
        message: expect.stringMatching(/^the history .* was made with another text of migration 2$/),
      })
    })

    it.each([
      ['has the first step with another text', "SET sha256 = '0'"],
      ['has no first step', 'SET version = 16'],
    ])('is refused as one of a checkout from before the first release: it %s', async (_, edit) => {
      await fixture.run()
      await fixture.place.inDatabase((db) => db.run(`UPDATE hookdrift.migration ${edit}`))
      const refused = {
        exitCode: 4,
        message: expect.stringMatching(/^the history .* was made by a checkout from before the first release$/),
        advice: 'read it with that checkout; audits need a new history: move this one away, or name another',
      }
      await expect(open()).rejects.toMatchObject(refused)
      await expect(fixture.place.upgrade(step)).rejects.toMatchObject(refused)
      const upkeep = await fixture.place.upkeep(fixture.machines.process(200))
      await expect(upkeep.chainOf(1)).rejects.toMatchObject(refused)
      await expect(upkeep.planPruning({ ...keepNothing, last: 1 })).rejects.toMatchObject(refused)
    })
  })
}
