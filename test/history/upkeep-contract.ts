import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { describe, expect, it } from 'vitest'
import { keepNothing } from '../../src/history/retention.ts'
import type { NameKind } from '../../src/history/sql/read-names.ts'
import { AuditError } from '../../src/model/errors.ts'
import { type MakePlace, openContractFixture } from './contract-fixture.ts'
import { temporaryDatabasePaths } from './database-fixture.ts'
import { idOf } from './known-in.ts'
import { contentsIn, contentsOfFile, request } from './move/copied.ts'
import { at, aVersion, aViolation, payments } from './samples.ts'

/** What every backend promises of the upkeep, besides pruning. */
export function describeUpkeep(name: string, makePlace: MakePlace): void {
  describe(`${name}: the upkeep of a history`, () => {
    const fixture = openContractFixture(makePlace)
    const nextPath = temporaryDatabasePaths()

    it('makes no history where there is none', async () => {
      const place = makePlace({ isEmpty: true })
      const upkeep = await place.upkeep(fixture.machines.process(7))
      const keep = { ...keepNothing, last: 1 }
      const order = { keep, options: {}, toolVersion: '0.1.0' }
      const asked = [
        () => upkeep.chainOf(1),
        () => upkeep.planPruning(keep),
        () => upkeep.prune(order),
        () => upkeep.pruneWhenDue(order),
      ]
      for (const ask of asked) {
        const message = expect.stringMatching(/^there is no history at /)
        await expect(ask()).rejects.toMatchObject({ exitCode: 4, message })
      }
      expect((await place.size()).bytes).toBe(0)
      await place.dispose()
    })

    it('gives the chain of a run, and none of a run that is not there', async () => {
      const { chain } = await fixture.run()
      const upkeep = await fixture.place.upkeep(fixture.machines.process(7))
      expect(await upkeep.chainOf(1)).toBe(chain)
      expect(await upkeep.chainOf(2)).toBeUndefined()
    })

    it('backs a history up to a file, which has all of it, for its owner only', async () => {
      await fixture.aFirstRun()
      const upkeep = await fixture.place.upkeep(fixture.machines.process(7))
      const target = nextPath()
      const { bytes, verification } = await upkeep.backUp(target, { ...request, replace: false })
      expect(verification).toMatchObject({ ok: true, run: { number: 1 } })
      expect(statSync(target)).toMatchObject({ size: bytes, mode: 0o100600 })
      expect(readdirSync(dirname(target))).toEqual(['history.db'])
      const original = await fixture.place.inDatabase(contentsIn)
      expect(await contentsOfFile(target)).toEqual(original)
    })

    it('backs up over a file on request only, and only what verifies', async () => {
      await fixture.aFirstRun()
      const upkeep = await fixture.place.upkeep(fixture.machines.process(7))
      const target = nextPath()
      writeFileSync(target, 'mine')
      const refused = { exitCode: 2, message: `the file ${target} exists already` }
      await expect(upkeep.backUp(target, { ...request, replace: false })).rejects.toMatchObject(refused)
      expect(readFileSync(target, 'utf8')).toBe('mine')
      await upkeep.backUp(target, { ...request, replace: true })
      const contents = await contentsOfFile(target)
      await fixture.place.inDatabase((db) => db.run("UPDATE hookdrift.version SET body = '{}' || body"))
      for (const path of [target, nextPath()]) {
        await expect(upkeep.backUp(path, { ...request, replace: true })).rejects.toMatchObject({
          exitCode: 4,
          message: expect.stringContaining('does not verify: the body of '),
        })
        expect(existsSync(path)).toBe(path === target)
      }
      expect(await contentsOfFile(target)).toEqual(contents)
      expect(readdirSync(dirname(target)).filter((name) => !/-(?:wal|shm)$/.test(name))).toEqual(['history.db'])
    })

    it('names runs, projects, resources and violations that begin with a text', async () => {
      await fixture.aFirstRun()
      await fixture.run(async (draft) => draft.endVersions(payments, [await idOf(draft, 'b')]))
      await (await fixture.begin()).stage(payments, [aVersion('uncommitted')])
      const named = async (what: NameKind, prefix: string) =>
        (await fixture.place.namesOf(what, prefix)).map(({ value, about }) => [value, about])
      const [a, u] = [
        ['a', 'endpoint name of a'],
        ['u', 'subscription name of u'],
      ]
      expect(await named('runs', '')).toEqual([
        ['2', at(2)],
        ['1', at(1)],
      ])
      expect(await named('runs', '1')).toEqual([['1', at(1)]])
      expect(await named('projects', 'acme/p')).toEqual([[payments.name, '']])
      expect((await named('resources', '')).sort()).toEqual([a, u])
      expect(await named('resources', 'u')).toEqual([u])
      const { fingerprint, rule, name } = aViolation('b')
      expect(await named('violations', fingerprint.slice(0, 8))).toEqual([[fingerprint, `${rule} ${name}`]])
      for (const what of ['runs', 'projects', 'resources', 'violations'] as const)
        for (const prefix of ['%', '_', 'é']) expect(await named(what, prefix)).toEqual([])
    })

    it('names nothing where there is no history', async () => {
      const place = makePlace({ isEmpty: true })
      await expect(place.namesOf('runs', '')).rejects.toThrow(AuditError)
      await place.dispose()
    })
  })
}
