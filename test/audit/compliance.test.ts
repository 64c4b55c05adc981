import { describe, expect, it } from 'vitest'
import { composeCompliance } from '../../src/audit/compose-compliance.ts'
import type { ControlState } from '../../src/model/compliance.ts'
import type { Report } from '../../src/model/report.ts'
import { builtInFrameworks, type FrameworkMapping, mapControl } from '../../src/rules/framework-mapping.ts'
import { aReport, aViolation, aWalk } from '../report/sample-reports.ts'

const mapping: FrameworkMapping = {
  id: 'ours',
  title: 'Our own',
  controls: [
    mapControl('E', 'Endpoints', [{ rules: ['endpoint/*'], because: 'They receive.' }]),
    mapControl('S', 'Sources', [{ rules: ['source/*'], because: 'They send.' }]),
    mapControl('P', 'Projects', [{ rules: ['project/*'], because: 'They hold both.' }]),
    mapControl('N', 'Nothing of ours', []),
  ],
}

const rule = (id: string, kind: 'endpoint' | 'source' | 'project', controls: string[] = []) =>
  ({ id, kind, title: `Rule ${id}`, remediation: '', severity: 'high', controls, needs: [kind] }) as const
const project = {
  project: 'acme/payments',
  labels: {},
  configured_at: null,
  resources: { endpoint: 3, source: 2 },
  evaluated_by_rule: {},
  not_evaluated: {},
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

function statesOf(parts: Parameters<typeof aReport>[0], of: FrameworkMapping = mapping) {
  const report = aReport({ coverage: walks, projects: [project], rules: all, ...parts })
  const { controls } = composeCompliance({ report, mapping: of })
  return Object.fromEntries(controls.map(({ id, state }) => [id, state])) as Record<string, ControlState>
}

describe('the state of a control', () => {
  const met = { E: 'met', S: 'met', P: 'met', N: 'not_covered' }

  it('is met when all was looked at and nothing of medium or above is open', () => {
    expect(statesOf({})).toEqual(met)
    expect(statesOf({ violations: [aViolation({ severity: 'low' })] })).toEqual(met)
  })

  it('is not met by an open violation of medium or above, and by no other', () => {
    expect(statesOf({ violations: [aViolation({ severity: 'medium' })] })).toEqual({ ...met, E: 'not_met' })
    for (const state of ['resolved', 'waived', 'unknown'] as const) {
      expect(statesOf({ violations: [aViolation({ state })] })).toEqual(met)
    }
  })

  it('is not fully looked at when a walk of a kind that its rules judge was not complete', () => {
    const partial = aWalk({ listing: 'endpoints', status: 'partial', reason: 'it broke off' })
    expect(statesOf({ coverage: [...walks.filter(({ listing }) => listing !== 'endpoints'), partial] })).toEqual({
      ...met,
      E: 'not_fully_looked_at',
    })
  })

  it('is not met rather than not fully looked at, where both hold', () => {
    const partial = aWalk({ listing: 'endpoints', status: 'partial', reason: 'it broke off' })
    const coverage = [...walks.filter(({ listing }) => listing !== 'endpoints'), partial]
    expect(statesOf({ coverage, violations: [aViolation()] }).E).toBe('not_met')
  })

  it('takes subscriptions for sources where the service does not list them', () => {
    const skipped = aWalk({ listing: 'sources', status: 'skipped', reason: 'not offered' })
    const others = walks.filter(({ listing }) => listing !== 'sources')
    expect(statesOf({ coverage: [...others, skipped] }).S).toBe('met')
    const broken = aWalk({ listing: 'subscriptions', status: 'failed', reason: 'refused' })
    const coverage = [...others.filter(({ listing }) => listing !== 'subscriptions'), skipped, broken]
    expect(statesOf({ coverage })).toEqual({ ...met, S: 'not_fully_looked_at' })
  })

  it("says nothing good of a project's settings that nobody could read, or asked for", () => {
    const skipped = aWalk({ listing: 'project', status: 'skipped', reason: 'not offered' })
    const others = walks.filter(({ listing }) => listing !== 'project')
    expect(statesOf({ coverage: [skipped, ...others] }).P).toBe('not_fully_looked_at')
    expect(statesOf({ coverage: others }).P).toBe('not_fully_looked_at')
  })

  it('is not fully looked at when a rule could not judge', () => {
    const not_evaluated = { 'source/unverified': 'it threw' }
    expect(statesOf({ projects: [{ ...project, not_evaluated }] })).toEqual({ ...met, S: 'not_fully_looked_at' })
  })

  it('is not covered when the policy has all its rules off', () => {
    expect(statesOf({ rules: all.slice(1) })).toEqual({ ...met, E: 'not_covered' })
  })

  it("counts a policy's own rule where it names the control", () => {
    const own = rule('acme/owner', 'endpoint', ['ours:N'])
    expect(statesOf({ rules: [...all, own] }).N).toBe('met')
    const violations = [aViolation({ rule: 'acme/owner', severity: 'medium' })]
    expect(statesOf({ rules: [...all, own], violations }).N).toBe('not_met')
  })
})

describe('the evidence for a control', () => {
  it('names rules and what they judged, violations with their time, waivers, and gaps', () => {
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
    const [endpoints] = composeCompliance({ report, mapping }).controls
    expect(endpoints).toMatchObject({
      state: 'not_met',
      reason: '1 open violation of medium or above.',
      rules: [{ id: 'endpoint/url-not-https', because: 'They receive.', judged: 2, unjudged: [] }],
      violations: [{ stood_ms: 3_600_000 }, { state: 'waived' }, { state: 'waived' }],
      waivers: [{ ...waiver, rule: 'endpoint/url-not-https', violations: 2 }],
      coverage: { walks: 1, complete: 1, pages: 1, items: 3, gaps: [] },
    })
  })

  it.each(builtInFrameworks.map((framework) => [framework.id, framework] as const))(
    'has a state for every control of %s, most of them not covered by a tool like this',
    (_, framework) => {
      const report: Report = aReport({ coverage: walks, projects: [project], rules: all })
      const { controls } = composeCompliance({ report, mapping: framework })
      expect(controls.map(({ id }) => id)).toEqual(framework.controls.map(({ id }) => id))
      expect(new Set(controls.map(({ state }) => state))).toEqual(new Set(['met', 'not_covered']))
    },
  )
})
