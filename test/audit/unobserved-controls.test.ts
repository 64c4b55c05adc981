import { describe, expect, it } from 'vitest'
import { approvalsOf } from '../../src/audit/approve-run.ts'
import { findLastRun, listRuns } from '../../src/history/sql/runs.ts'
import type { Report } from '../../src/model/report.ts'
import type { Policy } from '../../src/policy/policy.ts'
import { readRules } from '../../src/questions/read-rules.ts'
import type { ControlEvidence } from '../../src/report/compliance/compliance.ts'
import { composeCompliance } from '../compliance/checked-compliance.ts'
import { replayRuns } from '../replay/replay-runs.ts'
import { project } from '../service/fake-service.ts'
import { policyOf } from './audit-harness.ts'
import { violationLines } from './fleet-fixture.ts'
import { anEndpoint, aRow, aSubscription, openLiteral, type Shown } from './literal-service.ts'

/** A control of one rule alone, so that no other one lacks evidence in its place. */
function assess(report: Report, rule: string): ControlEvidence {
  const evidence = [{ rules: [rule], rationale: 'So it was decided.' }]
  const framework = { id: 'ours', title: 'Ours', controls: [{ id: 'C', title: 'The control', evidence }] }
  const [control] = composeCompliance({ report, framework }).controls
  if (control === undefined) throw new Error('the framework has one control')
  return control
}

function stateOf(report: Report, rule: string): string {
  return assess(report, rule).state
}

function policyWith(...rules: string[]) {
  return policyOf(`extends: []\nrules: { ${rules.map((rule) => `${rule}: {}`).join(', ')} }`)
}

type LiteralFixture = Awaited<ReturnType<typeof openLiteral>>

async function approveLastRun({ harness }: LiteralFixture): Promise<void> {
  await harness.withHistory(async (history) => {
    const run = await findLastRun(history)
    if (run === undefined) throw new Error('a run was committed')
    await history.approve(await approvalsOf(history, run, () => true, { by: 'eve', at: run.finished_at, note: '' }))
  })
}

/** What a replay of the first runs says that rules could not evaluate, run by run. */
function replayedGaps({ harness }: LiteralFixture, policy: Policy) {
  return harness.withHistory(async (history) => {
    const runs = await listRuns(history)
    const replays = runs.map((_, index) => replayRuns(history, { policy, runs: runs.slice(0, index + 1) }))
    return (await Promise.all(replays)).map(({ report }) => report.gaps)
  })
}

const three = ['s1', 's2', 's3']
const fleet: Shown = {
  endpoints: [anEndpoint('e1'), anEndpoint('e2')],
  subscriptions: three.map((uid) => aSubscription(uid, 'e1')),
  eventTypes: ['*', 'order.created'].map((name) => ({
    uid: `type ${name}`,
    name,
    category: '',
    description: '',
    json_schema: null,
    deprecated_at: null,
  })),
}
const withRows: Shown = {
  ...fleet,
  filters: Object.fromEntries(three.map((uid) => [uid, [aRow(uid, 'order.created')]])),
}

