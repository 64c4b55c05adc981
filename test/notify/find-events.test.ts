import { describe, expect, it } from 'vitest'
import type {
  PreviousScan,
  PriorState,
  ViolationChange,
  ViolationTransition,
} from '../../src/history/notification-facts.ts'
import type { RunRecord } from '../../src/history/records.ts'
import type { CoverageStatus } from '../../src/model/coverage.ts'
import { decidedBy } from '../../src/model/ending.ts'
import type { Listing } from '../../src/model/resource.ts'
import type { Resolution, Severity, Waiver } from '../../src/model/violation.ts'
import {
  byImportance,
  findChanges,
  findEvents,
  foldEndedByPolicy,
  idOf,
  workerEvent,
} from '../../src/notify/find-events.ts'
import { stepIncidents } from '../../src/notify/incidents.ts'
import { eventTypes } from '../../src/notify/message.ts'
import { aContext, aCoverage, aFinding } from '../history/samples.ts'
import { aFailedRule, aGap } from '../report/a-gap.ts'
import { anEvent } from './samples.ts'

const project = 'acme/payments'

function aRecord(other: Partial<RunRecord> = {}): RunRecord {
  const { projects, ...context } = aContext()
  return {
    number: 7,
    started_at: '2026-11-21T03:00:00.000Z',
    finished_at: '2026-11-21T03:01:00.000Z',
    fail_on: 'medium',
    tool_version: '0.1.0',
    policy_digest: 'policy',
    configuration_digest: 'configuration',
    chain: null,
    ...context,
    projects: projects.map((one) => ({ ...one, gaps: [] })),
    coverage: [],
    notices: [],
    changes: [],
    causes: [],
    notes: [],
    violations: [],
    accepted: [],
    ...other,
  }
}

function since(statuses: Partial<Record<Listing, CoverageStatus>>, other: Partial<PriorState> = {}): PriorState {
  const scan: PreviousScan = {
    name: project,
    statuses: new Map(Object.entries(statuses) as [Listing, CoverageStatus][]),
    silent: new Set(),
  }
  const run = { isFirst: false, policyDigest: 'policy', toolVersion: '0.1.0' }
  return {
    ...run,
    scans: new Map([[project, scan]]),
    transitions: [],
    changes: [],
    channels: [],
    incidents: [],
    departed: [],
    ...other,
  }
}

function aMove(
  before: ViolationTransition['before'],
  now: ViolationTransition['now'],
  other: Partial<ViolationTransition> = {},
): ViolationTransition {
  return {
    ...aFinding('e1'),
    project,
    fingerprint: 'f1',
    before,
    now,
    resolution: now === 'ended' ? 'fixed' : null,
    ended_by: null,
    owner: null,
    ...other,
  }
}

const withMoves = (...transitions: readonly ViolationTransition[]): PriorState => since({}, { transitions })
const lines = (record: RunRecord, before: PriorState) =>
  findEvents(record, before).map(({ type, text }) => `${type}: ${text}`)

