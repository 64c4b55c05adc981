import { describe, expect, it } from 'vitest'
import type { PolicyException } from '../../src/model/policy-facts.ts'
import type { Report } from '../../src/model/report.ts'
import { isAtLeast, severities } from '../../src/model/violation.ts'
import { builtInFrameworkIds } from '../../src/report/compliance/built-in-frameworks.ts'
import type { ControlState } from '../../src/report/compliance/compliance.ts'
import { builtInFramework, type Framework } from '../../src/report/compliance/framework.ts'
import { aFailedRule, aGap } from '../report/a-gap.ts'
import { anAcceptance, aReport, aViolation, aWalk } from '../report/sample-reports.ts'
import { composeCompliance } from './checked-compliance.ts'

const framework: Framework = {
  id: 'ours',
  title: 'Our own',
  controls: [
    { id: 'E', title: 'Endpoints', evidence: [{ rules: ['endpoint/*'], rationale: 'They receive.' }] },
    { id: 'S', title: 'Sources', evidence: [{ rules: ['source/*'], rationale: 'They send.' }] },
    { id: 'P', title: 'Projects', evidence: [{ rules: ['project/*'], rationale: 'They contain both.' }] },
    { id: 'N', title: 'Nothing of ours', evidence: [] },
  ],
}

const rule = (id: string, kind: 'endpoint' | 'source' | 'project', controls: string[] = []) =>
  ({ id, kind, title: `Rule ${id}`, remediation: '', severity: 'high', controls, needs: [kind] }) as const
const project = {
  project: 'acme/payments',
  labels: {},
  configured_at: null,
  resources: { endpoint: 3, source: 2, project: 1 },
  evaluated_by_rule: {},
}
const walks = [
  aWalk({ listing: 'project', items: 1 }),
  aWalk({ listing: 'endpoints' }),
  aWalk({ listing: 'sources' }),
  aWalk({ listing: 'subscriptions' }),
]
const all = [
  rule('endpoint/url-not-https', 'endpoint'),
  rule('source/unverified', 'source'),
  rule('project/x', 'project'),
]

function statesOf(parts: Parameters<typeof aReport>[0], of: Framework = framework) {
  const report = aReport({ coverage: walks, projects: [project], rules: all, ...parts })
  const { controls } = composeCompliance({ report, framework: of })
  return Object.fromEntries(controls.map(({ id, state }) => [id, state])) as Record<string, ControlState>
}

