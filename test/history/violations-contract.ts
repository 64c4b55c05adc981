import { beforeEach, describe, expect, it } from 'vitest'
import type { Draft, History } from '../../src/history/history.ts'
import { listViolations } from '../../src/history/sql/list-violations.ts'
import { readRunRecord } from '../../src/history/sql/read-run.ts'
import { readResolvedBetween, readViolationsAt } from '../../src/history/sql/violations.ts'
import type { NewVersion } from '../../src/history/staged.ts'
import type { JsonObject } from '../../src/model/json.ts'
import { cutList, readFirst, type SortKey } from '../../src/questions/choose-violations.ts'
import { openContractFixture, type Place } from './contract-fixture.ts'
import { activeIn, activeViolationOf, knownIn } from './known-in.ts'
import { anEnding, at, aVersion, aViolation, endedAs, instead, only, orders, payments } from './samples.ts'
import { confirming, ending, opening, turning } from './violation-steps.ts'

/** What every backend promises of violations. */
export function describeViolations(name: string, makePlace: () => Place): void {
  describe(`${name}: a violation`, () => {
    const fixture = openContractFixture(makePlace)
    let history: History
    beforeEach(() => {
      history = fixture.history
    })
    const { begin, run } = fixture

    const shown = async (work: (draft: Draft) => Promise<unknown>) =>
      (await run(work)).violations.map(({ uid, state, first_seen, last_seen }) => ({
        uid,
        state,
        first_seen,
        last_seen,
      }))

    it('is opened by the run that finds it and continues after', async () => {
      const first = await run(opening('a'))
      expect(first.violations).toMatchObject([{ uid: 'a', state: 'opened', first_seen: at(1), last_seen: at(1) }])
      const continuing = { uid: 'a', state: 'continuing', first_seen: at(1) }
      expect(await shown(confirming('a'))).toEqual([{ ...continuing, last_seen: at(2) }])
      expect(await shown(confirming('a'))).toEqual([{ ...continuing, last_seen: at(3) }])
    })

    it('has the owner of its endpoint, or of the endpoint of its subscription, as of each run', async () => {
      const version = (uid: string, attributes: JsonObject, other: Partial<NewVersion> = {}) =>
        aVersion(uid, attributes, other)
      await run(async (draft) => {
        await draft.stage(payments, [
          version('a', { owner_id: 'tenant-01' }),
          version('b', { owner_id: 7 }),
          version('u', { endpoint_uid: 'a' }, { kind: 'subscription' }),
        ])
        const found = [aViolation('a'), aViolation('b'), aViolation('gone'), aViolation('u', { kind: 'subscription' })]
        await draft.stageViolations(payments, { confirmed: [], violations: found })
      })
      await run(async (draft) => {
        const replaces = (await knownIn(draft, payments, 'endpoint', ['a'])).get('a')?.id
        await draft.stage(payments, [version('a', { owner_id: 'tenant-02' }, { replaces })])
        await ending('a')(draft)
      })
      const ownersIn = async (number: number) =>
        (await readRunRecord(history, number))?.violations.map(({ uid, owner }) => [uid, owner]).sort()
      const atFirst = [
        ['a', 'tenant-01'],
        ['b', null],
        ['gone', null],
        ['u', 'tenant-01'],
      ]
      expect(await ownersIn(1)).toEqual(atFirst)
      expect((await readViolationsAt(history, 1)).map(({ uid, owner }) => [uid, owner]).sort()).toEqual(atFirst)
      expect((await ownersIn(2))?.find(([uid]) => uid === 'u')).toEqual(['u', 'tenant-02'])
      const resolved = await readResolvedBetween(history, 1, 2)
      expect(resolved.map(({ uid, owner }) => [uid, owner])).toEqual([['a', 'tenant-02']])
    })

    it('is given among the first ones: by a key, active before resolved, and in the order of reports', async () => {
      await run((draft) =>
        draft.stageViolations(payments, {
          confirmed: [],
          violations: [aViolation('a', { severity: 'low' }), aViolation('b'), aViolation('c'), aViolation('d')],
        }),
      )
      await run(ending('b'))
      await run(ending('c'))
      await run(opening('e'))
      const listed = await listViolations(history, { run: 4, resolvedAfter: 0 })
      const first = async (most: number, sortKey?: SortKey, of = listed) =>
        (await readFirst(history, of, { most, ...(sortKey && { sortKey }) })).map(({ uid }) => uid)
      expect(await first(9)).toEqual(['e', 'd', 'a', 'c', 'b'])
      expect(await first(1)).toEqual(['e'])
      expect(await first(4)).toEqual(['e', 'd', 'a', 'c'])
      const read = listed.map(({ uid, state, severity, run, first_seen }) => [uid, state, severity, run, first_seen])
      expect(read.sort()).toEqual([
        ['a', 'continuing', 'low', 4, at(1)],
        ['b', 'resolved', 'high', 2, at(1)],
        ['c', 'resolved', 'high', 3, at(1)],
        ['d', 'continuing', 'high', 4, at(1)],
        ['e', 'opened', 'high', 4, at(4)],
      ])
      expect(await first(3, ({ first_seen }) => Date.parse(first_seen))).toEqual(['d', 'a', 'c'])
      const of = async (run: number, resolvedAfter?: number) =>
        first(9, undefined, await listViolations(history, { run, resolvedAfter }))
      expect(await of(4, 2)).toEqual(['e', 'd', 'a', 'c'])
      expect(await of(4)).toEqual(['e', 'd', 'a'])
      expect(await of(2, 0)).toEqual(['c', 'd', 'a', 'b'])
      const apart = [...(await readViolationsAt(history, 4)), ...(await readResolvedBetween(history, 0, 4))]
      expect(await readFirst(history, listed, { most: 9 })).toEqual(apart)
    })

    it.each(['a\0b', 'a\u0001b', 'a"\\b%_*', '\u{1f600}x'])('is listed by its resource: %j', async (uid) => {
      await run(opening(uid, 'plain'))
      const listed = await listViolations(history, { run: 1 })
      const found = await readFirst(history, listed, { most: 9 })
      for (const all of [listed, found]) expect(all.map((one) => one.uid).sort()).toEqual([uid, 'plain'].sort())
    })

    it('is found by what was listed before later runs ended it', async () => {
      await run(opening('a', 'b', 'c'))
      const lists = [await listViolations(history, { run: 1 })]
      await run(ending('b'))
      lists.push(await listViolations(history, { run: 1 }))
      await run(ending('c'))
      lists.push(await listViolations(history, { run: 1 }))
      for (const listed of lists) {
        const { page, ...around } = cutList(listed, { most: 2 })
        expect([page.map(({ uid }) => uid), around]).toEqual([['a', 'b'], { before: 0, after: 1 }])
        expect((await readFirst(history, page, { most: 2 })).map(({ uid }) => uid)).toEqual(['a', 'b'])
        const [, last] = page
        const cursor = last && { ...last, sortKey: 0, isEnd: false }
        const next = cutList(listed, { most: 2, cursor })
        expect([next.page.map(({ uid }) => uid), next.before, next.after]).toEqual([['c'], 2, 0])
        expect((await readFirst(history, next.page, { most: 2 })).map(({ uid }) => uid)).toEqual(['c'])
      }
    })

    it('keeps who accepted it while it is waived', async () => {
      const waiver = { owner: 'payments', reason: 'moves to TLS', expires: at(99), ticket: '4711' }
      const waived = await run((draft) =>
        draft.stageViolations(payments, {
          confirmed: [],
          violations: [aViolation('a', { state: 'waived', waiver })],
        }),
      )
      expect(waived.violations).toMatchObject([{ uid: 'a', state: 'waived', waiver }])
      const reopened = await run(async (draft) => {
        expect((await activeViolationOf(draft, 'a')).waiver).toEqual(waiver)
        await turning('a', { state: 'open', waiver: undefined })(draft)
      })
      expect(reopened.violations).toMatchObject([{ uid: 'a', state: 'continuing', first_seen: at(1) }])
      expect(only(reopened.violations)).not.toHaveProperty('waiver')
      expect(await readRunRecord(history, 1)).toEqual(waived)
    })

    it('is given as active before this run, by resource', async () => {
      await run(opening('a', 'b'))
      const draft = await begin()
      await draft.stageViolations(payments, { confirmed: [], violations: [aViolation('c')] })
      const { lastRun, replaces, ...violation } = aViolation('b')
      const active = await activeIn(draft, payments, 'endpoint', ['b', 'c', 'no-such-endpoint'])
      expect(active).toEqual([{ ...violation, id: only(active).id, firstRun: 1 }])
      expect(await activeIn(draft, payments, 'subscription', ['b'])).toEqual([])
      expect(await activeIn(draft, orders, 'endpoint', ['b'])).toEqual([])
    })

    it('is listed when it was neither confirmed nor replaced', async () => {
      await run(opening('a', 'b', 'c'))
      const draft = await begin()
      const [a, b] = [await activeViolationOf(draft, 'a'), await activeViolationOf(draft, 'b')]
      const violations = [instead(b, { message: 'other words' }), aViolation('new')]
      await draft.stageViolations(payments, { confirmed: [a.id], violations })
      expect(await draft.unconfirmedViolations(payments)).toEqual([await activeViolationOf(draft, 'c')])
      expect(await draft.unconfirmedViolations(orders)).toEqual([])
    })

    it('is listed by rule, for several projects at once', async () => {
      await run(opening('a', 'b'))
      const draft = await begin()
      const [a, b] = [await activeViolationOf(draft, 'a'), await activeViolationOf(draft, 'b')]
      await draft.stageViolations(payments, { confirmed: [a.id], violations: [aViolation('new')] })
      const both = [payments, orders]
      expect(await draft.unconfirmedBy([b.rule, 'no/such-rule'], both)).toEqual(new Map([[payments.name, [b]]]))
      expect(await draft.unconfirmedBy(['no/such-rule'], both)).toEqual(new Map())
      expect(await draft.unconfirmedBy([], both)).toEqual(new Map())
      expect(await draft.unconfirmedBy([b.rule], [orders])).toEqual(new Map())
    })

    it('is listed by its age, as the run leaves it', async () => {
      await run(opening('a', 'b', 'c', 'd'))
      const draft = await begin()
      const [a, b] = [await activeViolationOf(draft, 'a'), await activeViolationOf(draft, 'b')]
      const c = await activeViolationOf(draft, 'c')
      await draft.stageViolations(payments, {
        confirmed: [a.id],
        violations: [instead(b, { severity: 'low', message: 'other words' }), aViolation('new')],
      })
      await draft.endViolations(payments, endedAs([c.id], 'accepted'))
      type Before = Parameters<Draft['oldViolations']>[1]
      const listed = async (before: Before, project = payments) =>
        (await draft.oldViolations(project, before))
          .map(({ uid, message, first_seen, ending }) => [uid, message, first_seen, ending])
          .sort(([x], [y]) => ((x ?? '') < (y ?? '') ? -1 : 1))
      const ofLow = ['b', 'other words', at(1), undefined]
      const others = [
        ['a', a.message, at(1), undefined],
        ['c', c.message, at(1), anEnding('accepted')],
        ['d', 'd is reached without TLS', at(1), undefined],
      ]
      expect(await listed({ low: at(2) })).toEqual([ofLow])
      expect(await listed({ [a.severity]: at(2) })).toEqual(others)
      expect(await listed({ [a.severity]: at(1), low: at(1) })).toEqual([])
      expect(await listed({})).toEqual([])
      expect(await listed({ low: at(2) }, orders)).toEqual([])
    })

    it('is not resolved by another wording', async () => {
      await run(opening('a'))
      const record = await run(turning('a', { message: 'other words', severity: 'low' }))
      expect(record.violations).toMatchObject([
        { uid: 'a', state: 'continuing', message: 'other words', severity: 'low', first_seen: at(1), last_seen: at(2) },
      ])
      expect((await readRunRecord(history, 1))?.violations).toMatchObject([{ state: 'opened', severity: 'high' }])
    })

    it('is resolved by its end, last seen by the last run that scanned its project', async () => {
      await run(opening('a'))
      await run()
      await run(async () => {}, [orders])
      expect(await shown(ending('a'))).toEqual([{ uid: 'a', state: 'resolved', first_seen: at(1), last_seen: at(2) }])
      expect(await shown(async () => {})).toEqual([])
    })

    it('keeps the time it was last seen while it is unknown, and after', async () => {
      await run(opening('a'))
      await run()
      const doubt = async (draft: Draft) =>
        turning('a', { state: 'unknown', lastRun: await draft.lastScannedRun(payments) })(draft)
      const unknown = { uid: 'a', state: 'unknown', first_seen: at(1), last_seen: at(2) }
      expect(await shown(doubt)).toEqual([unknown])
      expect(await shown(async () => {})).toEqual([unknown])
      expect(await shown(ending('a'))).toEqual([{ uid: 'a', state: 'resolved', first_seen: at(1), last_seen: at(2) }])
    })

    it('is open again, first seen when it was first seen, after it was unknown or waived', async () => {
      await run(opening('a'))
      const become = (state: 'open' | 'unknown' | 'waived') => turning('a', { state })
      expect(await shown(become('waived'))).toMatchObject([{ state: 'waived', first_seen: at(1) }])
      expect(await shown(become('open'))).toMatchObject([{ state: 'continuing', first_seen: at(1), last_seen: at(3) }])
      expect(await shown(become('unknown'))).toMatchObject([{ state: 'unknown', first_seen: at(1) }])
      expect(await shown(become('open'))).toMatchObject([{ state: 'continuing', first_seen: at(1), last_seen: at(5) }])
    })

    it('is shown only for projects that a run scanned', async () => {
      await run(
        async (draft) => {
          await opening('a')(draft)
          await draft.stageViolations(orders, { confirmed: [], violations: [aViolation('z', {}, orders)] })
        },
        [payments, orders],
      )
      const second = await run(async () => {}, [orders])
      expect(second.violations.map(({ project, uid }) => [project, uid])).toEqual([['acme/orders', 'z']])
      const third = await run()
      expect(third.violations).toMatchObject([{ project: 'acme/payments', uid: 'a', state: 'continuing' }])
    })
  })
}