describe('the events of a run', () => {
  it.each<[CoverageStatus | undefined, CoverageStatus, string[]]>([
    ['complete', 'failed', ['coverage.lost: the endpoints could not be read completely: failed, it is failed']],
    ['complete', 'skipped', ['coverage.lost: the endpoints could not be read completely: skipped, it is skipped']],
    ['skipped', 'partial', ['coverage.lost: the endpoints could not be read completely: partial, it is partial']],
    [undefined, 'suspect', ['coverage.lost: the endpoints could not be read completely: suspect, it is suspect']],
    ['partial', 'complete', ['coverage.regained: the endpoints can be read completely again']],
    ['skipped', 'complete', ['coverage.regained: the endpoints can be read completely again']],
    [undefined, 'complete', []],
    ['complete', 'complete', []],
    ['failed', 'partial', []],
    ['suspect', 'failed', []],
    // A listing that the service never offered was never lost.
    [undefined, 'skipped', []],
    ['failed', 'skipped', []],
    ['skipped', 'skipped', []],
  ])('about coverage that was %s and is %s', (was, is, expected) => {
    const record = aRecord({ coverage: [{ ...aCoverage('endpoints', is), project }] })
    expect(lines(record, since(was === undefined ? {} : { endpoints: was }))).toEqual(expected)
  })

  it('say again what is lost when the project has another name, and its incident passes to that name', () => {
    const listing = 'endpoints'
    const record = (status: CoverageStatus) => aRecord({ coverage: [{ ...aCoverage(listing, status), project }] })
    const scan: PreviousScan = { name: 'acme/former', statuses: new Map([[listing, 'failed']]), silent: new Set() }
    const incident = { channel: 'duty', key: 'k', subjects: [{ subject: `acme/former ${listing}`, state: null }] }
    const before = since({}, { scans: new Map([[project, scan]]), incidents: [incident] })
    const duty = {
      name: 'duty',
      type: 'pagerduty',
      url: 'https://duty.example',
      routing_key: 'not-a-real-key',
    } as const
    const incidentsOf = (status: CoverageStatus) => {
      const events = findEvents(record(status), before)
      const steps = stepIncidents(duty, { record: record(status), before, chosen: events, events })
      return steps.map(({ action, incidents }) => [action, ...incidents.flatMap(({ subjects }) => subjects)])
    }
    expect(incidentsOf('failed')).toEqual([['trigger', `${project} ${listing}`], ['resolve']])
    expect(incidentsOf('complete')).toEqual([['resolve']])
  })

  it('about coverage are critical and name the listing', () => {
    const record = aRecord({ coverage: [{ ...aCoverage('sources', 'failed'), project }] })
    expect(findEvents(record, since({ sources: 'complete' }))).toEqual([
      {
        id: expect.stringMatching(/^evt_[0-9a-f]{32}$/),
        type: 'coverage.lost',
        severity: 'critical',
        project,
        listing: 'sources',
        text: 'the sources could not be read completely: failed, it is failed',
      },
    ])
  })

  it.each<[ViolationTransition['before'], ViolationTransition['now'], string[]]>([
    ['never', 'open', ['violation.opened: e1 is reached without TLS']],
    ['ended', 'open', ['violation.reopened: e1 is reached without TLS']],
    ['waived', 'open', ['violation.reopened: e1 is reached without TLS']],
    // An unknown violation was announced when it opened.
    ['unknown', 'open', []],
    ['open', 'ended', ['violation.resolved: e1 is reached without TLS']],
    ['waived', 'ended', ['violation.resolved: e1 is reached without TLS']],
    ['open', 'waived', []],
    ['never', 'waived', []],
    ['open', 'unknown', ['rule.unknown: its violations could not be checked: "name of e1"']],
  ])('about a violation that was %s and is %s', (before, now, expected) => {
    expect(lines(aRecord(), withMoves(aMove(before, now)))).toEqual(expected)
  })

  it.each<[Resolution, string]>([
    ['fixed', 'violation.resolved'],
    ['removed', 'violation.resolved'],
    ['policy', 'violation.closed'],
    ['accepted', 'violation.closed'],
    ['expired', 'violation.closed'],
  ])('about a violation that ended as %s are %s', (resolution, type) => {
    const [event] = findEvents(aRecord(), withMoves(aMove('open', 'ended', { resolution })))
    expect(event).toMatchObject({ type, resolution })
    expect(JSON.parse(JSON.stringify(event))).not.toHaveProperty('ended_by')
  })

  it('name whose it is, and who ended it, where the history says so', () => {
    const ended_by = decidedBy('acceptance', { by: 'nora', at: null, reason: 'internal' })
    const [event] = findEvents(
      aRecord(),
      withMoves(aMove('open', 'ended', { resolution: 'accepted', ended_by, owner: 'tenant-06' })),
    )
    expect(event).toMatchObject({ ended_by: ended_by, owner: 'tenant-06' })
  })

  it('fold violations that the policy no longer asks for into one event', () => {
    const moves = ['f1', 'f2', 'f3'].map((fingerprint, at) =>
      aMove('open', 'ended', { fingerprint, resolution: at === 0 ? 'fixed' : 'policy' }),
    )
    const folded = foldEndedByPolicy(findEvents(aRecord(), withMoves(...moves)), ['hook', 7])
    expect(folded.map(({ type, project: of, text }) => [type, of, text])).toEqual([
      ['violation.resolved', project, 'e1 is reached without TLS'],
      ['violation.closed', null, '2 violations: endpoint/url-not-https (2 no longer required)'],
    ])
    expect(foldEndedByPolicy([], ['hook', 7])).toEqual([])
  })

  it('fold violations of several rules by rule, under the worst severity and an id of their message', () => {
    const closed = (rule: string, severity: Severity) =>
      aMove('open', 'ended', { fingerprint: rule, rule, severity, resolution: 'policy' })
    const events = findEvents(aRecord(), withMoves(closed('b/two', 'low'), closed('a/one', 'high')))
    const [folded, ...others] = foldEndedByPolicy(events, ['hook', 7])
    expect(others).toEqual([])
    expect(folded).toEqual({
      id: idOf(['violation.closed', 'hook', 7]),
      type: 'violation.closed',
      severity: 'high',
      project: null,
      resolution: 'policy',
      text: '2 violations: a/one (1 no longer required), b/two (1 no longer required)',
    })
    const [single] = foldEndedByPolicy(findEvents(aRecord(), withMoves(closed('a/one', 'high'))), ['hook', 7])
    expect(single?.text).toBe('1 violation: a/one (1 no longer required)')
  })

  it('about a violation carry all that identifies it', () => {
    expect(findEvents(aRecord(), withMoves(aMove('never', 'open')))).toEqual([
      {
        id: expect.stringMatching(/^evt_[0-9a-f]{32}$/),
        type: 'violation.opened',
        severity: 'high',
        project,
        rule: 'endpoint/url-not-https',
        kind: 'endpoint',
        uid: 'e1',
        name: 'name of e1',
        path: '/url',
        fingerprint: 'f1',
        text: 'e1 is reached without TLS',
      },
    ])
  })

  it('name the first violation that became unknown by rule and project, and count the others', () => {
    const moves = [
      aMove('open', 'unknown', { name: '', uid: 'e9' }),
      aMove('open', 'unknown', { fingerprint: 'f2' }),
      aMove('open', 'unknown', { fingerprint: 'f3' }),
      aMove('open', 'unknown', { fingerprint: 'f4', project: 'acme/crm' }),
    ]
    const events = findEvents(aRecord(), withMoves(...moves))
    expect(events.map(({ project, text, severity, rule }) => [project, text, severity, rule])).toEqual([
      ['acme/crm', 'its violations could not be checked: "name of e1"', 'high', 'endpoint/url-not-https'],
      [project, 'its violations could not be checked: "e9" and 2 more', 'high', 'endpoint/url-not-https'],
    ])
  })

  it('about a rule are as severe as the worst of its violations that became unknown', () => {
    const severitiesOf = (record: RunRecord, ...moves: readonly ViolationTransition[]) =>
      findEvents(record, withMoves(...moves)).map(({ severity }) => severity)
    const raised = aMove('open', 'unknown', { severity: 'critical' })
    const lowered = aMove('open', 'unknown', { fingerprint: 'f2', severity: 'low' })
    expect(severitiesOf(aRecord(), lowered, raised)).toEqual(['critical'])
    expect(severitiesOf(aRecord(), lowered)).toEqual(['high'])
    const projects = aContext().projects.map((one) => ({ ...one, gaps: [aFailedRule(raised.rule)] }))
    expect(severitiesOf(aRecord({ projects }), raised)).toEqual(['critical'])
  })

  it('name a rule that evaluated nothing of a project, and not one that missed some resources', () => {
    const silent = aGap('endpoint/a', { cause: 'nothing_to_compare', text: 'it came empty' })
    const gaps = [silent, aGap('endpoint/b')]
    const projects = aContext().projects.map((one) => ({ ...one, gaps: one.project === project ? gaps : [] }))
    const events = findEvents(aRecord({ projects }), withMoves())
    expect(events.map(({ type, text }) => [type, text])).toEqual([['rule.unknown', 'it came empty']])
  })

  it('omit a rule whose violations were unknown before', () => {
    const { waiver: _, ...finding } = aFinding('e2')
    const unknown = {
      ...finding,
      project,
      fingerprint: 'f2',
      state: 'unknown',
      first_seen: '2026-11-20T03:00:00.000Z',
      last_seen: '2026-11-20T03:00:00.000Z',
      owner: null,
      resolution: null,
      ended_by: null,
    } as const
    const record = aRecord({ violations: [unknown] })
    expect(lines(record, withMoves(aMove('open', 'unknown')))).toEqual([])
    // Its own record is not one from before.
    expect(lines(record, withMoves(aMove('open', 'unknown', { fingerprint: 'f2' })))).toHaveLength(1)
    const open = aRecord({ violations: [{ ...unknown, state: 'continuing' }] })
    expect(lines(open, withMoves(aMove('open', 'unknown')))).toHaveLength(1)
    const elsewhere = aRecord({ violations: [{ ...unknown, project: 'acme/crm' }] })
    expect(lines(elsewhere, withMoves(aMove('open', 'unknown')))).toHaveLength(1)
  })

  it('name a rule that could not be evaluated, once, with its reason', () => {
    const record = aRecord({ projects: aContext().projects })
    expect(findEvents(record, since({}))).toEqual([
      {
        id: expect.stringMatching(/^evt_[0-9a-f]{32}$/),
        type: 'rule.unknown',
        // The record does not hold this rule's severity.
        severity: 'medium',
        project,
        rule: 'endpoint/orphan',
        text: 'endpoint/orphan was not evaluated: it threw',
      },
    ])
    const lost = aMove('open', 'unknown', { rule: 'endpoint/orphan' })
    expect(lines(record, withMoves(lost))).toEqual(['rule.unknown: endpoint/orphan was not evaluated: it threw'])
    const before: PreviousScan = {
      name: project,
      statuses: new Map(),
      silent: new Set(['endpoint/orphan']),
    }
    expect(lines(record, since({}, { scans: new Map([[project, before]]) }))).toEqual([])
    expect(lines(record, since({}, { scans: new Map() }))).toHaveLength(1)
  })

  it('have the same ids for the same run, and others for another run', () => {
    const before = withMoves(aMove('never', 'open'), aMove('never', 'open', { fingerprint: 'f2', uid: 'e2' }))
    const ids = (other: Partial<RunRecord>) => findEvents(aRecord(other), before).map(({ id }) => id)
    expect(ids({})).toEqual(ids({ finished_at: 'later' }))
    const all = [{}, { number: 8 }, { started_at: '2026-11-21T04:00:00.000Z' }, { configuration_digest: 'x' }].flatMap(
      ids,
    )
    expect(new Set(all).size).toBe(8)
  })

  it('have ids of their own for each listing and each rule', () => {
    const coverage = (['endpoints', 'sources'] as const).map((of) => ({ ...aCoverage(of, 'failed'), project }))
    const transitions = ['a/one', 'b/two'].map((rule) => aMove('open', 'unknown', { rule, fingerprint: rule }))
    const events = findEvents(aRecord({ coverage }), since({ sources: 'complete' }, { transitions }))
    expect(events.map(({ type }) => type)).toEqual(['coverage.lost', 'coverage.lost', 'rule.unknown', 'rule.unknown'])
    expect(new Set(events.map(({ id }) => id)).size).toBe(4)
  })

  it('about a project that no run announced before are those of a first scan', () => {
    const record = aRecord({ coverage: [{ ...aCoverage('endpoints', 'failed'), project }] })
    expect(lines(record, since({}, { scans: new Map() }))).toEqual([
      'coverage.lost: the endpoints could not be read completely: failed, it is failed',
    ])
  })

  it('come with the most important first', () => {
    const record = aRecord({ coverage: [{ ...aCoverage('endpoints', 'complete'), project }] })
    const transitions = [aMove('open', 'ended'), aMove('never', 'open', { fingerprint: 'f2', severity: 'low' })]
    expect(findEvents(record, since({ endpoints: 'failed' }, { transitions })).map(({ type }) => type)).toEqual([
      'violation.opened',
      'coverage.regained',
      'violation.resolved',
    ])
  })
})

