import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Draft, History } from '../../src/history/history.ts'
import { keepNothing, type RetentionRules } from '../../src/history/retention.ts'
import type { HistoryUpkeep, Verification } from '../../src/history/upkeep.ts'
import { AuditError } from '../../src/model/errors.ts'
import { tries } from '../thoroughness.ts'
import { aRun, perform, projects, type Run, stateOf } from './arbitrary-runs.ts'
import { knownIn } from './known-in.ts'
import { Machines, type Process } from './processes.ts'
import {
  aChange,
  aContext,
  aCoverage,
  aStart,
  at,
  aVersion,
  aViolation,
  commit,
  endedAs,
  payments,
  walkAll,
} from './samples.ts'

/** A history that tests prune, wherever it lies. */
export interface PrunePlace {
  open(process: Process): Promise<History>
  upkeep(process: Process): HistoryUpkeep
  /** What a deep verification finds. */
  verify(): Promise<Verification>
  /** Executes SQL that does not name the schema. Returns the rows that it selects, or how many it changed. */
  execute(sql: string): Promise<readonly unknown[] | number>
  /** Another history like this one. */
  copy(): Promise<PrunePlace>
  remove(): Promise<void>
}

/** What every backend promises of pruning. */
export function describePruning(name: string, makePlace: () => Promise<PrunePlace>): void {
  let place: PrunePlace
  let machines: Machines
  beforeEach(async () => {
    place = await makePlace()
    machines = new Machines()
  })
  afterEach(() => place.remove())

  async function work<Result>(
    process: Process,
    ask: (upkeep: HistoryUpkeep) => Promise<Result>,
    of = place,
  ): Promise<Result> {
    const upkeep = of.upkeep(process)
    try {
      return await ask(upkeep)
    } finally {
      await upkeep.close()
    }
  }

  const owner = () => machines.process(7)

  function prune(keep: Partial<RetentionRules>, of = place) {
    const order = { keep: { ...keepNothing, ...keep }, options: { keep_last: keep.last ?? 0 }, toolVersion: '0.1.0' }
    return work(owner(), (upkeep) => upkeep.prune(order), of)
  }

  /** Random runs resolve and remove anything, so two invariants do not apply to them. */
  async function faultsOf(of = place, except: readonly string[] = []): Promise<string[]> {
    const { checks } = await of.verify()
    return checks.flatMap(({ id, ok, detail }) => (ok !== false || except.includes(id) ? [] : [`${id}: ${detail}`]))
  }

  async function open<Result>(work: (history: History) => Promise<Result>, of = place): Promise<Result> {
    const history = await of.open(owner())
    try {
      return await work(history)
    } finally {
      await history.close()
    }
  }

  async function runs(count: number, work: (draft: Draft, index: number) => Promise<unknown> = async () => {}) {
    await open(async (history) => {
      for (let index = 1; index <= count; index += 1) {
        const draft = await history.begin(aStart(at(index * 24)))
        await walkAll(draft)
        await work(draft, index)
        await draft.stageContext(aContext())
        await draft.commit(at(index * 24 + 1), () => 0)
      }
    })
  }

  /** A resource that is another one in every run, and says so. */
  async function change(draft: Draft, index: number): Promise<void> {
    const known = (await knownIn(draft, payments, 'endpoint', ['a'])).get('a')
    await draft.stage(payments, [aVersion('a', { url: `u${index}` }, { replaces: known?.id })])
    await draft.stageChanges(payments, [aChange('a', { change: 'modified' })])
  }

  const sealedNumbers = (of = place) => open(async (history) => (await history.runs()).map(({ number }) => number), of)

  describe(`${name}: pruning`, () => {
    it('keeps requested runs and active violations, and removes the rest', async () => {
      await runs(9, change)
      const { plan } = await prune({ last: 2, weekly: 2 })
      const needed = ['current state', 'last complete walk', 'last scan of a project']
      expect(plan.filter(({ reasons }) => reasons.length > 0)).toEqual([
        { number: 7, startedAt: at(7 * 24), finishedAt: at(7 * 24 + 1), reasons: ['weekly'] },
        { number: 8, startedAt: at(8 * 24), finishedAt: at(8 * 24 + 1), reasons: ['last'] },
        { number: 9, startedAt: at(9 * 24), finishedAt: at(9 * 24 + 1), reasons: ['last', 'weekly', ...needed] },
      ])
      expect(await sealedNumbers()).toEqual([7, 8, 9])
      expect(await faultsOf()).toEqual([])
    })

    it('records what was removed, when and by which options, and verification continues from there', async () => {
      await runs(6, change)
      await prune({ last: 2 })
      expect(await place.execute('SELECT tool_version, options, runs, run FROM checkpoint')).toEqual([
        { tool_version: '0.1.0', options: '{"keep_last":2}', runs: '[[1,4]]', run: null },
      ])
      await open(async (history) => {
        const draft = await history.begin(aStart(at(300)))
        await walkAll(draft)
        await draft.commit(at(301), () => 0)
      })
      expect(await faultsOf()).toEqual([])
      expect(
        (await prune({ last: 1 })).plan.filter(({ reasons }) => reasons.length === 0).map(({ number }) => number),
      ).toEqual([5, 6])
      expect(await faultsOf()).toEqual([])
    })

    it.each([
      ['a version of a pruned run', "UPDATE version SET name = 'z' WHERE from_run < 5"],
      ['what is left of a pruned run', "UPDATE run SET started_at = 'z' WHERE state = 'pruned'"],
      ['the record', "UPDATE checkpoint SET options = '{}'"],
      ['the record of what went', "UPDATE checkpoint SET runs = '[[1,2]]'"],
    ])('does not hide an alteration of %s', async (_, sql) => {
      await runs(4, async (draft, index) => {
        if (index === 1) await draft.stage(payments, [aVersion('b')])
        await change(draft, index)
      })
      await prune({ last: 1 })
      expect(await faultsOf()).toEqual([])
      expect(await place.execute(sql)).toBeGreaterThan(0)
      expect((await faultsOf()).join()).toMatch(/I10: .*what is left of pruned runs|I6/)
    })

    it('refuses an altered history, for which it would vouch anew', async () => {
      await runs(4, change)
      await place.execute("UPDATE version SET name = 'z' WHERE id = 1")
      await expect(prune({ last: 1 })).rejects.toThrow(/does not verify: not as run 1 committed it: versions/)
      expect(await sealedNumbers()).toEqual([1, 2, 3, 4])
    })

    it('keeps the run that opened a violation while the violation is active, and no longer', async () => {
      const opened = aViolation('a')
      await runs(5, async (draft, index) => {
        if (index === 2) await draft.stageViolations(payments, { confirmed: [], violations: [opened] })
        if (index === 5)
          await draft.endViolations(
            payments,
            endedAs((await draft.unconfirmedViolations(payments)).map(({ id }) => id)),
          )
        if (index === 4) prunable.push((await draft.unconfirmedViolations(payments)).length)
      })
      expect(prunable).toEqual([1])
      expect(await reasonsFor(2, { last: 1 })).toEqual([])
      await place.execute('UPDATE violation SET to_run = NULL')
      expect(await reasonsFor(2, { last: 1 })).toEqual(['opened an active violation'])
    })
    const prunable: number[] = []
    const reasonsFor = (run: number, keep: Partial<RetentionRules>) =>
      work(owner(), (upkeep) => upkeep.planPruning({ ...keepNothing, ...keep })).then(
        (plan) => plan.find(({ number }) => number === run)?.reasons,
      )

    it('keeps the last complete walk that drift compares with', async () => {
      await open(async (history) => {
        for (const [index, status] of (['complete', 'complete', 'failed', 'failed'] as const).entries()) {
          const draft = await history.begin(aStart(at(index)))
          for (const listing of ['endpoints', 'subscriptions'] as const) {
            await draft.stageScan(payments)
            await draft.stageWalk(payments, aCoverage(listing, status), undefined)
          }
          await commit(draft)
        }
      })
      expect(await reasonsFor(1, { last: 1 })).toEqual([])
      expect(await reasonsFor(2, { last: 1 })).toEqual(['last complete walk'])
      expect(await reasonsFor(3, { last: 1 })).toEqual(['first incomplete scan of a project'])
    })

    it('keeps a run with a waiting message until the message is delivered', async () => {
      await runs(5, change)
      const messages = [2, 3].map((run) => ({ id: `m${run}`, channel: 'hook', run, body: `{"id":"m${run}"}` }))
      await open(async (history) => {
        await history.enqueue(messages, at(200))
        await history.delivered('m2', at(201))
      })
      await prune({ last: 1 })
      expect(await sealedNumbers()).toEqual([3, 5])
      expect(await open((history) => history.firstWaiting('hook'))).toMatchObject({ id: 'm3', run: 3 })
      expect(await faultsOf()).toEqual([])
      await open((history) => history.delivered('m3', at(202)))
      await prune({ last: 1 })
      expect(await sealedNumbers()).toEqual([5])
      expect(await faultsOf()).toEqual([])
    })

    it('keeps an approved baseline until it is revoked', async () => {
      await runs(4, change)
      await open(async (history) => {
        const approval = { project: payments, scopes: {}, note: '', by: 'alice', at: at(99), state: { run: 2 } }
        await history.approve([approval])
        expect(await reasonsFor(2, { last: 1 })).toEqual(['approved baseline'])
        await history.revoke([1], { by: 'alice', at: at(100) })
        expect(await reasonsFor(2, { last: 1 })).toEqual([])
      })
      await prune({ last: 1 })
      expect(await faultsOf()).toEqual([])
    })

    it('is done at most once in 20 hours when asked often', async () => {
      await runs(3)
      const order = { keep: { ...keepNothing, last: 1 }, options: {}, toolVersion: '0.1.0' }
      const pruneWhenDue = () => work(owner(), (upkeep) => upkeep.pruneWhenDue(order))
      expect((await pruneWhenDue())?.plan.map(({ number, reasons }) => [number, reasons.length > 0])).toEqual([
        [1, false],
        [2, false],
        [3, true],
      ])
      machines.pass(19 * 3600)
      expect(await pruneWhenDue()).toBeUndefined()
      machines.pass(3600)
      expect((await pruneWhenDue())?.plan.map(({ number }) => number)).toEqual([3])
    })

    it('refuses to keep nothing', async () => {
      await runs(1)
      const refused = { exitCode: 2, message: 'no --keep-* option given' }
      await expect(prune({})).rejects.toThrow(expect.objectContaining(refused) as AuditError)
      await expect(work(owner(), (upkeep) => upkeep.planPruning(keepNothing))).rejects.toThrow(AuditError)
    })

    it('is refused at once while a run writes, and the run continues', async () => {
      await runs(3)
      await open(async (history) => {
        const draft = await history.begin(aStart(at(99)))
        const other = { ...machines.process(8), host: 'beta' }
        const order = { keep: { ...keepNothing, last: 1 }, options: {}, toolVersion: '0' }
        await expect(work(other, (upkeep) => upkeep.prune(order))).rejects.toThrow(
          expect.objectContaining({ exitCode: 5 }) as AuditError,
        )
        await walkAll(draft)
        await draft.commit(at(100), () => 0)
      })
      expect(await sealedNumbers()).toEqual([1, 2, 3, 4])
    })

    it('removes interrupted runs with the run after them', async () => {
      await runs(1)
      await open(async (history) => (await history.begin(aStart(at(30)))).abandon(at(31)))
      await open(async (history) => {
        for (const hour of [40, 50]) {
          const draft = await history.begin(aStart(at(hour)))
          await walkAll(draft)
          await draft.commit(at(hour + 1), () => 0)
        }
      })
      await prune({ last: 1 })
      expect(await place.execute('SELECT number, state FROM run')).toEqual([{ number: 4, state: 'committed' }])
      expect(await place.execute('SELECT runs FROM checkpoint')).toEqual([{ runs: '[[1,3]]' }])
      expect(await faultsOf()).toEqual([])
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
            expect(await sealedNumbers(pruned)).toEqual(numbers)
            expect(await faultsOf(pruned, ['I4', 'I5'])).toEqual([])
            expect(await answersAbout(pruned, numbers)).toEqual(await answersAbout(copy, numbers))
            await copy.remove()
          } finally {
            await pruned.remove()
          }
        }),
        { numRuns: tries(20, { locally: 5 }), seed: 4711 },
      )
    })

    async function play(of: PrunePlace, all: readonly Run[]): Promise<void> {
      for (const [index, run] of all.entries()) {
        await open(async (history) => {
          const draft = await history.begin(aStart(at(index * 9)))
          await perform(draft, run)
          if (run.end === 'commit') await draft.commit(at(index * 9 + 1), () => 0)
          else await draft.abandon(at(index * 9 + 1))
        }, of)
      }
    }

    /** All answers about some runs, and all that the next one reads. */
    async function answersAbout(of: PrunePlace, numbers: readonly number[]): Promise<unknown> {
      return open(async (history) => {
        const answers: unknown[] = []
        for (const number of numbers) {
          const scans = await history.latestScans(number)
          const isLast = number === numbers.at(-1)
          answers.push(await history.readRun(number), await history.violationsAt(number))
          // How long scans have been incomplete depends on the last run.
          answers.push(isLast ? scans : scans.map(({ incompleteSince: _, ...scan }) => scan))
          for (const { project } of scans) {
            answers.push(await history.completeScansAt(project, number), await history.stateAt(project, number))
          }
          for (const from of numbers) if (from < number) answers.push(await history.differing(from, number))
        }
        const draft = await history.begin(aStart(at(999)))
        const baselines = await Promise.all(projects.map((project) => draft.completeScansAt(project, draft.run - 1)))
        const asked = baselines.flatMap((of) => Object.values(of).map(({ run }) => run))
        answers.push(await stateOf(draft, [...new Set(asked)]))
        await draft.abandon(at(999))
        return answers
      }, of)
    }
  })
}
