import { describe, expect, it } from 'vitest'
import { approvalsOf } from '../../src/audit/approve-run.ts'
import { unknownGateway } from '../../src/config/read-gateway.ts'
import { listApprovals } from '../../src/history/sql/approvals.ts'
import { listRuns } from '../../src/history/sql/runs.ts'
import { readLatestScans } from '../../src/history/sql/scans.ts'
import { readBaselineDiff } from '../../src/questions/baseline-diff.ts'
import { compareStates } from '../../src/questions/compare.ts'
import { readScannedState } from '../../src/questions/compared-side.ts'
import { readDiff } from '../../src/questions/diff.ts'
import { readRestore } from '../../src/questions/restore.ts'
import { isGap } from '../../src/report/gaps.ts'
import { type AuditTurn, policyOf } from '../audit/audit-harness.ts'
import { at } from '../audit/fleet-fixture.ts'
import { anEndpoint, aRow, aSecret, aSubscription, openLiteral, type Shown } from '../audit/literal-service.ts'

const { url: _, ...hidden } = anEndpoint('e1')
const password = (value: string) => ({ type: 'basic_auth', basic_auth: { username: 'u', password: value } })
const good: Shown = {
  endpoints: [anEndpoint('e1', { authentication: password('a-long-password-1') })],
  subscriptions: [aSubscription('b1', 'e1')],
  filters: { b1: [aRow('b1', 'order.created')] },
}
const withEndpoint = (...endpoints: NonNullable<Shown['endpoints']>): Shown => ({ ...good, endpoints })

/** What a comparison says of two states that may be equal. */
type Said = 'equal' | 'unknown' | 'different'

interface Doubt {
  /** What a run shows that leaves it in doubt whether anything changed. */
  readonly shown: Shown
  readonly turn?: Omit<AuditTurn, 'url'>
  /** The resource whose former state is asked for. */
  readonly uid: string
  readonly says: Readonly<Record<'compare' | 'diff' | 'back' | 'baseline' | 'restore', Said>>
  /** What becomes of a violation of a drift rule, against the last scan and against an approved state. */
  readonly violation: { readonly rule: string; readonly bad: Shown; readonly drift: string; readonly expected: string }
}

const all = { compare: 'unknown', diff: 'unknown', back: 'unknown', baseline: 'unknown', restore: 'unknown' } as const
const moved = withEndpoint(anEndpoint('e1', { url: 'https://evil.example/hooks' }))
const ofUrl = { rule: 'drift/url-host-changed', bad: moved, drift: 'unknown', expected: 'unknown' }
const auth = { authentication: password('a-long-password-1') }

const doubts: Readonly<Record<string, Doubt>> = {
  'a field that is not shown': {
    shown: withEndpoint({ ...hidden, ...auth }),
    uid: 'e1',
    says: all,
    violation: ofUrl,
  },
  'a malformed field': {
    shown: withEndpoint(anEndpoint('e1', { ...auth, url: ['x'] })),
    uid: 'e1',
    // What is shown is another value; the request sets the former one, which is known.
    says: { compare: 'unknown', diff: 'different', back: 'different', baseline: 'different', restore: 'different' },
    violation: ofUrl,
  },
  'a secret under another installation key': {
    shown: good,
    turn: { installationKey: 2 },
    uid: 'e1',
    // Which secret it is, is not compared.
    says: { ...all, compare: 'equal' },
    violation: {
      rule: 'drift/secret-changed',
      bad: withEndpoint(
        anEndpoint('e1', { ...auth, secrets: [aSecret('e1-secret', { value: 'another-key-of-32-characters!!!' })] }),
      ),
      drift: 'unknown',
      expected: 'unknown',
    },
  },
  'filter rows that were not read': {
    shown: { ...good, filters: { b1: 500 } },
    uid: 'b1',
    says: all,
    violation: {
      rule: 'drift/filter-removed',
      bad: { ...good, filters: { b1: [] } },
      drift: 'unknown',
      expected: 'unknown',
    },
  },
  'a walk that broke off': {
    shown: withEndpoint(anEndpoint('e1', auth), '{"uid": 5}'),
    uid: 'e1',
    says: all,
    violation: ofUrl,
  },
}