describe('what is new about violations that have not ended', () => {
  const change = (other: Partial<ViolationChange>): ViolationChange => {
    const { waiver: _, ...finding } = aFinding('e1')
    return {
      ...finding,
      project,
      fingerprint: 'f1',
      owner: null,
      was: { severity: 'low', message: 'e1 may be reached without TLS' },
      ...other,
    }
  }
  const waiver: Waiver = { owner: 'payments team', reason: 'moves soon', expires: '2026-12-01T00:00:00.000Z' }
  const waivedBy = (of: Waiver | undefined) => {
    const { waiver: _, ...finding } = aFinding('e1')
    const violation = {
      ...finding,
      ...(of === undefined ? {} : { waiver: of }),
      project,
      fingerprint: 'f1',
      state: 'waived',
      first_seen: '2026-11-20T03:00:00.000Z',
      last_seen: '2026-11-20T03:00:00.000Z',
      owner: null,
      resolution: null,
      ended_by: null,
    } as const
    return findChanges(aRecord({ violations: [violation] }), withMoves(aMove('open', 'waived')))
  }

  it.each<[Severity, Severity, string[]]>([
    ['low', 'high', ['violation.raised: e1 is reached without TLS (severity was low)']],
    ['high', 'low', []],
    ['high', 'high', []],
  ])('is an event of the run where it was %s and is %s: only a higher severity', (was, severity, expected) => {
    const changed = { ...change({ severity }), was: { severity: was, message: 'e1 may be reached without TLS' } }
    expect(lines(aRecord(), since({}, { changes: [changed] }))).toEqual(expected)
  })

  it.each<[Partial<ViolationChange>, string]>([
    [{}, 'severity high (was low); e1 is reached without TLS (was: e1 may be reached without TLS)'],
    [{ severity: 'low' }, 'e1 is reached without TLS (was: e1 may be reached without TLS)'],
    [{ message: 'e1 may be reached without TLS' }, 'severity high (was low)'],
  ])('is said as it is and was: %j', (other, text) => {
    const [event, ...others] = findChanges(aRecord(), since({}, { changes: [change(other)] }))
    expect(others).toEqual([])
    expect(event).toMatchObject({ type: 'violation.changed', rule: 'endpoint/url-not-https', fingerprint: 'f1', text })
  })

  it.each<[string, Waiver | undefined, string]>([
    ['a waiver', waiver, 'waived by payments team until the end of 2026-11-30: moves soon'],
    [
      'a waiver with a ticket',
      { ...waiver, ticket: 'OPS-4711' },
      'waived by payments team until the end of 2026-11-30: moves soon (OPS-4711)',
    ],
    ['a waiver that the record does not name', undefined, 'a waiver accepts it'],
  ])('is %s', (_, of, text) => {
    expect(waivedBy(of)).toMatchObject([{ type: 'violation.waived', fingerprint: 'f1', text }])
  })

  it('is nothing where they open, end or cannot be checked', () => {
    const moves = [aMove('never', 'open'), aMove('open', 'ended'), aMove('open', 'unknown')]
    expect(findChanges(aRecord(), withMoves(...moves))).toEqual([])
  })
})