describe('a control is not met', () => {
  it('where the configuration does not request the catalogue of event types that its rule reads', async () => {
    const rule = 'subscription/event-type-deprecated'
    await using fixture = await openLiteral(fleet)
    const off = await fixture.audit({ policy: policyWith(rule) })
    expect(assess(off, rule)).toMatchObject({
      state: 'partially_assessed',
      reason: '1 listing of what its rules evaluate was not complete.',
      coverage: { gaps: [{ listing: 'event_types', status: 'skipped' }] },
    })
    const listed = await fixture.audit({ listings: { event_types: 'auto' } })
    expect(stateOf(listed, rule)).toBe('met')
  })

  it.each([
    ['source/dead-letter-missing'],
    ['source/event-type-unsigned'],
    ['source/idempotency-missing'],
    ['source/idempotency-broken'],
    ['source/queue-duplicate'],
    ['source/queue-plaintext'],
    ['source/queue-static-keys'],
    ['source/verifier-broken'],
  ])('where sources are known from subscriptions alone, which do not show what %s reads', async (rule) => {
    const source = { uid: 'queue', name: 'queue', type: 'pub_sub', verifier: null, is_disabled: false }
    const subscriptions = [aSubscription('s1', 'e1', { source_metadata: { ...source, project_id: project } })]
    await using fixture = await openLiteral({ ...fleet, subscriptions, sources: [] })
    const policy = policyWith(rule, 'source/unverified')
    const off = await fixture.audit({ policy, listings: { sources: 'off' } })
    expect(assess(off, rule)).toMatchObject({
      state: 'partially_assessed',
      coverage: { gaps: [{ listing: 'sources', status: 'skipped', reason: 'the configuration does not request it' }] },
    })
    expect(stateOf(off, 'source/unverified')).toBe('met')
    const rules = await fixture.harness.withHistory((history) => readRules(history, 1))
    expect(rules.find(({ id }) => id === rule)?.missed).toEqual([
      {
        project: 'acme/orders',
        reason: `${rule} missed what only the list of sources shows: the configuration does not request it`,
      },
    ])
  })

  it('where the catalogue came empty, which says nothing of any event type', async () => {
    const rule = 'subscription/event-type-deprecated'
    await using fixture = await openLiteral({ ...fleet, eventTypes: [] })
    const empty = await fixture.audit({ policy: policyWith(rule), listings: { event_types: 'auto' } })
    const reason = `${rule} was not evaluated: what it compares with came empty`
    expect(assess(empty, rule)).toMatchObject({
      state: 'not_assessed',
      reason: `${reason} (acme/orders).`,
      coverage: { gaps: [] },
      rules: [{ evaluated: 0, not_evaluated: [{ reason }] }],
    })
  })

  it('where the catalogue could not be read, of which a rule about large losses would have noticed one', async () => {
    const rule = 'project/mass-removal'
    const turn = { policy: policyWith(rule), listings: { event_types: 'auto' } } as const
    await using fixture = await openLiteral(fleet)
    expect(stateOf(await fixture.audit(turn), rule)).toBe('met')
    fixture.show({ eventTypes: ['no JSON'] })
    expect(stateOf(await fixture.audit(turn), rule)).toBe('partially_assessed')
    // Without a catalogue there is nothing to lose in it.
    expect(stateOf(await fixture.audit({ policy: policyWith(rule) }), rule)).toBe('met')
  })

  it.each([
    ['subscription/no-filter'],
    ['subscription/filter-off'],
    ['subscription/filter-diverges'],
    ['drift/filter-removed'],
  ])('where no run has read the filter rows that %s reads', async (rule) => {
    await using offered = await openLiteral(withRows)
    const turn = { policy: policyWith(rule, 'subscription/wildcard'), listings: { filters: 'auto' } } as const
    const first = await offered.audit({ ...turn, filtersPerRun: 2 })
    const reason = `${rule} missed 1 subscription whose filter rows were not read`
    expect(assess(first, rule)).toMatchObject({
      state: 'partially_assessed',
      reason: `${reason} (acme/orders).`,
      rules: [{ evaluated: 2, not_evaluated: [{ reason }] }],
    })
    expect(stateOf(first, 'subscription/wildcard')).toBe('met')
    // The next run reads the rest; what it does not read again keeps its last reading.
    expect(stateOf(await offered.audit({ ...turn, filtersPerRun: 2 }), rule)).toBe('met')

    await using without = await openLiteral(fleet)
    expect(stateOf(await without.audit(turn), rule)).toBe('not_assessed')
    expect(stateOf(await without.audit({ ...turn, listings: { filters: 'off' } }), rule)).toBe('not_assessed')
  })

  it('where rows could not be read again, of which a drift rule would have noticed a change', async () => {
    const rules = ['drift/filter-removed', 'drift/filter-widened']
    await using fixture = await openLiteral(withRows)
    const turn = { policy: policyWith(...rules), listings: { filters: 'auto' } } as const
    const first = await fixture.audit(turn)
    fixture.show({ filters: { ...withRows.filters, s1: 500 } })
    const second = await fixture.audit(turn)
    expect(second.drift).toEqual([])
    for (const rule of rules) {
      expect([stateOf(first, rule), stateOf(second, rule)], rule).toEqual(['met', 'partially_assessed'])
    }
  })

  it('where a field was not shown, of which a drift rule would have noticed a change', async () => {
    const rules = ['drift/url-host-changed', 'drift/secret-changed', 'drift/authentication-lost']
    const policy = policyWith(...rules)
    const { url, ...shown } = anEndpoint('e1')
    await using fixture = await openLiteral(fleet)
    const states = (report: Report) => rules.map((rule) => stateOf(report, rule))
    expect(states(await fixture.audit({ policy }))).toEqual(['met', 'met', 'met'])
    fixture.show({ endpoints: [shown, anEndpoint('e2')] })
    const second = await fixture.audit()
    expect(second.drift).toEqual([])
    // An address may hold secrets; authentication it is not.
    expect(states(second)).toEqual(['partially_assessed', 'partially_assessed', 'met'])
    expect(assess(second, 'drift/url-host-changed').rules).toMatchObject([{ evaluated: 1 }])
    fixture.show({ endpoints: [{ ...shown, url: url ?? null }, anEndpoint('e2')] })
    expect(states(await fixture.audit())).toEqual(['met', 'met', 'met'])
  })

  it('where secrets were sealed under another installation key, of which a drift rule would have noticed a change', async () => {
    const [rule, other] = ['drift/secret-changed', 'drift/url-host-changed']
    const policy = policyWith(rule, other)
    await using fixture = await openLiteral(fleet)
    const before = await fixture.audit({ policy })
    const anew = await fixture.audit({ installationKey: 2 })
    const after = await fixture.audit({ installationKey: 2 })
    expect([before, anew, after].map((report) => stateOf(report, rule))).toEqual(['met', 'not_assessed', 'met'])
    expect([before, anew, after].map((report) => stateOf(report, other))).toEqual(['met', 'met', 'met'])
    const reason = `${rule} missed 2 endpoints whose secrets[].value another installation key, or an earlier version, sealed before`
    expect(assess(anew, rule).rules).toMatchObject([{ evaluated: 0, not_evaluated: [{ reason }] }])
    expect(anew.verdict.text).toContain('1 rule could not evaluate everything')
    expect(await replayedGaps(fixture, policy)).toEqual([before, anew, after].map(({ gaps }) => gaps))
  })

  it('where a baseline was approved under another installation key', async () => {
    const rules = ['drift/secret-changed', 'drift/unexpected']
    const turn = { policy: policyWith(...rules), listings: { event_types: 'auto' } } as const
    await using fixture = await openLiteral({
      ...fleet,
      endpoints: [anEndpoint('e1'), anEndpoint('e2', { secrets: [] })],
    })
    await fixture.audit(turn)
    await approveLastRun(fixture)
    const states = (report: Report) => rules.map((rule) => stateOf(report, rule))
    expect(states(await fixture.audit(turn))).toEqual(['met', 'met'])
    for (const installationKey of [2, 2]) {
      const report = await fixture.audit({ ...turn, installationKey })
      expect(states(report)).toEqual(['partially_assessed', 'partially_assessed'])
    }
    await approveLastRun(fixture)
    expect(states(await fixture.audit({ ...turn, installationKey: 2 }))).toEqual(['met', 'met'])
  })

  it('where a filter of the configuration narrowed what its rules evaluate', async () => {
    const [wide, narrow] = ['source/unverified', 'endpoint/orphan']
    await using fixture = await openLiteral({ ...fleet, endpoints: [anEndpoint('e1')] })
    const policy = policyWith(wide, narrow)
    const whole = await fixture.audit({ policy })
    expect([stateOf(whole, wide), stateOf(whole, narrow)]).toEqual(['met', 'met'])
    const narrowed = await fixture.audit({ filters: { endpoints: { name: 'e' } } })
    expect(stateOf(narrowed, wide)).toBe('met')
    expect(assess(narrowed, narrow)).toMatchObject({
      state: 'partially_assessed',
      reason: 'A filter of the configuration narrowed 1 listing of what its rules evaluate.',
    })
  })
})

it('a difference from the approved state is not fixed by a scan that could not read the rows of the subscription', async () => {
  const rule = 'drift/unexpected'
  const policy = policyWith(rule)
  await using fixture = await openLiteral(withRows)
  const turn = { policy, listings: { filters: 'auto', event_types: 'auto' } } as const
  const approved = await fixture.audit(turn)
  await approveLastRun(fixture)
  const subscriptions = withRows.subscriptions ?? []
  const [, ...others] = subscriptions
  fixture.show({ subscriptions: [aSubscription('s1', 'e1', { name: 'renamed' }), ...others] })
  const renamed = await fixture.audit(turn)
  fixture.show({ subscriptions, filters: { ...withRows.filters, s1: 500 } })
  const unread = await fixture.audit(turn)
  fixture.show(withRows)
  const read = await fixture.audit(turn)
  expect([approved, renamed, unread, read].map(violationLines)).toEqual([
    [],
    ['opened drift/unexpected s1'],
    ['unknown drift/unexpected s1'],
    ['resolved drift/unexpected s1'],
  ])
  expect([approved, renamed, unread, read].map((report) => stateOf(report, rule))).toEqual([
    'met',
    'not_met',
    'partially_assessed',
    'met',
  ])
})
