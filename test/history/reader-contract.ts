import { beforeEach, describe, expect, it } from 'vitest'
import type { Draft, History } from '../../src/history/history.ts'
import { compareText } from '../../src/history/report-order.ts'
import type { ResourceListChoice } from '../../src/history/resource-list.ts'
import { readDiffering } from '../../src/history/sql/differing.ts'
import { countResources, findEndpointsOf, listResources } from '../../src/history/sql/list-resources.ts'
import { listViolations } from '../../src/history/sql/list-violations.ts'
import { readPoliciesBetween, readRunInputs, readRunRecord, runsWithWindows } from '../../src/history/sql/read-run.ts'
import {
  identifyResources,
  readReferrersOf,
  readVersionsOf,
  readViolationsOf,
  searchResources,
} from '../../src/history/sql/resource-life.ts'
import {
  findCommittedRun,
  findLastRun,
  listEndedRuns,
  listRuns,
  listRunsBefore,
  readMadeAt,
  readRunExtents,
} from '../../src/history/sql/runs.ts'
import { countScans, readCompleteScans, readLatestScans } from '../../src/history/sql/scans.ts'
import { readStateAt } from '../../src/history/sql/state-at.ts'
import { identifyViolations } from '../../src/history/sql/violation-keys.ts'
import { readResolvedBetween, readViolationsAt, readWaivedBetween } from '../../src/history/sql/violations.ts'
import type { RecordedSpan } from '../../src/history/sql/visit-spans.ts'
import type { ProjectEvaluation } from '../../src/model/evaluation.ts'
import type { PolicyFacts } from '../../src/model/policy-facts.ts'
import { type Kind, policyProject, projectKey } from '../../src/model/resource.ts'
import { readFirst } from '../../src/questions/choose-violations.ts'
import { expectAnswersToAgree } from './agreeing-answers.ts'
import { answersAt, answersOf, spansOf } from './answers-of.ts'
import { openContractFixture, type Place } from './contract-fixture.ts'
import { idOf, markIn } from './known-in.ts'
import {
  aChange,
  aContext,
  aCoverage,
  at,
  aVersion,
  aViolation,
  commit,
  only,
  orders,
  payments,
  walkAll,
} from './samples.ts'
import { ending, opening, turning } from './violation-steps.ts'