describe('the state of a control', () => {
  const met = { E: 'met', S: 'met', P: 'met', N: 'not_covered' }

  it('is met when coverage is complete and nothing is open', () => {
    expect(statesOf({})).toEqual(met)
  })

  it('is not met with an open violation that fails the run, and met with one below', () => {
    for (const failOn of severities) {
      for (const severity of severities) {
        const state = isAtLeast(severity, failOn) ? 'not_met' : 'met'
        expect(statesOf({ failOn, violations: [aViolation({ severity })] })).toEqual({ ...met, E: state })
      }
    }
    for (const failOn of ['never', 'new'] as const) {
      expect(statesOf({ failOn, violations: [aViolation({ severity: 'medium' })] }).E).toBe('not_met')
      expect(statesOf({ failOn, violations: [aViolation({ severity: 'low' })] }).E).toBe('met')
    }
    for (const state of ['resolved', 'waived'] as const) {
      expect(statesOf({ violations: [aViolation({ state })] })).toEqual(met)
    }
  })

  it('is partially assessed while one of its violations is unknown', () => {
    expect(statesOf({ violations: [aViolation({ state: 'unknown' })] })).toEqual({ ...met, E: 'partially_assessed' })
  })

  it('names who accepted what, and counts it in the reason', () => {
    const waiver = { owner: 'payments', reason: 'soon', expires: '2027-03-31T00:00:00.000Z' }
    const [accepted, elsewhere] = ['endpoint/url-not-https', 'another/rule'].map((id) => anAcceptance({ rule: id }))
    const report = aReport({
      coverage: walks,
      projects: [project],
      rules: all,
      accepted: [accepted, elsewhere].flatMap((one) => one ?? []),
      violations: [aViolation({ state: 'waived', waiver })],
    })
    const [endpoints] = composeCompliance({ report, framework }).controls
    expect(endpoints).toMatchObject({
      state: 'met',
      reason: 'No open violation, with 2 exemptions, and the run observed everything that its rules evaluate.',
      accepted: [{ rule: 'endpoint/url-not-https', by: 'lee', reason: 'the receiver moved, ticket 4711' }],
    })
  })

  const partial = aWalk({ listing: 'endpoints', status: 'partial', reason: 'it broke off' })
  const withPartial = [...walks.filter(({ listing }) => listing !== 'endpoints'), partial]

  it('is partially assessed when a walk of a kind that its rules evaluate was not complete', () => {
    expect(statesOf({ coverage: withPartial })).toEqual({ ...met, E: 'partially_assessed' })
  })

  it('is not assessed when such a walk showed nothing to evaluate', () => {
    const without = { ...project, resources: { source: 2, project: 1 } }
    expect(statesOf({ coverage: withPartial, projects: [without] })).toEqual({ ...met, E: 'not_assessed' })
  })

  it('is not assessed when nothing was walked', () => {
    const states = statesOf({ coverage: [], projects: [] })
    expect(states).toEqual({ E: 'not_assessed', S: 'not_assessed', P: 'not_assessed', N: 'not_covered' })
  })

  it('is partially assessed when a list of projects was not read, and as before when it was', () => {
    const list = { project: 'acme/*', listing: 'projects', items: 1 } as const
    const failed = aWalk({ ...list, status: 'failed', reason: 'refused' })
    const partly = { E: 'partially_assessed', S: 'partially_assessed', P: 'partially_assessed', N: 'not_covered' }
    expect(statesOf({ coverage: [failed, ...walks] })).toEqual(partly)
    expect(statesOf({ coverage: [aWalk(list), ...walks] })).toMatchObject({ E: 'met', S: 'met' })
    // A service without projects.
    expect(statesOf({ coverage: [aWalk(list)], projects: [] })).toMatchObject({ E: 'met', S: 'met' })
  })

  it('is met when the walk was complete and there was nothing to evaluate', () => {
    expect(statesOf({ projects: [{ ...project, resources: {} }] })).toEqual(met)
  })

  it('is not met rather than partially assessed when both apply', () => {
    expect(statesOf({ coverage: withPartial, violations: [aViolation()] }).E).toBe('not_met')
  })

  it('depends on subscriptions instead of sources where the service does not list sources', () => {
    const skipped = aWalk({ listing: 'sources', status: 'skipped', reason: 'not offered' })
    const others = walks.filter(({ listing }) => listing !== 'sources')
    expect(statesOf({ coverage: [...others, skipped] }).S).toBe('met')
    const broken = aWalk({ listing: 'subscriptions', status: 'failed', reason: 'refused' })
    const coverage = [...others.filter(({ listing }) => listing !== 'subscriptions'), skipped, broken]
    expect(statesOf({ coverage })).toEqual({ ...met, S: 'partially_assessed' })
  })

  it('is not assessed when project settings could not be read or are not requested', () => {
    const skipped = aWalk({ listing: 'project', status: 'skipped', reason: 'not offered' })
    const others = walks.filter(({ listing }) => listing !== 'project')
    const projects = [{ ...project, resources: { endpoint: 3, source: 2 } }]
    expect(statesOf({ coverage: [skipped, ...others], projects }).P).toBe('not_assessed')
    const gaps = [aGap('project/x', { cause: 'listing_off', listing: 'project', project: project.project })]
    expect(statesOf({ coverage: others, projects, gaps }).P).toBe('not_assessed')
  })

  it('is partially assessed when the run could not evaluate one of several rules or projects', () => {
    const both = [...all, rule('source/disabled', 'source')]
    const gaps = [aFailedRule('source/unverified')]
    expect(statesOf({ rules: both, projects: [project], gaps })).toEqual({ ...met, S: 'partially_assessed' })
    const projects = [{ ...project, project: 'acme/orders' }, project]
    expect(statesOf({ projects, gaps })).toEqual({ ...met, S: 'partially_assessed' })
  })

  it('is partially assessed where a rule could not evaluate everything, and says each sentence once', () => {
    const [url, raw] = ['endpoint/url-not-https', 'endpoint/url-raw-ip']
    const rules = [...all, rule(raw, 'endpoint')]
    const projects = [project, { ...project, project: 'acme/orders' }]
    const gaps = [
      aGap(url, { text: 'one' }),
      aGap(url, { text: 'one', project: 'acme/orders' }),
      aGap(raw, { cause: 'rows_unread', text: 'two' }),
      aGap('source/unverified', { text: 'of another control' }),
    ]
    const [control] = composeCompliance({
      report: aReport({ coverage: walks, projects, rules, gaps }),
      framework,
    }).controls
    expect(control).toMatchObject({
      state: 'partially_assessed',
      reason: 'one (acme/payments, acme/orders). two (acme/payments).',
    })
    expect(control?.rules.map(({ id, not_evaluated }) => [id, not_evaluated])).toEqual([
      [
        url,
        [
          { project: 'acme/payments', reason: 'one' },
          { project: 'acme/orders', reason: 'one' },
        ],
      ],
      [raw, [{ project: 'acme/payments', reason: 'two' }]],
    ])
    expect(statesOf({ projects, gaps: gaps.slice(0, 3) })).toEqual({ ...met, E: 'partially_assessed' })
    expect(statesOf({ projects, gaps, violations: [aViolation()] }).E).toBe('not_met')
  })

  it('says the first three sentences, and counts the others', () => {
    const gaps = ['a', 'b', 'c', 'd', 'e'].map((text) => aGap('endpoint/url-not-https', { text, field: text }))
    const report = aReport({ coverage: walks, projects: [project], rules: all, gaps })
    expect(composeCompliance({ report, framework }).controls[0]?.reason).toBe(
      'a (acme/payments). b (acme/payments). c (acme/payments). 2 more gaps.',
    )
  })

  it('is not assessed where what its only rule compares with came empty', () => {
    const gaps = [aGap('endpoint/url-not-https', { cause: 'nothing_to_compare', text: 'it came empty' })]
    const report = aReport({ coverage: walks, projects: [project], rules: all, gaps })
    const [control] = composeCompliance({ report, framework }).controls
    expect(control).toMatchObject({
      state: 'not_assessed',
      rules: [{ evaluated: 0, not_evaluated: [{ reason: 'it came empty' }] }],
    })
  })

  const hourMs = 3_600_000
  it.each([
    [0, 72, 'met', 'No open violation, and the run observed everything that its rules evaluate.'],
    [
      0,
      96,
      'partially_assessed',
      'The period has a time of 4 d without a complete scan of every project, longer than 25 h.',
    ],
    [1, 72, 'partially_assessed', 'The period has a gap of 3 d without a run, longer than 25 h.'],
    [3, 72, 'partially_assessed', 'The period has 3 gaps without a run longer than 25 h; the longest is 3 d.'],
  ])('says how often no run was made for too long: %d, or none was complete: %d h', (gaps, hours, state, reason) => {
    const [from, to] = ['2026-11-01T00:00:00.000Z', '2026-11-21T03:04:00.120Z']
    const period = {
      ...{ from, to, runs: 12, interrupted: 0, pruned: 0, incomplete: [], covered_ms: 0 },
      ...{ gaps, most_gap_ms: 25 * hourMs, longest_gap: { from, to, ms: 72 * hourMs } },
      longest_incomplete: { from, to, ms: hours * hourMs },
      evidence: { from, to, share: 0.9 },
    }
    const report = aReport({ coverage: walks, projects: [project], rules: all })
    const [control] = composeCompliance({ report, framework, period }).controls
    expect(control).toMatchObject({ state, reason, evidence: period.evidence })
  })

  it('is not assessed when the run could not evaluate any of its rules', () => {
    const gaps = [aFailedRule('source/unverified')]
    expect(statesOf({ projects: [project], gaps })).toEqual({ ...met, S: 'not_assessed' })
  })

  it('is not assessed when the policy turns all its rules off', () => {
    expect(statesOf({ rules: all.slice(1) })).toEqual({ ...met, E: 'not_assessed' })
  })

  it("counts a policy's own rule that names the control", () => {
    const own = rule('acme/owner', 'endpoint', ['ours:N'])
    expect(statesOf({ rules: [...all, own] }).N).toBe('met')
    const violations = [aViolation({ rule: 'acme/owner', severity: 'medium' })]
    expect(statesOf({ rules: [...all, own], violations }).N).toBe('not_met')
  })
})