describe.each(Object.entries(doubts))('%s', (_, { shown, turn = {}, uid, says, violation }) => {
  it('is unknown where two states may be equal', async () => {
    await using fixture = await openLiteral(good)
    await fixture.audit()
    await fixture.harness.withHistory(async (history) => {
      const [run] = await listRuns(history)
      if (run === undefined) throw new Error('no run')
      const signed = { by: 'eve', at: '2026-11-21T04:00:00.000Z', note: 'agreed' }
      await history.approve(await approvalsOf(history, run, () => true, signed))
    })
    fixture.show(shown)
    await fixture.audit(turn)
    const said = await fixture.harness.withHistory(async (history) => {
      const runs = await listRuns(history)
      const [from, to] = [at(runs, 0), at(runs, 1)]
      const said = (rows: readonly unknown[], unknown: readonly string[]): Said =>
        rows.length > 0 ? 'different' : unknown.length > 0 ? 'unknown' : 'equal'
      const unknownIn = ({ unknown = [], coverage = [] }: Awaited<ReturnType<typeof readDiff>>) => [
        ...unknown,
        ...coverage.filter(isGap).map(({ listing }) => listing),
      ]
      const diff = (query: { from: typeof from; to: typeof to }) =>
        readDiff(history, { ...query, projects: [], kind: undefined, withPatch: false, limit: 9 })
      const [there, back] = [await diff({ from, to }), await diff({ from: to, to: from })]
      const approvals = await listApprovals(history)
      const baseline = await readBaselineDiff(history, { run: to, projects: [], limit: 9, approvals })
      const restored = await readRestore(history, {
        ...{ uid, run: to, chosenRun: from, rule: undefined, projects: [], kind: undefined, limit: 9 },
        gatewayOf: () => unknownGateway('acme'),
        policyOf: async () => undefined,
      })
      const sideOf = async (run: typeof from, name: string) => {
        const scan = at(await readLatestScans(history, run.number), 0)
        const state = await readScannedState(history, scan, run)
        return { ...state, scan: { ...scan, project: { ...scan.project, name, uid: name } } }
      }
      const query = {
        run: to,
        a: 'p0',
        b: 'p1',
        matching: 'name',
        kind: undefined,
        hosts: [],
        ignored: [],
        limit: 9,
      } as const
      const compared = compareStates(await sideOf(from, 'p0'), await sideOf(to, 'p1'), query)
      const isUnknown = /unknown|did not read all/.test(
        [...(restored.remarks ?? []), ...(restored.conclusion ?? [])].join(),
      )
      return {
        compare: (compared.answer.more as { verdict: Said }).verdict,
        diff: said(there.rows, unknownIn(there)),
        back: said(back.rows, unknownIn(back)),
        baseline: said(baseline.answer.rows, baseline.isPartial ? ['partial'] : []),
        restore: said(restored.rows, isUnknown ? ['unknown'] : []),
      }
    })
    expect(said).toEqual(says)
  })

  it.each(['drift', 'expected'] as const)('ends no violation: %s', async (against) => {
    const policy = policyOf(`extends: []\nrules: { ${violation.rule}: high }`)
    await using fixture = await openLiteral(good)
    await fixture.audit({ policy })
    if (against === 'expected')
      await fixture.harness.withHistory(async (history) => {
        const run = at(await listRuns(history), 0)
        const signed = { by: 'eve', at: '2026-11-21T04:00:00.000Z', note: 'agreed' }
        await history.approve(await approvalsOf(history, run, () => true, signed))
      })
    fixture.show(violation.bad)
    const opened = await fixture.audit({ policy })
    fixture.show(shown)
    const { violations } = await fixture.audit({ policy, ...turn })
    expect([opened, { violations }].map((one) => one.violations.map(({ state }) => state).join())).toEqual([
      'opened',
      violation[against],
    ])
  })
})