/** What every backend answers to readers. */
export function describeReader(name: string, makePlace: () => Place): void {
  describe(`${name}: the reader`, () => {
    const fixture = openContractFixture(makePlace)
    let history: History
    beforeEach(() => {
      history = fixture.history
    })
    const { begin } = fixture

    const uids = ['a', 'b', 's', 'u', 'v']

    /** A run that walks what `work` says. */
    const run = (work: (draft: Draft) => Promise<unknown>) => fixture.run(work, [])

    const committedRun = (number: number) => ({ number, started_at: at(number), finished_at: at(number + 0.5) })
    const a = { project: payments, kind: 'endpoint', uid: 'a' } as const
    const subscription = (uid: string, to: string, replaces?: number) =>
      aVersion(uid, { endpoint_uid: 'a', source_uid: to, device_uid: 'd' }, { kind: 'subscription', replaces })

    /** A first scan; then a changes, b goes, c and its violation come; then a scan that fails. */
    async function threeRuns() {
      await run(async (draft) => {
        await walkAll(draft)
        await draft.stage(payments, [aVersion('a'), aVersion('b'), subscription('u', 's')])
        await opening('a', 'b')(draft)
      })
      await run(async (draft) => {
        await walkAll(draft)
        const versions = [
          aVersion('a', { url: 'new' }, { replaces: await idOf(draft, 'a') }),
          aVersion('c'),
          subscription('u', 't', await idOf(draft, 'u', 'subscription')),
          aVersion('s', {}, { kind: 'source' }),
        ]
        await draft.stage(payments, versions)
        await draft.endVersions(payments, [await idOf(draft, 'b')])
        await draft.stageChanges(payments, [aChange('a', { change: 'modified' }), aChange('c')])
        await markIn(draft, payments, 'source', ['s'])
        const reworded = turning('a', { message: 'in other words' })
        for (const step of [reworded, opening('c'), ending('b')]) await step(draft)
      })
      await run(async (draft) => {
        await draft.stageScan(payments)
        await draft.stageWalk(payments, aCoverage('endpoints', 'failed'), undefined)
        await draft.stageScan(orders)
        await draft.stageWalk(orders, aCoverage('endpoints'), undefined)
      })
    }

    it('lists violations of the policy with all others, and does not list the policy as a project', async () => {
      const expired = { rule: 'waiver/expired', kind: 'policy' } as const
      const record = await run(async (draft) => {
        await draft.stageScan(payments)
        await draft.stageWalk(payments, aCoverage('endpoints', 'partial'), undefined)
        await draft.stageScan(policyProject)
        const violations = [aViolation('w', expired, policyProject)]
        await draft.stageViolations(policyProject, { confirmed: [], violations })
      })
      expect(record.violations.map(({ project, uid }) => [project, uid])).toEqual([['hookdrift/policy', 'w']])
      expect(await readViolationsAt(history, 1)).toEqual(record.violations)
      expect(record.coverage.map(({ project }) => project)).toEqual([payments.name])
      expect((await readLatestScans(history, 1)).map(({ project }) => project)).toEqual([payments])
      expect((await listEndedRuns(history, 1)).runs.map(({ walks, incomplete }) => [walks, incomplete])).toEqual([
        [1, 1],
      ])
    })

    it('answers for an empty history', async () => {
      expect(await answersOf(history, uids)).toEqual([[], { runs: [], total: 0 }, { runs: [], total: 0 }])
      expect(await readLatestScans(history, 0)).toEqual([])
      expect(await identifyResources(history, 'a', 0)).toEqual([])
      expect(await readStateAt(history, payments, 0)).toEqual([])
      expect(await readCompleteScans(history, payments, 0)).toEqual({})
    })

    it('gives the same answers about a run, and its record byte for byte, during and after later writes', async () => {
      await threeRuns()
      const { place, machines } = fixture
      const reader = await place.open(machines.process(200))
      const records = async () =>
        JSON.stringify(await Promise.all([1, 2, 3].map((number) => readRunRecord(history, number))))
      const [before, recorded] = [await answersOf(reader, uids), await records()]
      const draft = await begin()
      await walkAll(draft)
      const versions = [aVersion('a', { url: 'newer' }, { replaces: await idOf(draft, 'a') }), aVersion('b')]
      await draft.stage(payments, versions)
      await draft.endVersions(payments, [await idOf(draft, 'c')])
      await draft.stageChanges(payments, [aChange('b')])
      const doubted = turning('a', { state: 'unknown', lastRun: 2 })
      for (const step of [ending('c'), doubted, opening('b')]) await step(draft)
      await markIn(draft, payments, 'source', [])
      expect(await answersOf(reader, uids)).toEqual(before)
      await commit(draft)
      await run((draft) => walkAll(draft, { ...payments, name: 'acme/renamed' }))
      const abandoned = await begin()
      await abandoned.stage(payments, [aVersion('zz')])
      await abandoned.abandon(at(20))
      await history.close()
      fixture.history = await place.open(machines.process(300))
      history = fixture.history
      expect((await listRuns(reader)).map(({ number }) => number)).toEqual([1, 2, 3, 4, 5])
      for (const number of [1, 2, 3]) expect(await answersAt(reader, number, uids)).toEqual(before[number + 2])
      expect(await records()).toBe(recorded)
      await reader.close()
    })

    it('gives the same answer by different statements', async () => {
      await threeRuns()
      await expectAnswersToAgree(history, uids)
    })

    it('gives what a run was about: its rules, its changes, and what it left without a reference or withheld', async () => {
      await threeRuns()
      await run(async (draft) => {
        await draft.stageScan(payments)
        await draft.stageWalk(payments, aCoverage('endpoints', 'suspect'), undefined)
        await draft.withholdRemovals(payments, 'endpoints', ['a', 'c'])
        await draft.stageChanges(payments, [aChange('z')])
        await draft.stageContext(aContext())
      })
      const { rules, projects } = aContext()
      const { service, uid: projectUid } = payments
      const ofProject = { service, uid: projectUid }
      expect(await readRunInputs(history, 4)).toEqual({
        configuration_digest: 'configuration',
        sealKeyId: 'key-1',
        normaliser: 1,
        fail_on: 'medium',
        isOfAll: aContext().scope.unscanned.length === 0,
        rules,
        projects,
        changes: [
          {
            project: payments.name,
            ...aChange('z'),
            between: { after: null, before: at(4.5), after_run: null, before_run: 4 },
          },
        ],
        withheldRemovals: [{ project: ofProject, listing: 'endpoints', uids: ['a', 'c'] }],
        unreferenced: [{ project: ofProject, kind: 'source', uid: 's' }],
      })
      expect(await readRunInputs(history, 1)).toMatchObject({ withheldRemovals: [], unreferenced: [] })
      expect(await readRunInputs(history, 5)).toBeUndefined()
      expect((await findLastRun(history))?.number).toBe(4)
    })

    it('identifies violations by the beginning of their fingerprint, ended ones too', async () => {
      await threeRuns()
      const identified = async (prefix: string, number: number, most = 9) =>
        (await identifyViolations(history, prefix, number, most)).map((one) => [one.kind, one.uid, one.fingerprint])
      const { fingerprint } = aViolation('b')
      const b = ['endpoint', 'b', fingerprint]
      expect(await identified(fingerprint, 1)).toEqual([b])
      expect(await identified(fingerprint.slice(0, 10), 3)).toEqual([b])
      expect(await identified('', 3, 2)).toHaveLength(2)
      expect(await identified('no such fingerprint', 3)).toEqual([])
    })

    it('gives the spans of violations that reach into a period, with what ended them', async () => {
      await threeRuns()
      const span = (uid: string, other: object) => {
        const { kind, fingerprint, rule, severity } = aViolation(uid)
        return {
          project: payments.name,
          kind,
          fingerprint,
          rule,
          severity,
          isWaived: false,
          first_seen: at(1),
          from: at(1),
          to: null,
          goesOn: false,
          resolution: null,
          ...other,
        }
      }
      const first = [span('a', {}), span('b', {})]
      const inOrder = (spans: readonly RecordedSpan[]) =>
        spans.toSorted((a, b) => compareText(a.fingerprint, b.fingerprint) || compareText(a.from, b.from))
      expect(await spansOf(history, 0, 1)).toEqual(inOrder(first))
      const ended = [
        span('a', { to: at(2), goesOn: true }),
        span('b', { to: at(2), resolution: 'fixed' }),
        span('a', { from: at(2) }),
        span('c', { from: at(2), first_seen: at(2) }),
      ]
      expect(await spansOf(history, 1, 3)).toEqual(inOrder(ended))
      expect(await spansOf(history, 2, 3)).toEqual(inOrder(ended.slice(2)))
      expect(await spansOf(history, 0, 0)).toEqual([])
    })

    it('says when the history was made, regardless of the runs that follow', async () => {
      const made = await readMadeAt(history)
      expect(new Date(made).toISOString()).toBe(made)
      await threeRuns()
      expect(await readMadeAt(history)).toBe(made)
    })

    it('counts walks and changes by the name that a project had in each run', async () => {
      const renamed = { ...payments, name: 'acme/paid' }
      await run((draft) => walkAll(draft))
      await run(async (draft) => {
        await walkAll(draft, renamed)
        await draft.stageChanges(renamed, [aChange('a')])
        await walkAll(draft, orders)
      })
      const none = { incomplete: 0, changes: 0, opened: 0 }
      const [{ walks } = { walks: 0 }, ...more] = await readRunExtents(history, 1, 1)
      expect([walks > 0, more]).toEqual([true, []])
      expect(await readRunExtents(history, 0, 5)).toEqual([
        { run: 1, project: payments, walks, ...none },
        { run: 2, project: orders, walks, ...none },
        { run: 2, project: renamed, walks, ...none, changes: 1 },
      ])
      expect(await readRunExtents(history, 3, 9)).toEqual([])
      const scans = await countScans(history, 1, 9)
      expect([payments, orders].map((project) => scans.get(projectKey(project)))).toEqual([2, 1])
    })

    it('lists interrupted runs too, newest first, and hides a run under way', async () => {
      await run(async (draft) => {
        await draft.stageScan(payments)
        await draft.stageWalk(payments, aCoverage('endpoints', 'partial'), undefined)
        await draft.stageWalk(payments, aCoverage('sources', 'skipped'), undefined)
        await draft.stageChanges(payments, [aChange('a'), aChange('b')])
      })
      await (await begin()).abandon(at(2.2))
      await begin()
      const first = {
        ...committedRun(1),
        state: 'committed',
        isCommitted: true,
        exitCode: 0,
        walks: 2,
        incomplete: 1,
        changes: 2,
        opened: 0,
      }
      const second = {
        ...committedRun(2),
        finished_at: at(2.2),
        state: 'interrupted',
        isCommitted: false,
        exitCode: null,
        walks: 0,
        incomplete: 0,
        changes: 0,
        opened: 0,
      }
      expect(await listEndedRuns(history, 10)).toEqual({ runs: [second, first], total: 2 })
      expect(await listEndedRuns(history, 1)).toEqual({ runs: [second], total: 2 })
      expect(await listRunsBefore(history, 3, 1)).toEqual([second])
      expect(await listRunsBefore(history, 2, 5)).toEqual([first])
      expect(await listRunsBefore(history, 1, 5)).toEqual([])
      expect(await readRunExtents(history, 1, 3)).toEqual([
        { run: 1, project: payments, walks: 2, incomplete: 1, changes: 2, opened: 0 },
      ])
      const found = [0, 1, 2, 3].map((number) => findCommittedRun(history, number))
      expect(await Promise.all(found)).toEqual([undefined, committedRun(1), undefined, undefined])
    })

    it('counts the violations that each run opened: not those that go on in other words or are in doubt', async () => {
      await run(async (draft) => {
        await walkAll(draft)
        await opening('a', 'b')(draft)
      })
      await run(async (draft) => {
        await walkAll(draft)
        const steps = [turning('a', { message: 'in other words' }), opening('c'), ending('b')]
        for (const step of steps) await step(draft)
      })
      await run(async (draft) => {
        await walkAll(draft)
        await turning('c', { state: 'unknown', lastRun: 2 })(draft)
        await opening('b')(draft)
      })
      const { runs } = await listEndedRuns(history, 10)
      expect(runs.map(({ number, opened }) => [number, opened])).toEqual([
        [3, 1],
        [2, 1],
        [1, 2],
      ])
      const extents = await readRunExtents(history, 1, 3)
      expect(extents.map(({ run: number, opened }) => [number, opened])).toEqual([
        [1, 2],
        [2, 1],
        [3, 1],
      ])
    })

    it('gives the last scan of each project, and since when scans were incomplete', async () => {
      await threeRuns()
      const complete = { coverage: [aCoverage('endpoints'), aCoverage('subscriptions')], incompleteSince: undefined }
      const present = { isGone: false, hasDeparted: false }
      expect(await readLatestScans(history, 2)).toEqual([
        { project: payments, run: committedRun(2), ...complete, ...present },
      ])
      expect(await readLatestScans(history, 3, orders)).toMatchObject([{ project: orders, run: committedRun(3) }])
      expect(await readLatestScans(history, 2, orders)).toEqual([])
      await run(async (draft) => {
        await draft.stageScan(payments)
        await draft.stageWalk(payments, aCoverage('endpoints'), undefined)
        await draft.stageWalk(payments, aCoverage('subscriptions', 'suspect'), undefined)
      })
      const coverage = [aCoverage('endpoints'), aCoverage('subscriptions', 'suspect')]
      const ofOrders = { coverage: [aCoverage('endpoints')], incompleteSince: undefined }
      expect(await readLatestScans(history, 4)).toEqual([
        { project: orders, run: committedRun(3), ...ofOrders, ...present },
        { project: payments, run: committedRun(4), coverage, incompleteSince: committedRun(3), ...present },
      ])
      expect((await readCompleteScans(history, payments, 3)).endpoint).toEqual({
        run: 2,
        listing: 'endpoints',
        filter: null,
        normaliser: 1,
      })
    })

    it('gives a scan without a walk', async () => {
      await run((draft) => draft.stageScan(orders))
      const present = { isGone: false, hasDeparted: false }
      const scan = { project: orders, run: committedRun(1), coverage: [], incompleteSince: undefined, ...present }
      expect(await readLatestScans(history, 1)).toEqual([scan])
    })

    it('gives violations of one resource by rule and path, with waiver and origin, the waived ones last', async () => {
      const waiver = { owner: 'payments', reason: 'soon', expires: at(99) }
      const violations = [
        aViolation('a', { path: '/b', state: 'waived', waiver, originRun: 1 }),
        aViolation('a', { path: '/z' }),
        aViolation('a', { path: '/y' }),
        aViolation('a', { rule: 'endpoint/b' }),
      ]
      await fixture.run((draft) => draft.stageViolations(payments, { confirmed: [], violations }))
      const first = await readFirst(history, await listViolations(history, { run: 1 }), { most: 9 })
      expect(first.map(({ rule, path, waiver }) => [rule, path, waiver])).toEqual([
        ['endpoint/b', '/url', undefined],
        ['endpoint/url-not-https', '/y', undefined],
        ['endpoint/url-not-https', '/z', undefined],
        ['endpoint/url-not-https', '/b', waiver],
      ])
      const spans = await readViolationsOf(history, a, 1)
      expect(spans.map(({ path, originRun, waiver }) => [path, originRun, waiver])).toEqual([
        ['/b', 1, waiver],
        ['/z', undefined, undefined],
        ['/y', undefined, undefined],
        ['/url', undefined, undefined],
      ])
    })

    it('lists violations as of the last scan of each project, and when resolved ones were resolved', async () => {
      await threeRuns()
      const active = await readViolationsAt(history, 2)
      expect(active.map((one) => [one.project, one.message, one.state, one.first_seen, one.last_seen])).toEqual([
        ['acme/payments', 'c is reached without TLS', 'opened', at(2), at(2)],
        ['acme/payments', 'in other words', 'continuing', at(1), at(2)],
      ])
      const resolved = only(await readResolvedBetween(history, 0, 3))
      expect([resolved.project, resolved.uid, resolved.state, resolved.last_seen]).toEqual([
        'acme/payments',
        'b',
        'resolved',
        at(1),
      ])
      expect([resolved.resolved_run, resolved.resolved_at]).toEqual([2, at(2)])
      expect(await readResolvedBetween(history, 2, 3)).toEqual([])
    })

    it('lists what was accepted in a period, once for each waiver, ended or not', async () => {
      const waiver = { owner: 'payments', reason: 'soon', expires: at(99) }
      const waived = aViolation('a', { state: 'waived', waiver })
      await fixture.run((draft) => draft.stageViolations(payments, { confirmed: [], violations: [waived] }))
      await fixture.run(turning('a', { state: 'open', waiver: undefined }))
      await fixture.run()
      const waivers = [{ fingerprint: waived.fingerprint, rule: waived.rule, waiver }]
      expect(await readWaivedBetween(history, 0, 1)).toEqual(waivers)
      expect(await readWaivedBetween(history, 0, 3)).toEqual(waivers)
      expect(await readWaivedBetween(history, 1, 3)).toEqual([])
    })

    it('lists violations with the waivers that accept them, as of any run', async () => {
      const waiver = { owner: 'payments', reason: 'soon', expires: at(99) }
      const other = { ...waiver, ticket: 'OPS-7' }
      const waived = (uid: string, by = waiver) => aViolation(uid, { state: 'waived', waiver: by })
      const violations = [waived('a'), waived('b'), waived('c', other), aViolation('d')]
      await run(async (draft) => {
        for (const project of [payments, orders]) await walkAll(draft, project)
        const ofOrders = aViolation('e', { state: 'waived', waiver }, orders)
        await draft.stageViolations(payments, { confirmed: [], violations })
        await draft.stageViolations(orders, { confirmed: [], violations: [ofOrders] })
      })
      await fixture.run(turning('a', { state: 'open', waiver: undefined }))
      const accepted = async (run: number) =>
        (await listViolations(history, { run }))
          .map(({ project, uid, waiver }) => [project, uid, waiver] as const)
          .sort(([, a], [, b]) => compareText(a, b))
      const others = [
        ['acme/payments', 'b', waiver],
        ['acme/payments', 'c', other],
        ['acme/payments', 'd', undefined],
        ['acme/orders', 'e', waiver],
      ]
      expect(await accepted(1)).toEqual([['acme/payments', 'a', waiver], ...others])
      expect(await accepted(2)).toEqual([['acme/payments', 'a', undefined], ...others])
    })

    it('lists the policies of a period, each once with its first and last run there', async () => {
      const stage = (policy: PolicyFacts) => async (draft: Draft) => {
        await walkAll(draft)
        await draft.stageContext(aContext({ policy }))
      }
      const { rules, policy: some } = aContext()
      const none = { packs: ['tls'], exceptions: [], waivers: [] }
      for (const policy of [some, none, some]) await run(stage(policy))
      expect(await readPoliciesBetween(history, 0, 3)).toEqual([
        { firstRun: 1, lastRun: 3, rules, policy: some },
        { firstRun: 2, lastRun: 2, rules, policy: none },
      ])
      expect(await readPoliciesBetween(history, 1, 2)).toEqual([{ firstRun: 2, lastRun: 2, rules, policy: none }])
    })

    it('names the runs of a period whose changes touch a change window', async () => {
      const time = { name: 'nightly', ticket: null, from: at(1), to: at(2) }
      const stage = (windows: Partial<ProjectEvaluation>) => async (draft: Draft) => {
        await walkAll(draft)
        await draft.stageContext(aContext({ projects: aContext().projects.map((one) => ({ ...one, ...windows })) }))
      }
      for (const windows of [{ windows: [time] }, {}, { windows: [time] }]) await run(stage(windows))
      expect(await runsWithWindows(history, 0, 3)).toEqual([1, 3])
      expect(await runsWithWindows(history, 1, 3)).toEqual([3])
      expect(await runsWithWindows(history, 0, 2)).toEqual([1])
    })

    it('lists resources of a run with their first run, and marks unreferenced ones', async () => {
      await threeRuns()
      const rows = async (number: number, kind?: Kind) =>
        (await readStateAt(history, payments, number, kind)).map((row) => [
          row.kind,
          row.uid,
          row.body,
          row.since,
          row.isUnreferenced,
        ])
      expect(await rows(1, 'endpoint')).toEqual([
        ['endpoint', 'a', '{}', at(1), false],
        ['endpoint', 'b', '{}', at(1), false],
      ])
      expect((await rows(3)).map(([kind, uid, , since, mark]) => [kind, uid, since, mark])).toEqual([
        ['endpoint', 'a', at(2), false],
        ['endpoint', 'c', at(2), false],
        ['source', 's', at(2), true],
        ['subscription', 'u', at(2), false],
      ])
    })

    it('lists resources after a place, of a kind or with a text, and counts them', async () => {
      await threeRuns()
      const projects = [orders, payments]
      const all = { run: 3, projects, kind: undefined, withRemoved: false, after: undefined, most: 9 }
      const listed = async (choice: Partial<ResourceListChoice> = {}) =>
        (await listResources(history, { ...all, ...choice })).map(({ kind, uid }) => `${kind} ${uid}`)
      expect(await listed()).toEqual(['endpoint a', 'endpoint c', 'source s', 'subscription u'])
      expect(await listed({ most: 2 })).toEqual(['endpoint a', 'endpoint c'])
      const after = { kind: 'endpoint', uid: 'b' } as const
      expect(await listed({ projects: [payments], after })).toEqual(['endpoint c', 'source s', 'subscription u'])
      // A place lies in the first project alone.
      expect(await listed({ projects: [orders, payments], after, most: 1 })).toEqual(['endpoint a'])
      expect(await listed({ projects: [payments], kind: 'endpoint', after })).toEqual(['endpoint c'])
      expect(await listed({ projects: [orders] })).toEqual([])
      expect(await countResources(history, projects, 3)).toEqual([
        { project: payments, kind: 'endpoint', resources: 2 },
        { project: payments, kind: 'source', resources: 1 },
        { project: payments, kind: 'subscription', resources: 1 },
      ])
      expect(await countResources(history, [], 3)).toEqual([])
    })

    it('lists removed resources where they are asked for, with the run that no longer found them', async () => {
      await threeRuns()
      const all = { projects: [payments], kind: 'endpoint', after: undefined, most: 9 } as const
      const listed = async (run: number, withRemoved: boolean) =>
        (await listResources(history, { ...all, run, withRemoved })).map(({ uid, since, removedBy }) => [
          uid,
          since,
          removedBy,
        ])
      expect(await listed(3, true)).toEqual([
        ['a', at(2), null],
        ['b', at(1), 2],
        ['c', at(2), null],
      ])
      expect(await listed(3, false)).toEqual([
        ['a', at(2), null],
        ['c', at(2), null],
      ])
      expect(await listed(1, true)).toEqual([
        ['a', at(1), null],
        ['b', at(1), null],
      ])
    })

    it('lists differences between two runs, without changes that were reverted', async () => {
      await threeRuns()
      await run(async (draft) => {
        await walkAll(draft)
        const id = await idOf(draft, 'a')
        await draft.stage(payments, [aVersion('a', {}, { replaces: id }), aVersion('b')])
      })
      const changesBetween = async (from: number, to: number) =>
        (await readDiffering(history, from, to)).map(({ uid, before, after }) => [uid, before?.body, after?.body])
      expect((await changesBetween(1, 2)).slice(0, 3)).toEqual([
        ['a', '{}', '{"url":"new"}'],
        ['b', '{}', undefined],
        ['c', undefined, '{}'],
      ])
      expect((await changesBetween(1, 4)).map(([uid]) => uid)).toEqual(['c', 's', 'u'])
      expect(await changesBetween(2, 3)).toEqual([])
    })

    it('finds resources by a name that they had and by the beginning of a uid, with their last names', async () => {
      await threeRuns()
      const found = async (text: string, run: number) =>
        (await searchResources(history, text, run)).map(({ kind, uid, name }) => [kind, uid, name])
      const all = await found('', 3)
      expect(all.map(([, uid]) => uid)).toEqual(expect.arrayContaining(['a', 'b', 'c']))
      for (const [kind, uid, name] of all) {
        expect(await found(uid ?? '', 3)).toContainEqual([kind, uid, name])
        if (name !== '') expect(await found(name ?? '', 3)).toContainEqual([kind, uid, name])
      }
      expect(await found('nowhere', 3)).toEqual([])
      expect((await found('c', 1)).filter(([, uid]) => uid === 'c')).toEqual([])
    })

    it('finds the endpoints of an owner as of a run, and no others', async () => {
      await run(async (draft) => {
        await walkAll(draft)
        const versions = [aVersion('a', { owner_id: 'mine' }), aVersion('b', { owner_id: 'theirs' }), aVersion('c', {})]
        await draft.stage(payments, versions)
      })
      await run(async (draft) => {
        await walkAll(draft)
        const replaces = await idOf(draft, 'a')
        const versions = [aVersion('a', { owner_id: 'theirs' }, { replaces })]
        await draft.stage(payments, versions)
      })
      const found = async (owner: string, run: number) =>
        (await findEndpointsOf(history, owner, run)).map(({ project, kind, uid }) => [project.name, kind, uid])
      const of = (uid: string) => [payments.name, 'endpoint', uid]
      expect(await found('mine', 1)).toEqual([of('a')])
      expect(await found('theirs', 1)).toEqual([of('b')])
      expect(await found('mine', 2)).toEqual([])
      expect(await found('theirs', 2)).toEqual([of('a'), of('b')])
      expect(await found('', 2)).toEqual([])
    })

    it('lists versions, violations and referrers of a resource', async () => {
      await threeRuns()
      expect(await identifyResources(history, 'a', 3)).toEqual([a])
      expect(await identifyResources(history, 'nowhere', 3)).toEqual([])
      expect((await readVersionsOf(history, a, 3)).map(({ from, to, isAdded }) => [from, to, isAdded])).toEqual([
        [at(1), at(2), false],
        [at(2), null, false],
      ])
      expect((await readVersionsOf(history, { ...a, uid: 'c' }, 3)).map(({ isAdded }) => isAdded)).toEqual([true])
      const spans = await readViolationsOf(history, a, 3)
      expect(
        spans.map(({ message, from, to, isContinued, goesOn }) => [message, from, to, isContinued, goesOn]),
      ).toEqual([
        ['a is reached without TLS', at(1), at(2), false, true],
        ['in other words', at(2), null, true, false],
      ])
      expect((await readViolationsOf(history, a, 1)).map(({ to, goesOn }) => [to, goesOn])).toEqual([[null, false]])
      const referrer = (fromRun: number, toRun: number | null) => ({
        uid: 'u',
        name: 'name of u',
        fromRun,
        from: at(fromRun),
        toRun,
        to: toRun === null ? null : at(toRun),
      })
      expect(await readReferrersOf(history, a, 3)).toEqual([referrer(1, 2), referrer(2, null)])
      expect(await readReferrersOf(history, { ...a, kind: 'source', uid: 's' }, 3)).toEqual([referrer(1, 2)])
      expect(await readReferrersOf(history, { ...a, kind: 'device', uid: 'd' }, 3)).toEqual([
        referrer(1, 2),
        referrer(2, null),
      ])
      expect(await readReferrersOf(history, { ...a, kind: 'device', uid: 'e' }, 3)).toEqual([])
    })
  })
}
