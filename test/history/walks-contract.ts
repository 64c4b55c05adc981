import { describe, expect, it } from 'vitest'
import { readCompleteScans } from '../../src/history/sql/scans.ts'
import type { CoverageStatus } from '../../src/model/coverage.ts'
import type { Listing } from '../../src/model/resource.ts'
import { openContractFixture, type Place } from './contract-fixture.ts'
import { knownIn, markIn } from './known-in.ts'
import { aChange, aCoverage, aStart, at, aVersion, aViolation, commit, orders, payments, walkAll } from './samples.ts'

/** What every backend promises of walks, and of a project whose walks are discarded. */
export function describeWalks(name: string, makePlace: () => Place): void {
  describe(`${name}: the contract of walks`, () => {
    const fixture = openContractFixture(makePlace)
    const { begin, run, stateOf, doEverything, aFirstRun } = fixture

    describe('scans', () => {
      /** A run of walks only: `['endpoints', 'partial']`. */
      async function scan(...walks: [Listing, CoverageStatus][]) {
        const draft = await begin()
        await draft.stageScan(payments)
        for (const [listing, status] of walks) await draft.stageWalk(payments, aCoverage(listing, status), undefined)
        await commit(draft)
      }
      const baselines = async () => {
        const draft = await begin()
        const found = await readCompleteScans(draft.past, payments, draft.run - 1)
        await draft.abandon(at(99))
        return found
      }

      it('give the last complete scan of each listing for its kinds', async () => {
        for (const [project, endpoints, sources, subscriptions] of [
          ['complete', 'complete', 'complete', 'complete'],
          ['skipped', 'partial', 'failed', 'complete'],
          ['failed', 'suspect', 'partial', 'partial'],
        ] as const)
          await scan(
            ['project', project],
            ['endpoints', endpoints],
            ['sources', sources],
            ['subscriptions', subscriptions],
          )
        expect(await baselines()).toEqual({
          project: { run: 1, listing: 'project', filter: null, normaliser: 1 },
          endpoint: { run: 1, listing: 'endpoints', filter: null, normaliser: 1 },
          source: { run: 1, listing: 'sources', filter: null, normaliser: 1 },
          subscription: { run: 2, listing: 'subscriptions', filter: null, normaliser: 1 },
          device: { run: 2, listing: 'subscriptions', filter: null, normaliser: 1 },
        })
      })

      it('give the subscriptions for sources where those are not listed', async () => {
        await scan(['endpoints', 'complete'], ['sources', 'complete'], ['subscriptions', 'complete'])
        await scan(['endpoints', 'complete'], ['sources', 'skipped'], ['subscriptions', 'complete'])
        expect((await baselines()).source).toEqual({ run: 2, listing: 'subscriptions', filter: null, normaliser: 1 })
        await scan(['endpoints', 'complete'], ['subscriptions', 'complete'])
        expect((await baselines()).source).toEqual({ run: 4, listing: 'subscriptions', filter: null, normaliser: 1 })
        await scan(['endpoints', 'complete'], ['sources', 'partial'], ['subscriptions', 'complete'])
        expect((await baselines()).source).toEqual({ run: 4, listing: 'subscriptions', filter: null, normaliser: 1 })
        await scan(['endpoints', 'complete'], ['sources', 'skipped'], ['subscriptions', 'partial'])
        expect((await baselines()).source).toEqual({ run: 4, listing: 'subscriptions', filter: null, normaliser: 1 })
        await scan(['endpoints', 'complete'], ['sources', 'complete'], ['subscriptions', 'complete'])
        expect((await baselines()).source).toEqual({ run: 10, listing: 'sources', filter: null, normaliser: 1 })
      })

      it('give nothing for a kind whose listing was never walked to its end', async () => {
        await scan(['project', 'partial'], ['endpoints', 'failed'], ['subscriptions', 'skipped'])
        expect(await baselines()).toEqual({})
        await scan(['project', 'complete'], ['endpoints', 'suspect'], ['sources', 'partial'])
        expect(Object.keys(await baselines())).toEqual(['project'])
      })

      it('give the event types, and the sources that were listed with the subscriptions or never', async () => {
        const filter = 'name=e'
        const draft = await begin()
        await draft.stageScan(payments)
        await draft.stageWalk(payments, { ...aCoverage('sources'), filter }, undefined)
        await draft.stageWalk(payments, aCoverage('subscriptions'), undefined)
        await draft.stageWalk(payments, aCoverage('event_types'), undefined)
        await commit(draft)
        expect(await baselines()).toMatchObject({
          source: { run: 1, listing: 'sources', filter },
          event_type: { run: 1, listing: 'event_types', filter: null },
        })
        expect(await readCompleteScans(fixture.history, orders, 1)).toEqual({})
      })

      it('give the normal form of the run of each', async () => {
        const first = await fixture.history.begin(aStart(at(1), { normaliser: 10 }))
        await first.stageScan(payments)
        await first.stageWalk(payments, aCoverage('sources'), undefined)
        await first.stageWalk(payments, aCoverage('endpoints'), undefined)
        await commit(first)
        const second = await fixture.history.begin(aStart(at(2), { normaliser: 20 }))
        await second.stageScan(payments)
        await second.stageWalk(payments, aCoverage('subscriptions'), undefined)
        await commit(second)
        const [older, newer] = [
          { run: 1, normaliser: 10 },
          { run: 2, normaliser: 20 },
        ]
        const found = await readCompleteScans(fixture.history, payments, 2)
        expect(found).toMatchObject({ endpoint: older, subscription: newer, source: newer })
        expect((await readCompleteScans(fixture.history, payments, 1)).source).toMatchObject({ run: 1, normaliser: 10 })
      })

      it('give the filter of the last complete scan', async () => {
        await scan(['endpoints', 'complete'], ['subscriptions', 'complete'])
        const filter = 'owner=tenant-03'
        const narrowed = await begin()
        await narrowed.stageScan(payments)
        await narrowed.stageWalk(payments, { ...aCoverage('endpoints'), filter }, undefined)
        await narrowed.stageWalk(payments, { ...aCoverage('subscriptions'), filter }, undefined)
        expect((await commit(narrowed)).coverage).toMatchObject([{ filter }, { filter }])
        expect(await baselines()).toEqual({
          endpoint: { run: 2, listing: 'endpoints', filter, normaliser: 1 },
          source: { run: 2, listing: 'subscriptions', filter, normaliser: 1 },
          subscription: { run: 2, listing: 'subscriptions', filter, normaliser: 1 },
          device: { run: 2, listing: 'subscriptions', filter, normaliser: 1 },
        })
      })

      it('give the last scan of a project and the last shape of a listing', async () => {
        const first = await begin()
        await first.stageScan(payments)
        await first.stageWalk(payments, aCoverage('endpoints'), ['/name', '/url'])
        await commit(first)
        const second = await begin()
        await second.stageScan(payments)
        await second.stageWalk(payments, aCoverage('endpoints', 'failed'), undefined)
        await commit(second)
        await run(async () => {}, [orders])
        const draft = await begin()
        expect(await draft.lastScannedRun(payments)).toBe(2)
        expect(await draft.lastScannedRun(orders)).toBe(3)
        expect((await draft.historyOf(payments, undefined)).shapes).toEqual({ endpoints: ['/name', '/url'] })
      })

      it('are kept apart by service and identifier, not by project name', async () => {
        const twin = { name: 'a/b/c', service: 'a/b', uid: 'c' }
        const other = { name: 'a/b/c', service: 'a', uid: 'b/c' }
        await run((draft) => draft.stage(twin, [aVersion('a')]), [twin])
        const draft = await begin()
        expect((await knownIn(draft, other, 'endpoint', ['a'])).size).toBe(0)
        expect((await knownIn(draft, { ...twin, name: 'renamed/c' }, 'endpoint', ['a'])).size).toBe(1)
      })
    })

    describe('a discarded project', () => {
      it('is as if this run had not scanned it, except for its walk', async () => {
        await aFirstRun()
        const draft = await begin()
        const before = await stateOf(draft)
        await doEverything(draft)
        await draft.stage(payments, [])
        await walkAll(draft, orders)
        await draft.stage(orders, [aVersion('o')])
        await draft.stageChanges(orders, [aChange('o')])
        await draft.stageViolations(orders, { confirmed: [], violations: [aViolation('o', {}, orders)] })
        await draft.discard(payments)
        const { newlyMarked: _, ...after } = await stateOf(draft)
        const { newlyMarked: __, ...then } = before
        expect(after).toEqual(then)
        const record = await commit(draft)
        expect(record.changes.map(({ project }) => project)).toEqual(['acme/orders'])
        expect(record.violations.map(({ uid, state }) => [uid, state])).toEqual([
          ['o', 'opened'],
          ['a', 'continuing'],
          ['b', 'continuing'],
        ])
        expect(record.coverage).toHaveLength(5)
        const next = await begin()
        expect(await knownIn(next, payments, 'endpoint', ['a', 'b', 'c'])).toEqual(before.known.endpoint)
        expect((await knownIn(next, orders, 'endpoint', ['o'])).size).toBe(1)
        expect(await markIn(next, payments, 'source', ['s'])).toEqual(['s'])
      })

      it('may be staged again', async () => {
        await aFirstRun()
        const draft = await begin()
        await draft.stage(payments, [aVersion('c', { n: 1 })])
        await draft.discard(payments)
        await draft.stage(payments, [aVersion('c', { n: 2 })])
        await commit(draft)
        const next = await begin()
        expect((await next.versionsAt(payments, [{ kind: 'endpoint', uid: 'c', run: 2 }]))[0]?.attributes).toEqual({
          n: 2,
        })
      })
    })
  })
}
