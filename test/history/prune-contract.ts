import { hash } from 'node:crypto'
import fc from 'fast-check'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Draft, History } from '../../src/history/history.ts'
import type { PriorState } from '../../src/history/notification-facts.ts'
import { keepNothing, type RetentionRules } from '../../src/history/retention.ts'
import { readDiffering } from '../../src/history/sql/differing.ts'
import { findFirstWaiting } from '../../src/history/sql/outbox.ts'
import { readRunRecord } from '../../src/history/sql/read-run.ts'
import { readViolationsOf } from '../../src/history/sql/resource-life.ts'
import { lacksRunsSince, listEndedRuns, listRuns } from '../../src/history/sql/runs.ts'
import { readCompleteScans, readLatestScans } from '../../src/history/sql/scans.ts'
import { readStateAt } from '../../src/history/sql/state-at.ts'
import { readViolationsAt } from '../../src/history/sql/violations.ts'
import { type RecordedSpan, visitSpans } from '../../src/history/sql/visit-spans.ts'
import { canonicalJson } from '../../src/model/canonical-json.ts'
import { tries } from '../thoroughness.ts'
import { aRun, perform, projects, type Run, stateOf } from './arbitrary-runs.ts'
import { type MakePlace, openContractFixture, type Place } from './contract-fixture.ts'
import { knownIn } from './known-in.ts'
import { request } from './move/copied.ts'
import {
  aChange,
  aContext,
  aCoverage,
  anApproval,
  aStart,
  at,
  aVersion,
  aViolation,
  commit,
  payments,
  walkAll,
} from './samples.ts'
import { confirming, ending, opening, turning } from './violation-steps.ts'

