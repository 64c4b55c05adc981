import { beforeEach, describe, expect, it } from 'vitest'
import type { Cause } from '../../src/history/cause.ts'
import type { Draft, History } from '../../src/history/history.ts'
import type { StagedChange } from '../../src/history/records.ts'
import { readCause, readCausesAt } from '../../src/history/sql/causes.ts'
import { readRunRecord } from '../../src/history/sql/read-run.ts'
import { listRuns } from '../../src/history/sql/runs.ts'
import { readCompleteScans } from '../../src/history/sql/scans.ts'
import { noHistory } from '../../src/history/staged.ts'
import { AuditError } from '../../src/model/errors.ts'
import { openContractFixture, type Place } from './contract-fixture.ts'
import { activeIn, knownIn } from './known-in.ts'
import {
  aChange,
  aContext,
  aCoverage,
  aNotice,
  aStart,
  at,
  aVersion,
  aViolation,
  commit,
  latestRun,
  orders,
  payments,
  walkAll,
} from './samples.ts'

/** What every backend promises of runs. */
export function describeRuns(name: string, makePlace: () => Place): void {
  describe(`${name}: a history`, () => {
    const fixture = openContractFixture(makePlace)
    let history: History
    beforeEach(() => {
      history = fixture.history
    })
    const { begin, run, stateOf, doEverything, aFirstRun } = fixture

    it('has no run at first', async () => {
      expect(await latestRun(history)).toBeUndefined()
      expect(await listRuns(history)).toEqual([])
      expect(await readRunRecord(history, 1)).toBeUndefined()
      const draft = await begin()
      expect(draft.run).toBe(1)
      expect(draft.interrupted).toEqual([])
      expect(await readCompleteScans(draft.past, payments, draft.run - 1)).toEqual({})
      expect(await draft.lastScannedRun(payments)).toBeUndefined()
      expect(await draft.historyOf(payments, at(0))).toEqual(noHistory)
      expect(await knownIn(draft, payments, 'endpoint', ['a'])).toEqual(new Map())
      expect(await draft.versionsAt(payments, [{ kind: 'endpoint', uid: 'a', run: 0 }])).toEqual([undefined])
      expect(await draft.current(payments)).toEqual([])
      expect(await draft.unconfirmedViolations(payments)).toEqual([])
    })

    it('says which runs were under the same policy, configuration and tool as this one', async () => {
      const others = [
        {},
        { policyDigest: 'other' },
        { configurationDigest: 'other' },
        { toolVersion: '0.2.0' },
        { failOn: 'low' },
      ] as const
      for (const [index, other] of others.entries()) {
        const draft = await history.begin(aStart(at(index + 1), other))
        await walkAll(draft)
        await commit(draft)
      }
      const draft = await history.begin(aStart(at(7)))
      const other = (isPolicyAlike: boolean) => ({ isPolicyAlike, version: '0.1.0' })
      expect(await draft.otherRules([1, 2, 3, 4, 5, 99])).toEqual(
        new Map([
          [2, other(false)],
          [3, other(false)],
          [4, other(true)],
        ]),
      )
      expect(await draft.otherRules([5])).toEqual(new Map())
      expect(await draft.otherRules([])).toEqual(new Map())
    })

    it('reads back a committed run, with the record that the commit got', async () => {
      const draft = await history.begin(aStart(at(1), { failOn: 'low', policyDigest: 'p', configurationDigest: 'c' }))
      await walkAll(draft)
      await draft.stageNotice(payments, aNotice('endpoints', 'the shape changed'))
      const fields = [{ path: '/url', before: null, after: { a: [1, 'x'] } }]
      const modified = aChange('a', { change: 'modified', fields, referrers: ['u1', 'u2'] })
      await draft.stageChanges(payments, [modified])
      await draft.stageViolations(payments, { confirmed: [], violations: [aViolation('a')] })
      await draft.stageContext(aContext())
      let asked: unknown
      const committed = await draft.commit(at(2), (record) => {
        asked = record
        return 1
      })
      const { state, firstRun, lastRun, originRun, replaces, waiver, ...finding } = aViolation('a')
      expect(committed).toEqual({
        number: 1,
        started_at: at(1),
        finished_at: at(2),
        fail_on: 'low',
        tool_version: '0.1.0',
        policy_digest: 'p',
        configuration_digest: 'c',
        chain: committed.chain,
        ...aContext(),
        coverage: [
          { project: 'acme/payments', ...aCoverage('endpoints') },
          { project: 'acme/payments', ...aCoverage('subscriptions') },
        ],
        notices: [{ project: 'acme/payments', ...aNotice('endpoints', 'the shape changed') }],
        changes: [
          {
            project: 'acme/payments',
            ...modified,
            between: { after: null, before: at(2), after_run: null, before_run: 1 },
          },
        ],
        violations: [
          {
            ...finding,
            state: 'opened',
            owner: null,
            project: 'acme/payments',
            first_seen: at(1),
            last_seen: at(1),
            resolution: null,
            ended_by: null,
          },
        ],
        accepted: [],
        causes: [],
        notes: [],
      })
      // A link covers the exit code, so the record that gives it has none yet.
      expect(asked).toEqual({ ...committed, chain: null })
      expect(await readRunRecord(history, 1)).toEqual(committed)
      expect(await latestRun(history)).toBe(1)
    })

    it('shows nothing of a draft before its commit', async () => {
      const first = await aFirstRun()
      const draft = await begin()
      const before = await stateOf(draft)
      await doEverything(draft)
      const reader = await fixture.place.open(fixture.machines.process(200))
      expect(await latestRun(reader)).toBe(1)
      expect(await readRunRecord(reader, 1)).toEqual(first)
      expect(await readRunRecord(reader, 2)).toBeUndefined()
      expect(await readCompleteScans(draft.past, payments, draft.run - 1)).toEqual(before.baselines)
      expect(await knownIn(draft, payments, 'endpoint', ['a', 'b', 'c'])).toEqual(before.known.endpoint)
      await commit(draft)
      expect(await latestRun(reader)).toBe(2)
      expect(await readRunRecord(reader, 1)).toEqual(first)
      expect((await readRunRecord(reader, 2))?.changes).toHaveLength(2)
      await reader.close()
    })

    it('reads what changes have in common, and what is left of it in later runs', async () => {
      const rename = (uid: string, before: string, after: string) =>
        aChange(uid, { change: 'modified', fields: [{ path: '/name', before, after }] })
      await run((draft) =>
        draft.stage(
          payments,
          ['a', 'b', 'c'].map((uid) => aVersion(uid)),
        ),
      )
      const opened = (uid: string) => aViolation(uid, { path: '/name' })
      const found = await run(async (draft) => {
        await draft.stageChanges(payments, [rename('a', 'x', 'y'), rename('b', 'x', 'y'), rename('c', 'x', 'z')])
        await draft.stageViolations(payments, { confirmed: [], violations: ['a', 'b'].map(opened) })
      })
      const shown = (causes: readonly Cause[]) =>
        causes.map(({ id, first_run, resources }) => [
          id,
          first_run,
          ...resources.map(({ uid, violations }) => `${uid} ${violations.length}`),
        ])
      const [cause] = found.causes
      expect(shown(found.causes)).toEqual([[cause?.id, 2, 'a 1', 'b 1']])
      const confirmAll = async (draft: Draft) => {
        const active = [...(await activeIn(draft, payments, 'endpoint', ['a', 'b'])).values()].flat()
        await draft.stageViolations(payments, { confirmed: active.map(({ id }) => id), violations: [] })
      }
      const later = await run(async (draft) => {
        await confirmAll(draft)
        await draft.stageChanges(payments, [rename('a', 'y', 'x')])
      })
      expect(shown(later.causes)).toEqual([[cause?.id, 2, 'b 1']])
      expect(shown(await readCausesAt(history, 3))).toEqual(shown(later.causes))
      expect(shown(await readCausesAt(history, 2))).toEqual(shown(found.causes))
      const named = await readCause(history, cause?.id ?? '', 3)
      expect(named).toMatchObject({ resources: [{ uid: 'b' }] })
      expect(await readCause(history, cause?.id ?? '', 1)).toBeUndefined()
      expect(await readCause(history, '2-00000000', 3)).toBeUndefined()
    })

    it('finds causes for a reader of some projects as if there were no others', async () => {
      const limitLost = (limit: number) => [{ path: '/rate_limit', before: limit, after: 0 }]
      const twoFields = [...limitLost(100), { path: '/name', before: 'x', after: 'y' }]
      const modified = (uid: string, fields: StagedChange['fields']) => aChange(uid, { change: 'modified', fields })
      const removed = (...uids: readonly string[]) => uids.map((uid) => aChange(uid, { change: 'removed' }))
      await run(async (draft) => {
        await draft.stage(
          payments,
          ['a', 'b', 'c'].map((uid) => aVersion(uid)),
        )
        await draft.stage(
          orders,
          ['d', 'e', 'f', 'g'].map((uid) => aVersion(uid)),
        )
      })
      const { causes } = await run(async (draft) => {
        await draft.stageChanges(payments, [modified('a', limitLost(100)), modified('b', twoFields), ...removed('c')])
        await draft.stageChanges(orders, [modified('d', limitLost(7)), ...removed('e', 'f', 'g')])
        const found = (uid: string, path: string) => aViolation(uid, { path })
        const ofPayments = [found('a', '/rate_limit'), found('b', '/rate_limit'), found('c', '')]
        await draft.stageViolations(payments, { confirmed: [], violations: ofPayments })
        await draft.stageViolations(orders, { confirmed: [], violations: [found('d', '/rate_limit'), found('e', '')] })
      })
      expect(causes.map(({ change, resources }) => [change, resources.length])).toEqual(
        expect.arrayContaining([
          ['modified', 3],
          ['removed', 4],
        ]),
      )
      const has = (name: string) => name === payments.name
      const mine = history.within({ has, mayHaveOf: () => true })
      const seen = await readCausesAt(mine, 2)
      expect((await readRunRecord(mine, 2))?.causes).toEqual(seen)
      expect(seen.map(({ change, fields, resources }) => [change, fields, resources.map(({ uid }) => uid)])).toEqual([
        ['modified', limitLost(100), ['a', 'b']],
      ])
      expect(await readCause(mine, seen[0]?.id ?? '', 2)).toEqual(seen[0])
      const ofAll = causes.find(({ change }) => change === 'removed')?.id ?? ''
      expect(await readCause(history, ofAll, 2)).toMatchObject({
        resources: ['c', 'e', 'f', 'g'].map((uid) => ({ uid })),
      })
      expect(await readCause(mine, ofAll, 2)).toBeUndefined()
    })

    it('leaves only the number of an abandoned run', async () => {
      const first = await aFirstRun()
      const abandoned = await begin()
      const before = await stateOf(abandoned)
      await doEverything(abandoned)
      await abandoned.abandon(at(9))
      expect(await latestRun(history)).toBe(1)
      expect(await readRunRecord(history, 2)).toBeUndefined()
      expect(await readRunRecord(history, 1)).toEqual(first)
      const next = await begin()
      expect(next.run).toBe(3)
      expect(next.interrupted).toEqual([])
      expect(await stateOf(next)).toEqual(before)
      await next.commit(at(9), () => 3)
      expect(await listRuns(history)).toEqual([
        { number: 1, started_at: at(1), finished_at: at(1.5) },
        { number: 3, started_at: at(3), finished_at: at(9) },
      ])
    })

    it('closes a killed run as interrupted, and reopens everything that it ended', async () => {
      const first = await aFirstRun()
      const killed = await begin()
      const before = await stateOf(killed)
      await doEverything(killed)
      fixture.owner.kill()
      await history.close()
      fixture.history = await fixture.place.open(fixture.machines.process(101))
      history = fixture.history
      const next = await begin()
      expect([next.run, next.interrupted]).toEqual([3, [2]])
      expect(await stateOf(next)).toEqual(before)
      await walkAll(next)
      await commit(next)
      expect(await readRunRecord(history, 1)).toEqual(first)
      expect(await readRunRecord(history, 2)).toBeUndefined()
      expect(await latestRun(history)).toBe(3)
    })

    it('writes nothing when the exit code cannot be computed', async () => {
      await aFirstRun()
      const draft = await begin()
      const before = await stateOf(draft)
      await doEverything(draft)
      const failing = draft.commit(at(3), () => {
        throw new Error('a bug')
      })
      await expect(failing).rejects.toThrow('a bug')
      expect(await latestRun(history)).toBe(1)
      await draft.abandon(at(3))
      expect(await stateOf(await begin())).toEqual(before)
    })

    it('writes nothing of a run that was abandoned or committed', async () => {
      await aFirstRun()
      const draft = await begin()
      const before = await stateOf(draft)
      await draft.stage(payments, [aVersion('c')])
      await draft.abandon(at(3))
      await draft.stageChanges(payments, [aChange('c')])
      await expect(commit(draft)).rejects.toMatchObject({ exitCode: 5 })
      const committed = await begin()
      expect(await stateOf(committed)).toEqual(before)
      const record = await commit(committed)
      await expect(commit(committed)).rejects.toThrow(AuditError)
      await committed.abandon(at(9))
      expect(await readRunRecord(history, committed.run)).toEqual(record)
    })
  })
}
