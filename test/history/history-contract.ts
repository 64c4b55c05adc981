import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Draft, History, NewVersion } from '../../src/history/history.ts'
import type { StagedChange } from '../../src/history/records.ts'
import type { CoverageStatus } from '../../src/model/coverage.ts'
import { AuditError } from '../../src/model/errors.ts'
import type { Kind, Listing, ProjectRef } from '../../src/model/resource.ts'
import { Machines, type Process } from './processes.ts'
import {
  aChange,
  aContext,
  aCoverage,
  aNotice,
  aStart,
  at,
  aVersion,
  aViolation,
  instead,
  latestRun,
  only,
  orders,
  payments,
  seal,
  walkAll,
} from './samples.ts'

/** One history, wherever it lies, that several processes open. */
export interface Place {
  open(process: Process): History
  /** Says what is inconsistent in it, and removes it. */
  dispose(): Promise<string[]>
}

/** What every backend promises. */
export function describeHistory(name: string, makePlace: () => Place): void {
  describe(`${name}: the contract`, () => {
    let place: Place
    let machines: Machines
    let here: Process
    let history: History
    let hour: number

    beforeEach(() => {
      hour = 0
      place = makePlace()
      machines = new Machines()
      here = machines.process(100)
      history = place.open(here)
    })

    afterEach(async () => {
      await history.close()
      expect(await place.dispose()).toEqual([])
    })

    /** Begins the next run, at the hour of its number. */
    function begin(): Promise<Draft> {
      hour += 1
      return history.begin(aStart(at(hour)))
    }

    /** A whole run: walks the project, does what is asked, seals. */
    async function run(work: (draft: Draft) => Promise<unknown> = async () => {}, projects = [payments]) {
      const draft = await begin()
      for (const project of projects) await walkAll(draft, project)
      await work(draft)
      return seal(draft)
    }

    async function idOf(draft: Draft, uid: string, kind: Kind = 'endpoint', project = payments): Promise<number> {
      const known = (await draft.known(project, kind, [uid])).get(uid)
      if (known === undefined) throw new Error(`${uid} is not known`)
      return known.id
    }

    const standingOf = async (draft: Draft, uid: string) =>
      only(await draft.activeViolations(payments, 'endpoint', [uid]))

    /** Everything that can be asked about the state of a project. */
    async function stateOf(draft: Draft, project: ProjectRef = payments) {
      const uids = ['a', 'b', 'c', 's']
      const kinds: Kind[] = ['endpoint', 'subscription', 'source']
      const listings: Listing[] = ['endpoints', 'subscriptions', 'sources']
      const each = async <Key extends string, Value>(keys: readonly Key[], ask: (key: Key) => Promise<Value>) =>
        Object.fromEntries(await Promise.all(keys.map(async (key) => [key, await ask(key)] as const)))
      return {
        baselines: await draft.lastCompleteScans(project),
        lastLook: await draft.lastScannedRun(project),
        shapes: await each(listings, (listing) => draft.lastShape(project, listing)),
        known: await each(kinds, (kind) => draft.known(project, kind, uids)),
        unseen: await each(kinds, (kind) => draft.unseen(project, kind)),
        standing: await each(kinds, (kind) => draft.activeViolations(project, kind, uids)),
        unconfirmed: await draft.unconfirmedViolations(project),
        referrers: await draft.referrers(project, uids),
        newlyMarked: await draft.markUnreferenced(project, 'source', []),
      }
    }

    /** Something of everything that a draft can do, on top of `aFirstRun`. */
    async function doEverything(draft: Draft): Promise<void> {
      await walkAll(draft)
      await draft.stageScan(payments)
      await draft.stageWalk(payments, aCoverage('sources'), ['/name'])
      await draft.stage(payments, {
        seen: [],
        versions: [aVersion('a', { url: 'new' }, { replaces: await idOf(draft, 'a') }), aVersion('c')],
      })
      await draft.endVersions([await idOf(draft, 'b')])
      await draft.stageChanges(payments, [aChange('c'), aChange('b', { change: 'removed' })])
      await draft.markUnreferenced(payments, 'source', ['s'])
      const [first, second] = [await standingOf(draft, 'a'), await standingOf(draft, 'b')]
      const reworded = instead(first, { message: 'other words' })
      await draft.stageViolations(payments, { confirmed: [], violations: [reworded, aViolation('c')] })
      await draft.endViolations([second.id])
      await draft.stageNotice(payments, aNotice('endpoints', 'the shape changed'))
    }

    function aFirstRun() {
      return run(async (draft) => {
        const subscription = aVersion('u', { source_uid: 's' }, { kind: 'subscription' })
        await draft.stage(payments, { seen: [], versions: [aVersion('a'), aVersion('b'), subscription] })
        await draft.stageViolations(payments, { confirmed: [], violations: [aViolation('a'), aViolation('b')] })
      })
    }

    describe('runs', () => {
      it('knows nothing at first', async () => {
        expect(await latestRun(history)).toBeUndefined()
        expect(await history.runs()).toEqual([])
        expect(await history.readRun(1)).toBeUndefined()
        const draft = await begin()
        expect(draft.run).toBe(1)
        expect(draft.interrupted).toEqual([])
        expect(await draft.lastCompleteScans(payments)).toEqual({})
        expect(await draft.lastScannedRun(payments)).toBeUndefined()
        expect(await draft.lastShape(payments, 'endpoints')).toBeUndefined()
        expect(await draft.known(payments, 'endpoint', ['a'])).toEqual(new Map())
        expect(await draft.versionAt(payments, 'endpoint', 'a', 0)).toBeUndefined()
        expect(await draft.unseen(payments, 'endpoint')).toEqual([])
        expect(await draft.unconfirmedViolations(payments)).toEqual([])
      })

      it('reads back what was sealed, and gives the seal the same record', async () => {
        const draft = await history.begin(aStart(at(1), { failOn: 'low', policyDigest: 'p', configurationDigest: 'c' }))
        await walkAll(draft)
        await draft.stageNotice(payments, aNotice('endpoints', 'the shape changed'))
        const fields = [{ path: '/url', before: null, after: { a: [1, 'x'] } }]
        const modified = aChange('a', { change: 'modified', fields, referrers: ['u1', 'u2'] })
        await draft.stageChanges(payments, [modified])
        await draft.stageViolations(payments, { confirmed: [], violations: [aViolation('a')] })
        await draft.stageContext(aContext())
        let asked: unknown
        const sealed = await draft.commit(at(2), (record) => {
          asked = record
          return 1
        })
        const { state, firstRun, lastRun, replaces, waiver, ...finding } = aViolation('a')
        expect(sealed).toEqual({
          number: 1,
          startedAt: at(1),
          finishedAt: at(2),
          failOn: 'low',
          toolVersion: '0.1.0',
          policyDigest: 'p',
          configurationDigest: 'c',
          chain: sealed.chain,
          ...aContext(),
          coverage: [
            { project: 'acme/payments', ...aCoverage('endpoints') },
            { project: 'acme/payments', ...aCoverage('subscriptions') },
          ],
          notices: [{ project: 'acme/payments', ...aNotice('endpoints', 'the shape changed') }],
          changes: [{ project: 'acme/payments', ...modified }],
          violations: [{ ...finding, state: 'opened', project: 'acme/payments', firstSeen: at(1), lastSeen: at(1) }],
        })
        // A link covers the exit code, so the record that gives it has none yet.
        expect(asked).toEqual({ ...sealed, chain: null })
        expect(await history.readRun(1)).toEqual(sealed)
        expect(await latestRun(history)).toBe(1)
      })

      it('shows nothing of a draft before it is sealed', async () => {
        const first = await aFirstRun()
        const draft = await begin()
        const before = await stateOf(draft)
        await doEverything(draft)
        const reader = place.open(machines.process(200))
        expect(await latestRun(reader)).toBe(1)
        expect(await reader.readRun(1)).toEqual(first)
        expect(await reader.readRun(2)).toBeUndefined()
        expect(await draft.lastCompleteScans(payments)).toEqual(before.baselines)
        expect(await draft.known(payments, 'endpoint', ['a', 'b', 'c'])).toEqual(before.known.endpoint)
        expect(await draft.activeViolations(payments, 'endpoint', ['a', 'b', 'c'])).toEqual(before.standing.endpoint)
        await seal(draft)
        expect(await latestRun(reader)).toBe(2)
        expect(await reader.readRun(1)).toEqual(first)
        expect((await reader.readRun(2))?.changes).toHaveLength(2)
        await reader.close()
      })

      it('leaves nothing of a run that is abandoned but its number', async () => {
        const first = await aFirstRun()
        const abandoned = await begin()
        const before = await stateOf(abandoned)
        await doEverything(abandoned)
        await abandoned.abandon(at(9))
        expect(await latestRun(history)).toBe(1)
        expect(await history.readRun(2)).toBeUndefined()
        expect(await history.readRun(1)).toEqual(first)
        const next = await begin()
        expect(next.run).toBe(3)
        expect(next.interrupted).toEqual([])
        expect(await stateOf(next)).toEqual(before)
        await next.commit(at(9), () => 3)
        expect(await history.runs()).toEqual([
          { number: 1, startedAt: at(1), finishedAt: at(1.5) },
          { number: 3, startedAt: at(3), finishedAt: at(9) },
        ])
      })

      it('closes a killed run as interrupted, with everything that it ended open again', async () => {
        const first = await aFirstRun()
        const killed = await begin()
        const before = await stateOf(killed)
        await doEverything(killed)
        here.kill()
        await history.close()
        history = place.open(machines.process(101))
        const next = await begin()
        expect([next.run, next.interrupted]).toEqual([3, [2]])
        expect(await stateOf(next)).toEqual(before)
        await walkAll(next)
        await seal(next)
        expect(await history.readRun(1)).toEqual(first)
        expect(await history.readRun(2)).toBeUndefined()
        expect(await latestRun(history)).toBe(3)
      })

      it('writes nothing when the exit code cannot be worked out', async () => {
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

      it('takes nothing from a page that arrives after its run was given up or sealed', async () => {
        await aFirstRun()
        const draft = await begin()
        const before = await stateOf(draft)
        await draft.abandon(at(3))
        const late = [
          () => draft.stage(payments, { seen: [], versions: [aVersion('c')] }),
          () => draft.stageChanges(payments, [aChange('c')]),
          () => draft.stageViolations(payments, { confirmed: [], violations: [aViolation('c')] }),
          () => draft.stageWalk(payments, aCoverage('endpoints'), undefined),
          () => draft.stageNotice(payments, aNotice('endpoints', 'late')),
          () => draft.discard(payments),
          () => seal(draft),
        ]
        for (const write of late) await expect(write()).rejects.toMatchObject({ exitCode: 5 })
        const sealed = await begin()
        expect(await stateOf(sealed)).toEqual(before)
        const record = await seal(sealed)
        await expect(sealed.stage(payments, { seen: [], versions: [aVersion('c')] })).rejects.toThrow(AuditError)
        await expect(seal(sealed)).rejects.toThrow(AuditError)
        await sealed.abandon(at(9))
        expect(await history.readRun(sealed.run)).toEqual(record)
      })
    })

    describe('the lease', () => {
      it('refuses a second run while the first one lives, and says whose it is', async () => {
        await begin()
        machines.pass(3)
        const refused = place.open(machines.process(200, 'beta')).begin(aStart())
        await expect(refused).rejects.toMatchObject({
          exitCode: 5,
          message: expect.stringMatching(/process 100 on alpha, for 3 s \(since 2026-03-01T00:00:00.000Z\)/),
          advice: expect.stringContaining('--history'),
        })
        await expect(place.open(here).begin(aStart())).rejects.toThrow('another run writes to')
      })

      it('is free after a seal and after an abandonment', async () => {
        await seal(await begin())
        const other = place.open(machines.process(200, 'beta'))
        await (await other.begin(aStart())).abandon(at(2))
        await expect(begin()).resolves.toMatchObject({ run: 3 })
        await other.close()
      })

      it('is kept by the heartbeat, however long a run takes', async () => {
        const draft = await begin()
        for (let beat = 0; beat < 10; beat += 1) machines.pass(5)
        const refused = place.open(machines.process(200, 'beta')).begin(aStart())
        await expect(refused).rejects.toThrow('for 50 s')
        await expect(seal(draft)).resolves.toMatchObject({ number: 1 })
      })

      it('is taken over at once when its process is gone', async () => {
        await begin()
        here.kill()
        const draft = await place.open(machines.process(101)).begin(aStart())
        expect([draft.run, draft.interrupted]).toEqual([2, [1]])
        await seal(draft)
      })

      it('is taken over from another machine only after two missed heartbeats', async () => {
        await begin()
        here.kill()
        const other = place.open(machines.process(200, 'beta'))
        machines.pass(11)
        await expect(other.begin(aStart())).rejects.toThrow('another run writes to')
        machines.pass(1)
        const draft = await other.begin(aStart())
        expect(draft.interrupted).toEqual([1])
        await seal(draft)
        await other.close()
      })

      it('keeps a paused holder that wakes from writing anything', async () => {
        const first = await aFirstRun()
        const paused = await begin()
        await doEverything(paused)
        here.pause()
        machines.pass(12)
        const other = place.open(machines.process(200, 'beta'))
        const taken = await other.begin(aStart(at(3)))
        const before = await stateOf(taken)
        // The paused one wakes in the middle of the other's run.
        const late = [aVersion('c', { late: true })]
        await expect(paused.stage(payments, { seen: [], versions: late })).rejects.toMatchObject({ exitCode: 5 })
        await expect(seal(paused)).rejects.toMatchObject({
          exitCode: 5,
          message: expect.stringContaining('run 2 no longer owns the lease'),
        })
        await paused.abandon(at(4))
        expect(await stateOf(taken)).toEqual(before)
        await walkAll(taken)
        const record = await seal(taken)
        expect(record.violations.map(({ uid, state }) => [uid, state])).toEqual([
          ['a', 'continuing'],
          ['b', 'continuing'],
        ])
        expect(await latestRun(history)).toBe(3)
        expect(await history.readRun(2)).toBeUndefined()
        expect(await history.readRun(1)).toEqual(first)
        await other.close()
      })
    })

    describe('looks', () => {
      /** A run of walks only: `['endpoints', 'partial']`. */
      async function look(...walks: [Listing, CoverageStatus][]): Promise<void> {
        const draft = await begin()
        await draft.stageScan(payments)
        for (const [listing, status] of walks) await draft.stageWalk(payments, aCoverage(listing, status), undefined)
        await seal(draft)
      }
      const baselines = async () => {
        const draft = await begin()
        const found = await draft.lastCompleteScans(payments)
        await draft.abandon(at(99))
        return found
      }

      it('takes the last complete look at each listing for its kinds', async () => {
        await look(
          ['project', 'complete'],
          ['endpoints', 'complete'],
          ['sources', 'complete'],
          ['subscriptions', 'complete'],
        )
        await look(
          ['project', 'skipped'],
          ['endpoints', 'partial'],
          ['sources', 'failed'],
          ['subscriptions', 'complete'],
        )
        await look(
          ['project', 'failed'],
          ['endpoints', 'suspect'],
          ['sources', 'partial'],
          ['subscriptions', 'partial'],
        )
        expect(await baselines()).toEqual({
          project: { run: 1, listing: 'project', filter: null },
          endpoint: { run: 1, listing: 'endpoints', filter: null },
          source: { run: 1, listing: 'sources', filter: null },
          subscription: { run: 2, listing: 'subscriptions', filter: null },
          device: { run: 2, listing: 'subscriptions', filter: null },
        })
      })

      it('takes the subscriptions for the look at sources where those are not listed', async () => {
        await look(['endpoints', 'complete'], ['sources', 'complete'], ['subscriptions', 'complete'])
        await look(['endpoints', 'complete'], ['sources', 'skipped'], ['subscriptions', 'complete'])
        expect((await baselines()).source).toEqual({ run: 2, listing: 'subscriptions', filter: null })
        await look(['endpoints', 'complete'], ['subscriptions', 'complete'])
        expect((await baselines()).source).toEqual({ run: 4, listing: 'subscriptions', filter: null })
        await look(['endpoints', 'complete'], ['sources', 'partial'], ['subscriptions', 'complete'])
        expect((await baselines()).source).toEqual({ run: 4, listing: 'subscriptions', filter: null })
        await look(['endpoints', 'complete'], ['sources', 'skipped'], ['subscriptions', 'partial'])
        expect((await baselines()).source).toEqual({ run: 4, listing: 'subscriptions', filter: null })
        await look(['endpoints', 'complete'], ['sources', 'complete'], ['subscriptions', 'complete'])
        expect((await baselines()).source).toEqual({ run: 10, listing: 'sources', filter: null })
      })

      it('says what the last complete look was narrowed to', async () => {
        await look(['endpoints', 'complete'], ['subscriptions', 'complete'])
        const filter = 'owner=tenant-03'
        const narrowed = await begin()
        await narrowed.stageScan(payments)
        await narrowed.stageWalk(payments, { ...aCoverage('endpoints'), filter }, undefined)
        await narrowed.stageWalk(payments, { ...aCoverage('subscriptions'), filter }, undefined)
        expect((await seal(narrowed)).coverage).toMatchObject([{ filter }, { filter }])
        expect(await baselines()).toEqual({
          endpoint: { run: 2, listing: 'endpoints', filter },
          source: { run: 2, listing: 'subscriptions', filter },
          subscription: { run: 2, listing: 'subscriptions', filter },
          device: { run: 2, listing: 'subscriptions', filter },
        })
      })

      it('knows the last look at a project and the last shape of a listing, by project', async () => {
        const first = await begin()
        await first.stageScan(payments)
        await first.stageWalk(payments, aCoverage('endpoints'), ['/name', '/url'])
        await seal(first)
        const second = await begin()
        await second.stageScan(payments)
        await second.stageWalk(payments, aCoverage('endpoints', 'failed'), undefined)
        await seal(second)
        await run(async () => {}, [orders])
        const draft = await begin()
        expect(await draft.lastScannedRun(payments)).toBe(2)
        expect(await draft.lastScannedRun(orders)).toBe(3)
        expect(await draft.lastShape(payments, 'endpoints')).toEqual(['/name', '/url'])
        expect(await draft.lastShape(payments, 'subscriptions')).toBeUndefined()
      })

      it('tells projects apart by service and identifier, not by what they are called', async () => {
        const twin = { name: 'a/b/c', service: 'a/b', uid: 'c' }
        const other = { name: 'a/b/c', service: 'a', uid: 'b/c' }
        await run((draft) => draft.stage(twin, { seen: [], versions: [aVersion('a')] }), [twin])
        const draft = await begin()
        expect((await draft.known(other, 'endpoint', ['a'])).size).toBe(0)
        expect((await draft.known({ ...twin, name: 'renamed/c' }, 'endpoint', ['a'])).size).toBe(1)
      })
    })

    describe('versions', () => {
      it('gives the current version of the resources that are asked for', async () => {
        await run((draft) => draft.stage(payments, { seen: [], versions: [aVersion('a'), aVersion('b')] }))
        const draft = await begin()
        const known = await draft.known(payments, 'endpoint', ['b', 'nobody', 'b'])
        const { digest } = aVersion('b')
        const id = await idOf(draft, 'b')
        expect(known).toEqual(new Map([['b', { id, uid: 'b', fromRun: 1, digest, sealKeyId: 'key-1' }]]))
        expect(await draft.known(payments, 'subscription', ['a', 'b'])).toEqual(new Map())
        expect(await draft.known(orders, 'endpoint', ['a', 'b'])).toEqual(new Map())
        expect(await draft.known(payments, 'endpoint', [])).toEqual(new Map())
      })

      it('gives bodies with their facts, the run that first saw them, the key that sealed them and the normal form', async () => {
        const facts = { '/secret': { min_length: 16, weak: ['common' as const] } }
        const plain = aVersion('a', { url: 'x' }, { normaliser: 7 })
        const sealed = aVersion('b', { secret: 'sealed:00' }, { facts: JSON.stringify(facts) })
        await run((draft) => draft.stage(payments, { seen: [], versions: [plain, sealed] }))
        const draft = await history.begin(aStart(at(2), { sealKeyId: 'key-2' }))
        const [a, b] = [await idOf(draft, 'a'), await idOf(draft, 'b')]
        const first = { fromRun: 1, since: at(1), sealKeyId: 'key-1' }
        expect(await draft.bodies([a, b, 999])).toEqual(
          new Map([
            [a, { ...first, name: 'name of a', attributes: { url: 'x' }, facts: {}, normaliser: 7 }],
            [b, { ...first, name: 'name of b', attributes: { secret: 'sealed:00' }, facts, normaliser: 1 }],
          ]),
        )
      })

      it('finds the version that was valid in a run', async () => {
        await run((draft) => draft.stage(payments, { seen: [], versions: [aVersion('a', { n: 1 })] }))
        await run()
        await run(async (draft) =>
          draft.stage(payments, {
            seen: [],
            versions: [aVersion('a', { n: 2 }, { replaces: await idOf(draft, 'a') })],
          }),
        )
        await run(async (draft) => draft.endVersions([await idOf(draft, 'a')]))
        await run()
        await run((draft) => draft.stage(payments, { seen: [], versions: [aVersion('a', { n: 3 })] }))
        const draft = await begin()
        const at = async (run: number) => (await draft.versionAt(payments, 'endpoint', 'a', run))?.attributes.n
        expect([await at(1), await at(2), await at(3)]).toEqual([1, 1, 2])
        expect([await at(4), await at(5), await at(6)]).toEqual([undefined, undefined, 3])
        expect(await draft.versionAt(orders, 'endpoint', 'a', 1)).toBeUndefined()
      })

      it('lists what was neither seen nor replaced', async () => {
        const uids = ['a', 'b', 'c', 'd']
        await run((draft) => draft.stage(payments, { seen: [], versions: uids.map((uid) => aVersion(uid)) }))
        const draft = await begin()
        await draft.stage(payments, { seen: [await idOf(draft, 'a')], versions: [] })
        const versions = [aVersion('b', { n: 2 }, { replaces: await idOf(draft, 'b') }), aVersion('new')]
        await draft.stage(payments, { seen: [], versions })
        const unseen = await draft.unseen(payments, 'endpoint')
        expect(unseen.toSorted((x, y) => (x.uid < y.uid ? -1 : 1))).toEqual([
          { id: await idOf(draft, 'c'), uid: 'c', name: 'name of c', fromRun: 1 },
          { id: await idOf(draft, 'd'), uid: 'd', name: 'name of d', fromRun: 1 },
        ])
        expect(await draft.unseen(payments, 'subscription')).toEqual([])
        expect(await draft.unseen(orders, 'endpoint')).toEqual([])
      })

      it('keeps a resource as it was through a run that did not look at it', async () => {
        await run((draft) => draft.stage(payments, { seen: [], versions: [aVersion('a')] }))
        await run(async () => {}, [orders])
        const draft = await begin()
        expect((await draft.known(payments, 'endpoint', ['a'])).get('a')?.fromRun).toBe(1)
        expect(await draft.unseen(payments, 'endpoint')).toHaveLength(1)
      })

      it('finds the subscriptions that use a source as this run leaves them', async () => {
        const using = (uid: string, source: string | null, replaces?: number): NewVersion =>
          aVersion(uid, { source_uid: source }, { kind: 'subscription', replaces })
        const first = [using('u3', 's1'), using('u1', 's1'), using('u2', 's1'), using('u4', 's2'), using('u5', null)]
        await run((draft) => draft.stage(payments, { seen: [], versions: first }))
        const draft = await begin()
        const referrers = () => draft.referrers(payments, ['s1', 's2', 's3', 'null'])
        expect(await referrers()).toEqual(
          new Map([
            ['s1', ['u1', 'u2', 'u3']],
            ['s2', ['u4']],
          ]),
        )
        const moved = using('u1', 's2', await idOf(draft, 'u1', 'subscription'))
        await draft.stage(payments, { seen: [], versions: [moved, using('u6', 's3')] })
        await draft.endVersions([await idOf(draft, 'u3', 'subscription')])
        const expected = new Map([
          ['s1', ['u2']],
          ['s2', ['u1', 'u4']],
          ['s3', ['u6']],
        ])
        expect(await referrers()).toEqual(expected)
        expect(await draft.referrers(orders, ['s1'])).toEqual(new Map())
        expect(await draft.referrers(payments, [])).toEqual(new Map())
        await seal(draft)
        expect(await (await begin()).referrers(payments, ['s1', 's2', 's3'])).toEqual(expected)
      })

      it('says once that a source is no longer referenced, until it was used again', async () => {
        const mark = async (...uids: string[]) => {
          let marked: readonly string[] = []
          await run(async (draft) => {
            marked = await draft.markUnreferenced(payments, 'source', uids)
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
        expect(await draft.markUnreferenced(payments, 'device', ['s1'])).toEqual(['s1'])
        expect(await draft.markUnreferenced(orders, 'source', ['s1'])).toEqual(['s1'])
        expect(await draft.markUnreferenced(payments, 'source', ['s1', 's9'])).toEqual(['s9'])
        // Thought better of in the same run: the last word counts.
        expect(await draft.markUnreferenced(payments, 'source', [])).toEqual([])
        expect(await draft.markUnreferenced(payments, 'source', ['s2'])).toEqual([])
        await seal(draft)
        expect(await mark('s1', 's2', 's9')).toEqual(['s1', 's9'])
      })
    })

    describe('violations', () => {
      const open = (...uids: string[]) =>
        run((draft) =>
          draft.stageViolations(payments, { confirmed: [], violations: uids.map((uid) => aViolation(uid)) }),
        )
      const shown = async (work: (draft: Draft) => Promise<unknown>) =>
        (await run(work)).violations.map(({ uid, state, firstSeen, lastSeen }) => ({ uid, state, firstSeen, lastSeen }))

      it('is opened by the run that finds it and continues after', async () => {
        const first = await open('a')
        expect(first.violations).toMatchObject([{ uid: 'a', state: 'opened', firstSeen: at(1), lastSeen: at(1) }])
        const confirm = async (draft: Draft) =>
          draft.stageViolations(payments, { confirmed: [(await standingOf(draft, 'a')).id], violations: [] })
        expect(await shown(confirm)).toEqual([{ uid: 'a', state: 'continuing', firstSeen: at(1), lastSeen: at(2) }])
        expect(await shown(confirm)).toEqual([{ uid: 'a', state: 'continuing', firstSeen: at(1), lastSeen: at(3) }])
      })

      it('keeps who accepted it, for as long as it is waived', async () => {
        const waiver = { owner: 'payments', reason: 'moves to TLS', expires: at(99), ticket: '4711' }
        const waived = await run((draft) =>
          draft.stageViolations(payments, {
            confirmed: [],
            violations: [aViolation('a', { state: 'waived', waiver })],
          }),
        )
        expect(waived.violations).toMatchObject([{ uid: 'a', state: 'waived', waiver }])
        const reopened = await run(async (draft) => {
          const standing = await standingOf(draft, 'a')
          expect(standing.waiver).toEqual(waiver)
          const violations = [instead(standing, { state: 'open', waiver: undefined })]
          await draft.stageViolations(payments, { confirmed: [], violations })
        })
        expect(reopened.violations).toMatchObject([{ uid: 'a', state: 'continuing', firstSeen: at(1) }])
        expect(only(reopened.violations)).not.toHaveProperty('waiver')
        expect(await history.readRun(1)).toEqual(waived)
      })

      it('gives what stood before this run, by resource', async () => {
        await open('a', 'b')
        const draft = await begin()
        await draft.stageViolations(payments, { confirmed: [], violations: [aViolation('c')] })
        const { lastRun, replaces, ...violation } = aViolation('b')
        const standing = await draft.activeViolations(payments, 'endpoint', ['b', 'c', 'nobody'])
        expect(standing).toEqual([{ ...violation, id: only(standing).id, firstRun: 1 }])
        expect(await draft.activeViolations(payments, 'subscription', ['b'])).toEqual([])
        expect(await draft.activeViolations(orders, 'endpoint', ['b'])).toEqual([])
      })

      it('lists what was neither confirmed nor replaced', async () => {
        await open('a', 'b', 'c')
        const draft = await begin()
        const [a, b] = [await standingOf(draft, 'a'), await standingOf(draft, 'b')]
        const violations = [instead(b, { message: 'other words' }), aViolation('new')]
        await draft.stageViolations(payments, { confirmed: [a.id], violations })
        expect(await draft.unconfirmedViolations(payments)).toEqual([await standingOf(draft, 'c')])
        expect(await draft.unconfirmedViolations(orders)).toEqual([])
      })

      it('is not resolved by being reworded', async () => {
        await open('a')
        const reword = async (draft: Draft) => {
          const violations = [
            instead(await standingOf(draft, 'a'), { message: 'other words', severity: 'low' as const }),
          ]
          await draft.stageViolations(payments, { confirmed: [], violations })
        }
        const record = await run(reword)
        expect(record.violations).toMatchObject([
          { uid: 'a', state: 'continuing', message: 'other words', severity: 'low', firstSeen: at(1), lastSeen: at(2) },
        ])
        expect((await history.readRun(1))?.violations).toMatchObject([{ state: 'opened', severity: 'high' }])
      })

      it('is resolved by its end, last seen by the last run that looked at its project', async () => {
        await open('a')
        await run()
        await run(async () => {}, [orders])
        const end = async (draft: Draft) => draft.endViolations([(await standingOf(draft, 'a')).id])
        expect(await shown(end)).toEqual([{ uid: 'a', state: 'resolved', firstSeen: at(1), lastSeen: at(2) }])
        expect(await shown(async () => {})).toEqual([])
      })

      it('keeps the time it was last seen while nobody can tell, and beyond', async () => {
        await open('a')
        await run()
        const doubt = async (draft: Draft) => {
          const lastRun = await draft.lastScannedRun(payments)
          const violations = [instead(await standingOf(draft, 'a'), { state: 'unknown', lastRun })]
          await draft.stageViolations(payments, { confirmed: [], violations })
        }
        expect(await shown(doubt)).toEqual([{ uid: 'a', state: 'unknown', firstSeen: at(1), lastSeen: at(2) }])
        expect(await shown(async () => {})).toEqual([{ uid: 'a', state: 'unknown', firstSeen: at(1), lastSeen: at(2) }])
        const end = async (draft: Draft) => draft.endViolations([(await standingOf(draft, 'a')).id])
        expect(await shown(end)).toEqual([{ uid: 'a', state: 'resolved', firstSeen: at(1), lastSeen: at(2) }])
      })

      it('is open again, first seen when it was first seen, after it was unknown or waived', async () => {
        await open('a')
        const become = (state: 'open' | 'unknown' | 'waived') => async (draft: Draft) => {
          const violations = [instead(await standingOf(draft, 'a'), { state })]
          await draft.stageViolations(payments, { confirmed: [], violations })
        }
        expect(await shown(become('waived'))).toMatchObject([{ state: 'waived', firstSeen: at(1) }])
        expect(await shown(become('open'))).toMatchObject([{ state: 'continuing', firstSeen: at(1), lastSeen: at(3) }])
        expect(await shown(become('unknown'))).toMatchObject([{ state: 'unknown', firstSeen: at(1) }])
        expect(await shown(become('open'))).toMatchObject([{ state: 'continuing', firstSeen: at(1), lastSeen: at(5) }])
      })

      it('shows only the projects that a run looked at', async () => {
        await run(
          async (draft) => {
            await draft.stageViolations(payments, { confirmed: [], violations: [aViolation('a')] })
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

    describe('a discarded project', () => {
      it('is as if this run had not come to it, but for its walk', async () => {
        await aFirstRun()
        const draft = await begin()
        const before = await stateOf(draft)
        await doEverything(draft)
        await draft.stage(payments, { seen: [await idOf(draft, 'b')], versions: [] })
        await walkAll(draft, orders)
        await draft.stage(orders, { seen: [], versions: [aVersion('o')] })
        await draft.stageChanges(orders, [aChange('o')])
        await draft.stageViolations(orders, { confirmed: [], violations: [aViolation('o', {}, orders)] })
        await draft.discard(payments)
        const { newlyMarked: _, ...after } = await stateOf(draft)
        const { newlyMarked: __, ...then } = before
        expect(after).toEqual(then)
        const record = await seal(draft)
        expect(record.changes.map(({ project }) => project)).toEqual(['acme/orders'])
        expect(record.violations.map(({ uid, state }) => [uid, state])).toEqual([
          ['o', 'opened'],
          ['a', 'continuing'],
          ['b', 'continuing'],
        ])
        expect(record.coverage).toHaveLength(5)
        const next = await begin()
        expect(await next.known(payments, 'endpoint', ['a', 'b', 'c'])).toEqual(before.known.endpoint)
        expect((await next.known(orders, 'endpoint', ['o'])).size).toBe(1)
        expect(await next.markUnreferenced(payments, 'source', ['s'])).toEqual(['s'])
      })

      it('may be staged anew', async () => {
        await aFirstRun()
        const draft = await begin()
        await draft.stage(payments, { seen: [], versions: [aVersion('c', { n: 1 })] })
        await draft.discard(payments)
        await draft.stage(payments, { seen: [], versions: [aVersion('c', { n: 2 })] })
        await seal(draft)
        const next = await begin()
        expect((await next.versionAt(payments, 'endpoint', 'c', 2))?.attributes).toEqual({ n: 2 })
      })
    })

    it('reads an older run as it was, byte for byte, whatever came after it', async () => {
      const records = [await aFirstRun()]
      records.push(await run(doEverythingOnTop))
      const texts = [JSON.stringify(await history.readRun(1)), JSON.stringify(await history.readRun(2))]
      await run(async (draft) => {
        const standing = await draft.unconfirmedViolations(payments)
        await draft.endViolations(standing.map(({ id }) => id))
        await draft.endVersions((await draft.unseen(payments, 'endpoint')).map(({ id }) => id))
      })
      await run(async () => {}, [{ ...payments, name: 'acme/renamed' }])
      const abandoned = await begin()
      await abandoned.stage(payments, { seen: [], versions: [aVersion('zz')] })
      await abandoned.abandon(at(20))
      await history.close()
      history = place.open(machines.process(300))
      expect([JSON.stringify(await history.readRun(1)), JSON.stringify(await history.readRun(2))]).toEqual(texts)
      expect([await history.readRun(1), await history.readRun(2)]).toEqual(records)
    })

    async function doEverythingOnTop(draft: Draft): Promise<void> {
      const first = await standingOf(draft, 'a')
      const reworded = instead(first, { message: 'other words' })
      await draft.stageViolations(payments, { confirmed: [], violations: [reworded, aViolation('c')] })
      await draft.endViolations([(await standingOf(draft, 'b')).id])
      await draft.stageChanges(payments, [aChange('c'), aChange('b', { change: 'removed' })])
      await draft.stageNotice(payments, aNotice('subscriptions', 'the shape changed'))
    }

    it('gives lists in the order of reports, by UTF-16 code units', async () => {
      const [high, low] = ['\uffee', '\u{1f600}'] // SQLite alone would put the second one last
      const draft = await begin()
      const walk = (project: ProjectRef, listing: Listing) => draft.stageWalk(project, aCoverage(listing), undefined)
      for (const project of [payments, orders]) await draft.stageScan(project)
      for (const listing of ['subscriptions', 'sources', 'endpoints', 'project'] as const) await walk(payments, listing)
      for (const listing of ['subscriptions', 'endpoints'] as const) await walk(orders, listing)
      await draft.stageNotice(payments, aNotice('subscriptions', 'p 1'))
      await draft.stageNotice(orders, aNotice('endpoints', 'o'))
      await draft.stageNotice(payments, aNotice(null, 'p 2'))
      await draft.stageNotice(undefined, { code: 'clock_went_back', listing: null, text: 'r' })
      await draft.stageChanges(payments, [
        aChange(high),
        aChange(low),
        aChange('b'),
        aChange('a'),
        aChange('z', { kind: 'device' }),
      ])
      await draft.stageChanges(orders, [aChange('c')])
      await draft.stageViolations(payments, {
        confirmed: [],
        violations: [
          aViolation(high),
          aViolation(low),
          aViolation('a', { path: '/z' }),
          aViolation('a', { rule: 'endpoint/b' }),
          aViolation('a', { path: '/y' }),
          aViolation('w', { severity: 'critical' }),
          aViolation('i', { severity: 'info' }),
        ],
      })
      await draft.stageViolations(orders, { confirmed: [], violations: [aViolation('o', {}, orders)] })
      const { coverage, notices, changes, violations } = await seal(draft)
      expect(coverage.map(({ project, listing }) => `${project} ${listing}`)).toEqual([
        'acme/orders endpoints',
        'acme/orders subscriptions',
        'acme/payments project',
        'acme/payments endpoints',
        'acme/payments sources',
        'acme/payments subscriptions',
      ])
      expect(notices.map(({ text }) => text)).toEqual(['r', 'o', 'p 1', 'p 2'])
      expect(changes.map(({ uid }) => uid)).toEqual(['c', 'z', 'a', 'b', low, high])
      expect(violations.map(({ uid, rule, path }) => `${uid} ${rule} ${path}`)).toEqual([
        'w endpoint/url-not-https /url',
        'o endpoint/url-not-https /url',
        'a endpoint/b /url',
        'a endpoint/url-not-https /y',
        'a endpoint/url-not-https /z',
        `${low} endpoint/url-not-https /url`,
        `${high} endpoint/url-not-https /url`,
        'i endpoint/url-not-https /url',
      ])
    })

    describe('hostile text', () => {
      const texts: readonly [string, string][] = [
        ['quotes', `it's "quoted"; DROP TABLE run; --`],
        ['NUL', 'before\0after'],
        ['__proto__', '__proto__'],
        ['line ends and controls', '\r\n\t\u001b[31m\u2028'],
        ['astral and combining', '\u{1f600}e\u0301\ufeff'],
        ['LIKE and JSON path signs', '%_$.[0]"\\'],
        ['a blank', ''],
        ['1 MB', 'x'.repeat(1 << 20)],
      ]
      it.each(texts)('comes back as it went in: %s', async (_, text) => {
        const odd = { name: text, service: text, uid: text }
        const attributes = JSON.parse(
          `{"__proto__":{"a":${JSON.stringify(text)}},"source_uid":${JSON.stringify(text)}}`,
        )
        const version = aVersion(text, attributes, { kind: 'subscription', name: text })
        const change: StagedChange = aChange(text, {
          name: text,
          change: 'modified',
          fields: [{ path: `/${text}`, before: text, after: attributes }],
          referrers: [text],
        })
        const violation = aViolation(text, { name: text, path: text, message: text, rule: text }, odd)
        await run(
          async (draft) => {
            await draft.stageScan(odd)
            await draft.stageWalk(odd, { ...aCoverage('sources', 'failed'), reason: text }, [text])
            await draft.stage(odd, { seen: [], versions: [version] })
            await draft.stageChanges(odd, [change])
            await draft.stageViolations(odd, { confirmed: [], violations: [violation] })
            await draft.stageNotice(odd, aNotice('sources', text))
            await draft.markUnreferenced(odd, 'source', [text])
          },
          [odd],
        )
        const record = await history.readRun(1)
        expect(record?.coverage.find(({ listing }) => listing === 'sources')).toMatchObject({
          project: text,
          reason: text,
        })
        expect(record?.notices).toEqual([{ project: text, ...aNotice('sources', text) }])
        expect(JSON.stringify(record?.changes[0]?.fields)).toBe(JSON.stringify(change.fields))
        expect(record?.changes[0]).toMatchObject({ project: text, uid: text, name: text, referrers: [text] })
        expect(record?.violations).toMatchObject([{ uid: text, name: text, path: text, message: text, rule: text }])
        const draft = await begin()
        const id = await idOf(draft, text, 'subscription', odd)
        const body = (await draft.bodies([id])).get(id)
        expect(JSON.stringify(body?.attributes)).toBe(JSON.stringify(attributes))
        expect(body?.name).toBe(text)
        expect(await draft.lastShape(odd, 'sources')).toEqual([text])
        expect(await draft.referrers(odd, [text])).toEqual(new Map([[text, [text]]]))
        expect(await draft.activeViolations(odd, 'endpoint', [text])).toHaveLength(1)
        expect(await draft.markUnreferenced(odd, 'source', [text])).toEqual([])
      })

      it('comes back well-formed where it was half a surrogate pair, and whole in a body', async () => {
        const half = 'x\ud800y'
        await run(async (draft) => {
          await draft.stage(payments, { seen: [], versions: [aVersion('a', { half }, { name: half })] })
          await draft.stageViolations(payments, { confirmed: [], violations: [aViolation('a', { message: half })] })
        })
        const draft = await begin()
        const body = await draft.versionAt(payments, 'endpoint', 'a', 1)
        expect(body?.attributes).toEqual({ half })
        expect([half, half.toWellFormed()]).toContain(body?.name)
        const record = await history.readRun(1)
        expect([half, half.toWellFormed()]).toContain(record?.violations[0]?.message)
      })
    })
  })
}