/** What every backend promises of pruning. */
export function describePruning(name: string, makePlace: MakePlace): void {
  describe(`${name}: pruning`, () => {
    const fixture = openContractFixture(makePlace)
    let history: History
    beforeEach(() => {
      history = fixture.history
    })

    /** `of`: another history than that of the fixture. */
    async function inHistory<Result>(work: (history: History) => Promise<Result>, of: Place) {
      const history = await of.open(fixture.machines.process(7))
      try {
        return await work(history)
      } finally {
        await history.close()
      }
    }

    const upkeepOf = (of = fixture.place) => of.upkeep(fixture.machines.process(7))

    async function prune(keep: Partial<RetentionRules>, of = fixture.place) {
      const order = { keep: { ...keepNothing, ...keep }, options: { keep_last: keep.last ?? 0 }, toolVersion: '0.1.0' }
      return (await upkeepOf(of)).prune(order)
    }

    /** Random runs resolve and remove anything, so two invariants do not apply to them. */
    async function faultsOf(of = fixture.place, except: readonly string[] = []) {
      const { checks } = await (await upkeepOf(of)).verify(request)
      return checks.flatMap(({ id, ok, detail }) => (ok !== false || except.includes(id) ? [] : [`${id}: ${detail}`]))
    }

    const keepLast = { keep: { ...keepNothing, last: 1 }, options: {}, toolVersion: '0.1.0' }
    const expectSound = async () => expect(await faultsOf()).toEqual([])

    /** A run a day. */
    async function runs(count: number, work: (draft: Draft, index: number) => Promise<unknown> = async () => {}) {
      for (let index = 1; index <= count; index += 1) {
        const draft = await history.begin(aStart(at(index * 24)))
        await walkAll(draft)
        await work(draft, index)
        await draft.stageContext(aContext())
        await draft.commit(at(index * 24 + 1), () => 0)
      }
    }

    /** A resource that is another one in every run, and says so. */
    async function change(draft: Draft, index: number) {
      const known = (await knownIn(draft, payments, 'endpoint', ['a'])).get('a')
      await draft.stage(payments, [aVersion('a', { url: `u${index}` }, { replaces: known?.id })])
      await draft.stageChanges(payments, [aChange('a', { change: 'modified' })])
    }

    const numbersOf = async (history: History) => (await listRuns(history)).map(({ number }) => number)
    const rows = (sql: string) => fixture.place.inDatabase((db) => db.all(sql))
    const alter = (sql: string) => fixture.place.inDatabase((db) => db.run(sql))

    async function reasonsFor(run: number, keep: Partial<RetentionRules>) {
      const upkeep = await upkeepOf()
      const plan = await upkeep.planPruning({ ...keepNothing, ...keep })
      return plan.find(({ number }) => number === run)?.reasons
    }

    it('keeps requested runs and active violations, and removes the rest', async () => {
      await runs(9, change)
      const { plan } = await prune({ last: 2, weekly: 2 })
      const needed = ['current state', 'last complete walk', 'last scan of a project']
      expect(plan.filter(({ reasons }) => reasons.length > 0)).toEqual([
        { number: 7, started_at: at(7 * 24), finished_at: at(7 * 24 + 1), reasons: ['weekly'] },
        { number: 8, started_at: at(8 * 24), finished_at: at(8 * 24 + 1), reasons: ['last'] },
        { number: 9, started_at: at(9 * 24), finished_at: at(9 * 24 + 1), reasons: ['last', 'weekly', ...needed] },
      ])
      expect(await numbersOf(history)).toEqual([7, 8, 9])
      await expectSound()
    })

    it('records what was removed, when and by which options, and verification continues from there', async () => {
      await runs(6, change)
      await prune({ last: 2 })
      expect(await rows('SELECT tool_version, options, runs, run FROM hookdrift.checkpoint')).toEqual([
        { tool_version: '0.1.0', options: '{"keep_last":2}', runs: '[[1,4]]', run: null },
      ])
      const draft = await history.begin(aStart(at(300)))
      await walkAll(draft)
      await draft.commit(at(301), () => 0)
      await expectSound()
      expect(
        (await prune({ last: 1 })).plan.filter(({ reasons }) => reasons.length === 0).map(({ number }) => number),
      ).toEqual([5, 6])
      await expectSound()
    })

    it.each([
      ['a version of a pruned run', "UPDATE hookdrift.version SET name = 'z' WHERE from_run < 5"],
      ['what is left of a pruned run', "UPDATE hookdrift.run SET started_at = 'z' WHERE state = 'pruned'"],
      ['the record', "UPDATE hookdrift.checkpoint SET options = '{}'"],
      ['the record of what went', "UPDATE hookdrift.checkpoint SET runs = '[[1,2]]'", 'run 3 is marked as pruned'],
      ['the record of what is there', "UPDATE hookdrift.checkpoint SET runs = '[[1,4]]'", 'run 4 is there'],
    ])('does not hide an alteration of %s', async (_, sql, fault = 'what is left of pruned runs') => {
      await runs(4, async (draft, index) => {
        if (index === 1) await draft.stage(payments, [aVersion('b')])
        await change(draft, index)
      })
      await prune({ last: 1 })
      await expectSound()
      expect(await alter(sql)).toBeGreaterThan(0)
      expect((await faultsOf()).join()).toContain(fault)
    })

    it('refuses an altered history, for which it would vouch anew', async () => {
      await runs(4, change)
      await alter("UPDATE hookdrift.version SET name = 'z' WHERE id = 1")
      await expect(prune({ last: 1 })).rejects.toThrow(/does not verify: not as run 1 committed it: versions/)
      expect(await numbersOf(history)).toEqual([1, 2, 3, 4])
    })

    const versionsLeft = async () =>
      (await rows('SELECT uid || from_run AS version FROM hookdrift.version ORDER BY uid, from_run')).flatMap(
        Object.values,
      )

    it('frees the bodies of 7 of 12 runs while drift from a baseline is open, and lists runs and changes since', async () => {
      await runs(12, async (draft, index) => {
        for (const uid of ['a', 'b']) {
          const known = (await knownIn(draft, payments, 'endpoint', [uid])).get(uid)
          await draft.stage(payments, [aVersion(uid, { url: `u${index}` }, { replaces: known?.id })])
        }
        if (index === 1) return
        await draft.stageChanges(payments, [aChange('a', { change: 'modified' }), aChange('b', { change: 'modified' })])
        // Each run finds drift of another field: none of them is without an open violation.
        const opened = [
          aViolation('a', { rule: 'drift/unexpected', path: `/${index}` }),
          ...(index === 3 ? [aViolation('a', { rule: 'drift/url-host-changed', originRun: 2 })] : []),
        ]
        await draft.stageViolations(payments, { confirmed: [], violations: opened })
      })
      await history.approve([anApproval(payments, 1)])
      const { plan } = await prune({ last: 5 })
      expect(plan.filter(({ reasons }) => reasons.length === 0).map(({ number }) => number)).toEqual([2, 3, 4, 5, 6, 7])
      const last = [7, 8, 9, 10, 11, 12]
      expect(await versionsLeft()).toEqual(
        [1, 2, ...last].map((run) => `a${run}`).concat([1, ...last].map((run) => `b${run}`)),
      )
      const { runs: listed } = await listEndedRuns(history, 99)
      expect(listed.map(({ number, state, changes }) => [number, state, changes]).reverse()).toEqual([
        [1, 'committed', 0],
        ...[2, 3, 4, 5, 6, 7].map((run) => [run, 'pruned', 2]),
        ...[8, 9, 10, 11, 12].map((run) => [run, 'committed', 2]),
      ])
      await expectSound()
    })

    it('keeps the value before one that is unknown, and that before the last one which was unknown elsewhere', async () => {
      const doubtful = (...fields: [path: string, run: number][]) =>
        canonicalJson({ doubts: Object.fromEntries(fields.map(([path, run]) => [path, { run, at: at(run) }])) })
      const facts = [
        '',
        '',
        doubtful(['/name', 3]),
        doubtful(['/url', 4]),
        doubtful(['/url', 4]),
        doubtful(['/url', 4]),
      ]
      await runs(6, async (draft, index) => {
        const known = (await knownIn(draft, payments, 'endpoint', ['a'])).get('a')
        const other = { facts: facts[index - 1] ?? '', replaces: known?.id }
        const version = aVersion('a', { url: `u${index}` }, other)
        await draft.stage(payments, [{ ...version, digest: hash('sha256', version.body + version.facts) }])
      })
      await prune({ last: 1 })
      // What the last run ended stays with it.
      expect(await versionsLeft()).toEqual(['a2', 'a3', 'a5', 'a6'])
      await expectSound()
    })

    it('keeps the state that found a violation which was not seen since', async () => {
      await runs(6, async (draft, index) => {
        await change(draft, index)
        if (index === 1) await opening('a')(draft)
        if (index === 5) await turning('a', { state: 'unknown', lastRun: 3 })(draft)
      })
      await prune({ last: 1 })
      expect(await versionsLeft()).toEqual(['a3', 'a5', 'a6'])
      await expectSound()
    })

    it('keeps an accepted violation, which its acceptance names and which may come back', async () => {
      const drift = aViolation('a', { rule: 'drift/authentication-lost', originRun: 1 })
      const { fingerprint, rule, kind, uid, path } = drift
      await runs(5, async (draft, index) => {
        if (index === 2) await draft.stageViolations(payments, { confirmed: [], violations: [drift] })
        if (index === 3) await ending('a', 'accepted')(draft)
        if (index === 4) await opening('b')(draft)
      })
      const signed = { reason: 'it was meant', valueDigest: null, by: 'lee', at: at(50) }
      await history.accept([{ project: payments, fingerprint, rule, kind, uid, path, ...signed }])
      await runs(1)
      const shown = async () => {
        const draft = await history.begin(aStart(at(999)))
        const { withOrigin } = await draft.historyOf(payments, undefined)
        await draft.abandon(at(999))
        return { withOrigin, accepted: (await readRunRecord(history, 6))?.accepted }
      }
      const before = await shown()
      expect(before).toMatchObject({ withOrigin: [{ fingerprint, originRun: 1 }], accepted: [{ severity: 'high' }] })
      await prune({ last: 1 })
      expect(await shown()).toEqual(before)
      await expectSound()
    })

    it('keeps the causes of earlier changes that a kept report has, their owners, and what is mended of them', async () => {
      const version = async (draft: Draft, owner: string) =>
        aVersion(
          'a',
          { owner_id: owner },
          { replaces: (await knownIn(draft, payments, 'endpoint', ['a'])).get('a')?.id },
        )
      const changed = (draft: Draft, ...paths: string[]) => {
        const fields = paths.map((path) => ({ path, before: 'x', after: `${draft.run}` }))
        return draft.stageChanges(payments, [aChange('a', { change: 'modified', fields })])
      }
      await runs(6, async (draft, index) => {
        if (index < 5) await draft.stage(payments, [await version(draft, `team ${index}`)])
        if (index === 2) await opening('a')(draft)
        if (index === 2) await changed(draft, '/url', '/name', '/status')
        if (index === 3) await changed(draft, '/name', '/description')
        if (index === 5) await ending('a')(draft)
      })
      const before = await readRunRecord(history, 4)
      expect(before?.causes).toMatchObject([{ first_run: 2, resources: [{ owner: 'team 2' }] }])
      const draft = await history.begin(aStart(at(30 * 24)))
      await walkAll(draft)
      await draft.commit(at(30 * 24 + 1), () => 0)
      await history.approve([anApproval(payments, 4)])
      await prune({ last: 1 })
      expect(await numbersOf(history)).toEqual([4, 7])
      expect(await readRunRecord(history, 4)).toEqual(before)
      await expectSound()
      await history.revoke([1], { by: 'alice', at: at(900) })
      await prune({ last: 1 })
      expect(await rows('SELECT run FROM hookdrift.change')).toEqual([])
      await expectSound()
    })

    it('does not end a violation whose next rows are gone', async () => {
      await runs(5, async (draft, index) => {
        if (index === 1) await opening('a')(draft)
        else await turning('a', { message: `${index}` })(draft)
      })
      await prune({ last: 1 })
      const identity = { project: payments, kind: 'endpoint', uid: 'a' } as const
      const spans = await readViolationsOf(history, identity, 5)
      const visited: RecordedSpan[] = []
      await visitSpans(history, 0, 5, (span) => void visited.push(span))
      const facts = [
        { from: at(24), goesOn: true },
        { from: at(96), goesOn: true },
        { from: at(120), goesOn: false },
      ]
      for (const found of [spans, visited]) expect(found.map(({ from, goesOn }) => ({ from, goesOn }))).toEqual(facts)
    })

    it('keeps the last complete walk that drift compares with', async () => {
      for (const status of ['complete', 'complete', 'failed', 'failed'] as const) {
        const draft = await fixture.begin()
        await draft.stageScan(payments)
        for (const listing of ['endpoints', 'subscriptions'] as const)
          await draft.stageWalk(payments, aCoverage(listing, status), undefined)
        await commit(draft)
      }
      expect(await reasonsFor(1, { last: 1 })).toEqual([])
      expect(await reasonsFor(2, { last: 1 })).toEqual(['last complete walk'])
      expect(await reasonsFor(3, { last: 1 })).toEqual(['first incomplete scan of a project'])
    })

    it('keeps the last complete scan, since which scans have been incomplete', async () => {
      for (const types of ['failed', 'skipped', 'failed', 'failed', 'failed'] as const) {
        const draft = await fixture.begin()
        await walkAll(draft)
        await draft.stageWalk(payments, aCoverage('event_types', types), undefined)
        await commit(draft)
      }
      await history.approve([anApproval(payments, 1)])
      const since = async () => {
        const scans = await Promise.all([1, 5].map((run) => readLatestScans(history, run)))
        return scans.map(([scan]) => scan?.incompleteSince?.number)
      }
      expect(await since()).toEqual([1, 3])
      await prune({ last: 1 })
      expect(await numbersOf(history)).toEqual([1, 3, 5])
      expect(await since()).toEqual([1, 3])
      await expectSound()
    })

    it('keeps a run with a waiting message until the message is delivered', async () => {
      await runs(5, change)
      const messages = [2, 3].map((run) => ({ id: `m${run}`, channel: 'hook', run, body: `{"id":"m${run}"}` }))
      await history.enqueue(messages, at(200))
      await history.delivered('m2', at(201))
      await prune({ last: 1 })
      expect(await numbersOf(history)).toEqual([3, 5])
      expect(await findFirstWaiting(history, 'hook')).toMatchObject({ id: 'm3', run: 3 })
      await expectSound()
      await history.delivered('m3', at(202))
      await prune({ last: 1 })
      expect(await numbersOf(history)).toEqual([5])
      await expectSound()
    })

    it('keeps what the next message says of a run that no message was about', async () => {
      const steps = [opening('a'), confirming('a'), ending('a'), opening('b'), confirming('b')]
      let before: PriorState | undefined
      for (const [index, step] of steps.entries()) {
        const draft = await fixture.begin()
        await walkAll(draft)
        await step(draft)
        await draft.commit(
          at(99),
          () => 0,
          (_, prior) => {
            before = prior
            return index === 2 || index === 3 ? 'later' : []
          },
        )
        if (index !== 3) continue
        expect(await reasonsFor(2, { last: 1 })).toEqual(['the next message compares with it'])
        await prune({ last: 1 })
      }
      expect(before?.transitions.map(({ before, now, resolution }) => [before, now, resolution])).toEqual([
        ['open', 'ended', 'fixed'],
        ['never', 'open', null],
      ])
      await expectSound()
      expect(await reasonsFor(2, { last: 1 })).toEqual([])
    })

    it('is known to have removed runs that began after a time', async () => {
      await runs(4)
      await prune({ last: 2 })
      const answers = [2, 3, 4, 5].map((run) => lacksRunsSince(history, at(run * 24), 5))
      // Whether the runs before the third one began after that time is known no longer.
      expect(await Promise.all(answers)).toEqual([true, true, false, false])
      expect(await lacksRunsSince(history, at(0), 3)).toBe(true)
    })

    it('keeps the versions of an endpoint that has been paused, which say since when', async () => {
      const statuses = ['active', 'paused', 'paused', 'paused', 'paused', 'paused']
      await runs(5, async (draft, index) => {
        for (const uid of ['a', 'b']) {
          const known = (await knownIn(draft, payments, 'endpoint', [uid])).get(uid)
          const status = uid === 'b' && index === 5 ? 'active' : statuses[index - 1]
          const version = aVersion(uid, { name: `${index}`, status: `${status}` }, { replaces: known?.id })
          await draft.stage(payments, [version])
        }
      })
      await prune({ last: 1 })
      const kept = await rows('SELECT uid, from_run FROM hookdrift.version ORDER BY uid, from_run')
      expect(kept).toEqual(
        [2, 3, 4, 5]
          .map((run) => ({ uid: 'a', from_run: run }))
          .concat([4, 5].map((run) => ({ uid: 'b', from_run: run }))),
      )
      await expectSound()
    })

    it('keeps an approved baseline until it is revoked, also of a single resource, and no run for those who confirm it', async () => {
      await runs(4, change)
      await history.approve([anApproval(payments, 2)])
      await history.approve([anApproval(payments, 3, { approves: [], confirms: 1 })])
      expect(await reasonsFor(2, { last: 1 })).toEqual(['approved baseline'])
      expect(await reasonsFor(3, { last: 1 })).toEqual([])
      const amended = { kind: 'endpoint', uid: 'a', run: 1, at: at(99) } as const
      await history.approve([anApproval(payments, 2, { state: { run: 2, resources: [] }, amendments: [amended] })])
      expect(await reasonsFor(1, { last: 1 })).toEqual(['approved baseline'])
      await history.revoke([1, 3], { by: 'alice', at: at(100) })
      expect(await reasonsFor(1, { last: 1 })).toEqual([])
      expect(await reasonsFor(2, { last: 1 })).toEqual([])
      await prune({ last: 1 })
      await expectSound()
    })

    it('is done at most once in 20 hours when asked often', async () => {
      await runs(3)
      const upkeep = await upkeepOf()
      expect(
        (await upkeep.pruneWhenDue(keepLast))?.plan.map(({ number, reasons }) => [number, reasons.length > 0]),
      ).toEqual([
        [1, false],
        [2, false],
        [3, true],
      ])
      await fixture.machines.pass(19 * 3600)
      expect(await upkeep.pruneWhenDue(keepLast)).toBeUndefined()
      await fixture.machines.pass(3600)
      expect((await upkeep.pruneWhenDue(keepLast))?.plan.map(({ number }) => number)).toEqual([3])
    })

    it('is done again soon after one by a clock that was years ahead', async () => {
      await runs(2)
      const upkeep = await upkeepOf()
      await fixture.machines.pass(10 * 366 * 86_400)
      expect(await upkeep.pruneWhenDue(keepLast)).toBeDefined()
      await fixture.machines.pass(-10 * 366 * 86_400)
      await runs(2)
      expect((await upkeep.pruneWhenDue(keepLast))?.plan.map(({ number }) => number)).toEqual([2, 3, 4])
      await runs(1)
      expect(await upkeep.pruneWhenDue(keepLast)).toBeUndefined()
      await expectSound()
    })

    it('refuses to keep nothing', async () => {
      await runs(1)
      const refused = { exitCode: 2, message: 'no --keep-* option keeps a run' }
      await expect(prune({})).rejects.toMatchObject(refused)
      const upkeep = await upkeepOf()
      await expect(upkeep.planPruning(keepNothing)).rejects.toMatchObject(refused)
    })

    it('is refused at once while a run writes, and the run continues', async () => {
      await runs(3)
      const draft = await history.begin(aStart(at(99)))
      await expect(prune({ last: 1 })).rejects.toMatchObject({ exitCode: 5 })
      await walkAll(draft)
      await draft.commit(at(100), () => 0)
      expect(await numbersOf(history)).toEqual([1, 2, 3, 4])
    })

    it('removes interrupted runs with the run after them', async () => {
      await runs(1)
      await (await history.begin(aStart(at(30)))).abandon(at(31))
      await runs(2)
      await prune({ last: 1 })
      expect(await rows('SELECT number, state FROM hookdrift.run')).toEqual([{ number: 4, state: 'committed' }])
      expect(await rows('SELECT runs FROM hookdrift.checkpoint')).toEqual([{ runs: '[[1,3]]' }])
      await expectSound()
    })

    it('changes no report of a kept run or of the next one', async () => {
      const keep = fc.record({ last: fc.integer({ min: 1, max: 4 }), daily: fc.integer({ min: 0, max: 3 }) })
      await fc.assert(
        fc.asyncProperty(fc.array(aRun, { minLength: 3, maxLength: 10 }), keep, async (all, keep) => {
          const pruned = await makePlace()
          try {
            await play(pruned, all)
            const copy = await pruned.copy()
            const kept = (await prune(keep, pruned)).plan.filter(({ reasons }) => reasons.length > 0)
            const numbers = kept.map(({ number }) => number)
            expect(await inHistory(numbersOf, pruned)).toEqual(numbers)
            expect(await faultsOf(pruned, ['I4', 'I5'])).toEqual([])
            expect(await answersAbout(pruned, numbers)).toEqual(await answersAbout(copy, numbers))
            expect(await copy.dispose()).toEqual([])
          } finally {
            expect(await pruned.dispose()).toEqual([])
          }
        }),
        { numRuns: tries(20, { locally: 5 }), seed: 4711 },
      )
    })

    async function play(of: Place, all: readonly Run[]) {
      for (const [index, run] of all.entries()) {
        await inHistory(async (history) => {
          const draft = await history.begin(aStart(at(index * 9)))
          await perform(draft, run)
          if (run.end === 'commit') await draft.commit(at(index * 9 + 1), () => 0)
          else await draft.abandon(at(index * 9 + 1))
        }, of)
      }
    }

    /** All answers about some runs, and all that the next one reads. */
    async function answersAbout(of: Place, numbers: readonly number[]) {
      return inHistory(async (history) => {
        const answers: unknown[] = []
        for (const number of numbers) {
          const scans = await readLatestScans(history, number)
          answers.push(await readRunRecord(history, number), await readViolationsAt(history, number))
          answers.push(scans)
          for (const { project } of scans) {
            answers.push(await readCompleteScans(history, project, number), await readStateAt(history, project, number))
          }
          for (const from of numbers) if (from < number) answers.push(await readDiffering(history, from, number))
        }
        const draft = await history.begin(aStart(at(999)))
        const baselines = await Promise.all(
          projects.map((project) => readCompleteScans(draft.past, project, draft.run - 1)),
        )
        const asked = baselines.flatMap((of) => Object.values(of).map(({ run }) => run))
        answers.push(await stateOf(draft, [...new Set(asked)]))
        await draft.abandon(at(999))
        return answers
      }, of)
    }
  })
}