describe('the evidence for a control', () => {
  it('names rules and what they evaluated, violations with their time, waivers, and gaps', () => {
    const waiver = { owner: 'payments', reason: 'soon', expires: '2027-03-31T00:00:00.000Z' }
    const first_seen = '2026-11-21T02:04:00.120Z'
    const report = aReport({
      coverage: walks,
      projects: [{ ...project, evaluated_by_rule: { 'endpoint/url-not-https': 2 } }],
      rules: all,
      violations: [
        aViolation({ first_seen, state: 'continuing' }),
        aViolation({ uid: 'b', state: 'waived', waiver }),
        aViolation({ uid: 'c', state: 'waived', waiver }),
      ],
    })
    const [endpoints] = composeCompliance({ report, framework }).controls
    expect(endpoints).toMatchObject({
      state: 'not_met',
      reason: '1 open violation (1 high), with 2 exemptions.',
      rules: [{ id: 'endpoint/url-not-https', rationale: 'They receive.', evaluated: 2, not_evaluated: [] }],
      violations: [{ open_ms: 3_600_000 }, { state: 'waived' }, { state: 'waived' }],
      waivers: [{ ...waiver, rule: 'endpoint/url-not-https', violations: 2 }],
      coverage: { walks: 1, complete: 1, pages: 1, items: 3, gaps: [] },
    })
  })

  it('names what a waiver accepted in the period and no run has found since', () => {
    const waiver = { owner: 'payments', reason: 'soon', expires: '2027-03-31T00:00:00.000Z' }
    const report = aReport({ coverage: walks, projects: [project], rules: all })
    const gone = { fingerprint: 'f', rule: 'endpoint/url-not-https', waiver }
    const [endpoints] = composeCompliance({ report, framework, waivedMeanwhile: [gone] }).controls
    expect(endpoints?.exemptions).toMatchObject([{ kind: 'waiver', reason: 'soon', resource: null }])
    expect(endpoints?.reason).toContain('1 exemption')
  })

  it('names the line of the waiver with its ticket, and none where several say the same', () => {
    const [one, other] = ['PAY-1', 'PAY-2'].map((ticket) => {
      return { owner: 'payments', reason: 'soon', expires: '2027-03-31T00:00:00.000Z', ticket }
    })
    const violations = [aViolation({ state: 'waived', ...(other && { waiver: other }) })]
    const lineOf = (...written: readonly (typeof one)[]) => {
      const waivers = written.flatMap((waiver, at) => {
        const configured_at = { file: 'policy.yaml', line: at + 1 }
        return waiver === undefined ? [] : [{ ...waiver, rule: 'endpoint/*', projects: null, configured_at }]
      })
      const report = aReport({ coverage: walks, projects: [project], rules: all, violations })
      const policy = { packs: [], exceptions: [], waivers }
      return composeCompliance({ report, framework, policy }).controls[0]?.exemptions[0]?.configured_at
    }
    expect(lineOf(one, other)).toEqual({ file: 'policy.yaml', line: 2 })
    expect(lineOf(other, other)).toBeNull()
  })

  it('names what the policy asks less for, today and earlier in the period, and where it says so', () => {
    const at = { file: 'policy.yaml', line: 4 }
    const exception = (kind: PolicyException['kind'], setting: string, parts: Partial<PolicyException> = {}) => ({
      ...{ kind, rule: 'endpoint/url-not-https', setting, match: null, projects: null, configured_at: at },
      ...parts,
    })
    const today = [
      exception('rule_off', 'off'),
      exception('override', 'off', { match: 'test endpoints' }),
      exception('override', 'low', { match: 'old ones' }),
      exception('override', 'options', { match: 'new ones' }),
      exception('rule_off', 'off', { rule: 'source/unverified' }),
    ]
    const former = [exception('override', 'info', { match: 'gone ones', configured_at: null })]
    const until = '2026-11-20T03:04:00.120Z'
    const waiver = { owner: 'payments', reason: 'soon', expires: '2027-03-31T00:00:00.000Z' }
    const written = { ...waiver, rule: 'endpoint/*', projects: null, configured_at: { file: 'policy.yaml', line: 9 } }
    const { controls } = composeCompliance({
      report: aReport({
        ...{ coverage: walks, projects: [project], rules: all },
        violations: [aViolation({ state: 'waived', waiver })],
      }),
      framework,
      policy: { packs: ['all'], exceptions: today, waivers: [{ ...written, owner: 'others' }, written] },
      formerPolicies: [{ rules: [], policy: { packs: [], exceptions: [...today, ...former], waivers: [] }, until }],
    })
    const [exemptions, ofSources] = controls.map((control) =>
      control.exemptions.map(({ kind, reason, match, until: end, configured_at }) => [
        ...[kind, reason, match, end, configured_at?.line],
      ]),
    )
    expect(exemptions).toEqual([
      ['waiver', 'soon', null, waiver.expires, 9],
      ['rule_off', null, null, null, 4],
      ['override', 'switched off', 'test endpoints', null, 4],
      ['override', 'severity low', 'old ones', null, 4],
      ['override', 'other options', 'new ones', null, 4],
      ['override', 'severity info', 'gone ones', until, undefined],
    ])
    expect(ofSources).toEqual([['rule_off', null, null, null, 4]])
  })

  it.each(builtInFrameworkIds)('gives every control of %s a state, not covered where no rule gives evidence', (id) => {
    const framework = builtInFramework(id)
    const report: Report = aReport({ coverage: walks, projects: [project], rules: all })
    const { controls } = composeCompliance({ report, framework })
    expect(controls.map(({ id }) => id)).toEqual(framework.controls.map(({ id }) => id))
    const bare = framework.controls.filter(({ evidence }) => evidence.length === 0).map((control) => control.id)
    expect(controls.filter(({ state }) => state === 'not_covered').map((control) => control.id)).toEqual(bare)
    const assessed = controls.filter(({ state }) => state !== 'not_covered').map(({ state }) => state)
    expect(new Set(assessed)).toEqual(new Set(['met', 'not_assessed']))
  })
})