describe('the order of events', () => {
  it('puts bad events before good, severe before light, then type, project, rule, uid and id', () => {
    const sorted = [
      anEvent(1, { severity: 'critical', type: 'worker.failed', project: null }),
      anEvent(2, { severity: 'critical', type: 'coverage.lost' }),
      anEvent(3, { severity: 'high', type: 'violation.opened', project: 'a', rule: 'b' }),
      anEvent(4, { severity: 'high', type: 'violation.opened', project: 'b', rule: 'a', uid: 'z' }),
      anEvent(5, { severity: 'high', type: 'violation.opened', project: 'b', rule: 'b', uid: 'a' }),
      anEvent(6, { severity: 'high', type: 'violation.opened', project: 'b', rule: 'b', uid: 'b' }),
      anEvent(7, { severity: 'high', type: 'violation.opened', project: 'b', rule: 'b', uid: 'b' }),
      anEvent(8, { severity: 'low', type: 'violation.reopened', project: 'a' }),
      anEvent(9, { severity: 'critical', type: 'worker.recovered', project: null }),
      anEvent(10, { severity: 'critical', type: 'coverage.regained' }),
      anEvent(11, { severity: 'low', type: 'violation.resolved' }),
    ]
    expect(sorted.toReversed().sort(byImportance)).toEqual(sorted)
    expect(sorted.map((event) => byImportance(event, event))).toEqual(sorted.map(() => 0))
  })

  it('treats a missing project, rule or uid as empty', () => {
    const { project: _, rule: __, uid: ___, ...bare } = anEvent(1)
    const empty = anEvent(1, { project: '', rule: '', uid: '' })
    expect(byImportance({ ...bare, project: null }, empty)).toBe(0)
    expect(byImportance(empty, { ...bare, project: null })).toBe(0)
  })

  it('covers every type', () => {
    const events = eventTypes.map((type) => anEvent(1, { type }))
    expect(
      events
        .toReversed()
        .sort(byImportance)
        .map(({ type }) => type),
    ).toEqual([...eventTypes])
  })
})

describe('the id of an event', () => {
  it('is a prefix and 32 hex digits that depend on each part', () => {
    expect(idOf(['a', 1, null])).toMatch(/^evt_[0-9a-f]{32}$/)
    expect(idOf(['a'], 'msg')).toMatch(/^msg_/)
    expect(new Set([idOf(['a', 'b']), idOf(['ab']), idOf(['b', 'a']), idOf(['a', null])]).size).toBe(4)
  })

  it('of the worker itself depends on what happened and when', () => {
    const event = workerEvent('worker.failed', 'it ended', '2026-11-21T03:00:00.000Z')
    expect(event).toMatchObject({ type: 'worker.failed', severity: 'critical', project: null, text: 'it ended' })
    expect(workerEvent('worker.failed', 'it ended', '2026-11-21T04:00:00.000Z').id).not.toBe(event.id)
    expect(workerEvent('worker.failed', 'it stopped', '2026-11-21T03:00:00.000Z').id).not.toBe(event.id)
  })
})
