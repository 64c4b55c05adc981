import { describe, expect, it } from 'vitest'
import { readVersionsAt } from '../../src/history/sql/state-at.ts'
import type { VersionPoint } from '../../src/history/stored-body.ts'
import { openContractFixture, type Place } from './contract-fixture.ts'
import { idOf, knownIn, markIn } from './known-in.ts'
import { aStart, at, aVersion, commit, orders, payments, walkAll } from './samples.ts'

/** What every backend promises of versions. */
export function describeVersions(name: string, makePlace: () => Place): void {
  describe(`${name}: a draft`, () => {
    const fixture = openContractFixture(makePlace)
    const { begin, run } = fixture

    it('gives bodies with their facts, the run that first saw them, the key that sealed them and the normal form', async () => {
      const facts = { '/secret': { min_length: 16, weak: ['common' as const] } }
      const plain = aVersion('a', { url: 'x' }, { normaliser: 7 })
      const sealed = aVersion('b', { secret: 'sealed:00' }, { facts: JSON.stringify(facts) })
      await run((draft) => draft.stage(payments, [plain, sealed]))
      const draft = await fixture.history.begin(aStart(at(2), { sealKeyId: 'key-2' }))
      const first = { fromRun: 1, since: at(1), sealKeyId: 'key-1' }
      const points = ['a', 'b'].map((uid) => ({ kind: 'endpoint', uid, run: 1 }) as const)
      expect(await draft.versionsAt(payments, points)).toEqual([
        { ...first, name: 'name of a', attributes: { url: 'x' }, facts: {}, normaliser: 7 },
        { ...first, name: 'name of b', attributes: { secret: 'sealed:00' }, facts, normaliser: 1 },
      ])
    })

    it('finds the version that was valid in a run', async () => {
      await run((draft) => draft.stage(payments, [aVersion('a', { n: 1 })]))
      await run()
      await run(async (draft) => draft.stage(payments, [aVersion('a', { n: 2 }, { replaces: await idOf(draft, 'a') })]))
      await run(async (draft) => draft.endVersions(payments, [await idOf(draft, 'a')]))
      await run()
      await run((draft) => draft.stage(payments, [aVersion('a', { n: 3 })]))
      const draft = await begin()
      const at = async (run: number) =>
        (await draft.versionsAt(payments, [{ kind: 'endpoint', uid: 'a', run }]))[0]?.attributes.n
      expect([await at(1), await at(2), await at(3)]).toEqual([1, 1, 2])
      expect([await at(4), await at(5), await at(6)]).toEqual([undefined, undefined, 3])
      expect(await draft.versionsAt(orders, [{ kind: 'endpoint', uid: 'a', run: 1 }])).toEqual([undefined])
    })

    it('answers several points in their order, to drafts and to readers alike', async () => {
      await run((draft) => draft.stage(payments, [aVersion('a', { n: 1 }), aVersion('b', { n: 2 })]))
      const draft = await begin()
      const points = [
        { kind: 'endpoint', uid: 'b', run: 1 },
        { kind: 'source', uid: 'a', run: 1 },
        { kind: 'endpoint', uid: 'a', run: 1 },
        { kind: 'endpoint', uid: 'b', run: 1 },
      ] as const
      const toReaders = (some: readonly VersionPoint[]) => readVersionsAt(fixture.history, payments, some)
      for (const ask of [toReaders, (some: readonly VersionPoint[]) => draft.versionsAt(payments, some)]) {
        expect((await ask(points)).map((version) => version?.attributes.n)).toEqual([2, undefined, 1, 2])
        expect(await ask([])).toEqual([])
      }
    })

    it('finds what it staged itself', async () => {
      const draft = await begin()
      await walkAll(draft)
      const staged = [
        aVersion('a', { url: 'here' }),
        aVersion('u', { source_uid: 's' }, { kind: 'subscription' }),
        aVersion('v', { source_uid: 's' }, { kind: 'subscription' }),
      ]
      await draft.stage(payments, staged)
      const [body] = await draft.versionsAt(payments, [{ kind: 'endpoint', uid: 'a', run: draft.run }])
      expect(body?.attributes).toEqual({ url: 'here' })
    })

    it('finds what it replaced as of the run before, and what it put there as of its own', async () => {
      await run((draft) => draft.stage(payments, [aVersion('a', { n: 1 }), aVersion('b', { n: 1 })]))
      const draft = await begin()
      await draft.stage(payments, [aVersion('a', { n: 2 }, { replaces: await idOf(draft, 'a') })])
      const point = (uid: string, run: number) => ({ kind: 'endpoint', uid, run }) as const
      const points = [point('a', draft.run), point('b', draft.run), point('a', draft.run - 1)]
      const versions = await draft.versionsAt(payments, points)
      expect(versions.map((version) => version?.attributes.n)).toEqual([2, 1, 1])
    })

    it('lists what was current before the run, also after the run replaced it', async () => {
      await run((draft) =>
        draft.stage(payments, [aVersion('b'), aVersion('a'), aVersion('a', {}, { kind: 'subscription' })]),
      )
      const draft = await begin()
      const before = await draft.current(payments)
      const { digest } = aVersion('a')
      const id = await idOf(draft, 'a')
      expect(before[0]).toEqual({
        id,
        kind: 'endpoint',
        uid: 'a',
        name: 'name of a',
        fromRun: 1,
        digest,
        sealKeyId: 'key-1',
        since: at(1),
        normaliser: 1,
        body: '{}',
        facts: '',
      })
      expect(before.map(({ kind, uid, name, fromRun }) => [kind, uid, name, fromRun])).toEqual([
        ['endpoint', 'a', 'name of a', 1],
        ['endpoint', 'b', 'name of b', 1],
        ['subscription', 'a', 'name of a', 1],
      ])
      await draft.stage(payments, [aVersion('b', { n: 2 }, { replaces: await idOf(draft, 'b') }), aVersion('new')])
      expect(await draft.current(payments)).toEqual(before)
      expect(await draft.current(orders)).toEqual([])
    })

    it('keeps a resource through a run that did not scan it', async () => {
      await run((draft) => draft.stage(payments, [aVersion('a')]))
      await run(async () => {}, [orders])
      const draft = await begin()
      expect((await knownIn(draft, payments, 'endpoint', ['a'])).get('a')?.fromRun).toBe(1)
      expect(await draft.current(payments)).toHaveLength(1)
    })

    it('reports once that a source is no longer referenced, until it is used again', async () => {
      const mark = async (...uids: string[]) => {
        let marked: readonly string[] = []
        await run(async (draft) => {
          marked = await markIn(draft, payments, 'source', uids)
        })
        return marked
      }
      expect(await mark('s1', 's2', 's1')).toEqual(['s1', 's2'])
      expect(await mark('s1', 's2', 's3')).toEqual(['s3'])
      expect(await mark('s2')).toEqual([])
      expect(await mark('s1', 's2')).toEqual(['s1'])
      expect(await mark()).toEqual([])
      expect(await mark('s1', 's2')).toEqual(['s1', 's2'])
      const draft = await begin()
      expect(await markIn(draft, payments, 'device', ['s1'])).toEqual(['s1'])
      expect(await markIn(draft, orders, 'source', ['s1'])).toEqual(['s1'])
      expect(await markIn(draft, payments, 'source', ['s1', 's9'])).toEqual(['s9'])
      // Thought better of in the same run: the last word counts.
      expect(await markIn(draft, payments, 'source', [])).toEqual([])
      expect(await markIn(draft, payments, 'source', ['s2'])).toEqual([])
      await commit(draft)
      expect(await mark('s1', 's2', 's9')).toEqual(['s1', 's9'])
    })
  })
}
