import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../src/model/json.ts'
import type { Kind, ProjectRef, Resource } from '../../src/model/resource.ts'
import { concludeFleetRules, nothingEvaluated } from '../../src/policy/conclude-fleet-rules.ts'
import { createEvaluator } from '../../src/policy/evaluator.ts'
import { readPolicy } from '../../src/policy/read-policy.ts'
import { evaluateFleet } from './evaluate-fleet.ts'

const project = (name: string): ProjectRef => ({ name: `acme/${name}`, service: 'acme', uid: name })
const [p, q] = [project('p'), project('q')]
const all = { isComplete: () => true }

function a(kind: Kind, attributes: JsonObject, uid = 'u'): Resource {
  return { kind, uid, name: `the ${uid}`, attributes, volatile: {}, facts: {} }
}

const policyWith = (rules: string) => readPolicy('policy.yaml', () => `extends: []\nrules: { ${rules} }`)
const evaluatorOf = (rules: string, now = 0) => evaluateFleet(policyWith(rules), now)

const seal = `sealed:${'a'.repeat(32)}`
const shared = (uid: string) => a('endpoint', { secrets: { k: { value: seal } } }, uid)

describe('the evaluator', () => {
  it('adds rule, severity and resource to each finding', () => {
    const evaluator = evaluatorOf('endpoint/inactive: {}')
    expect(evaluator.of(p).evaluate(a('endpoint', { status: 'inactive' }))).toEqual([
      {
        rule: 'endpoint/inactive',
        severity: 'high',
        kind: 'endpoint',
        uid: 'u',
        name: 'the u',
        path: '/status',
        message: 'disabled after failures: its events are discarded, not queued',
      },
    ])
  })

  it("prefers the policy's severity to the finding's, and the finding's to the rule's", () => {
    const queue = a('source', { type: 'pub_sub', verifier: null })
    const severities = ['source/unverified: {}', 'source/unverified: low'].map(
      (rules) => evaluatorOf(rules).of(p).evaluate(queue)[0]?.severity,
    )
    expect(severities).toEqual(['info', 'low'])
  })

  it('passes only resources of its kind to a rule', () => {
    const evaluator = evaluatorOf('endpoint/inactive: {}')
    expect(evaluator.of(p).evaluate(a('subscription', { status: 'inactive' }))).toEqual([])
  })

  it('counts evaluations by project and kind, and rules with fewer evaluations or failures', () => {
    const evaluator = evaluateFleet(
      readPolicy(
        'policy.yaml',
        () => `
extends: []
rules: { endpoint/inactive: {}, subscription/wildcard: {} }
overrides: [{ match: { name: "the test-*" }, rules: { endpoint/inactive: off, endpoint/timeout-high: low } }]
`,
      ),
      0,
    )
    for (const uid of ['a', 'b', 'test-c']) evaluator.of(p).evaluate(a('endpoint', {}, uid))
    evaluator.of(p).evaluate(a('source', {}))
    evaluator.of(q).evaluate(a('endpoint', {}))
    const evaluated_by_rule = { 'endpoint/inactive': 2, 'endpoint/timeout-high': 1 }
    expect(evaluator.of(p).outcome()).toMatchObject({
      resources: { endpoint: 3, source: 1 },
      evaluated_by_rule,
      failures: {},
    })
  })

  it('evaluates a whole run at one instant', () => {
    const secrets = { k: { expires_at: '2026-01-01T00:00:00Z' }, next: { expires_at: null } }
    const found = ['2026-01-08T00:00:00Z', '2026-01-08T00:00:01Z'].map(
      (time) =>
        evaluatorOf('endpoint/secret-expired-active: {}', Date.parse(time)).of(p).evaluate(a('endpoint', { secrets }))
          .length,
    )
    expect(found).toEqual([0, 1])
  })

  it('concludes each project by itself', () => {
    const evaluator = evaluatorOf('subscription/target-not-active: {}')
    evaluator.of(p).evaluate(a('endpoint', { status: 'paused' }, 'e'))
    evaluator.of(p).evaluate(a('subscription', { endpoint_uid: 'e' }, 's'))
    evaluator.of(q).evaluate(a('subscription', { endpoint_uid: 'e' }, 's'))
    const found = [evaluator.of(p).conclude(all), evaluator.of(q).conclude(all)]
    expect(found.map((findings) => findings.map(({ uid }) => uid))).toEqual([['s'], []])
  })

  it('concludes across projects, and assigns each finding to its project', () => {
    const evaluator = evaluatorOf('endpoint/secret-shared: {}')
    evaluator.of(p).evaluate(shared('e1'))
    evaluator.of(q).evaluate(shared('e2'))
    expect(evaluator.of(p).conclude(all)).toEqual([])
    const { findings } = evaluator.concludeFleet()
    expect(findings.map(({ project, finding }) => [project.name, finding.uid])).toEqual([
      ['acme/p', 'e1'],
      ['acme/q', 'e2'],
    ])
  })

  it('finds nothing in a project that was dropped, and nothing because of it', () => {
    const policy = policyWith('endpoint/secret-shared: {}')
    const evaluator = evaluateFleet(policy)
    for (const uid of ['e1', 'e3']) evaluator.of(p).evaluate(shared(uid))
    const evaluated = [...evaluator.evaluated(), { project: q, labels: {}, evaluation: nothingEvaluated }]
    const { findings } = concludeFleetRules(evaluated, policy, 0)
    expect(findings.map(({ finding }) => `${finding.uid} ${finding.message}`)).toEqual([
      'e1 secret shared by 2 endpoints',
      'e3 secret shared by 2 endpoints',
    ])
  })

  it('skips excluded rules, with a reason', () => {
    const policy = policyWith('endpoint/inactive: {}, endpoint/secret-shared: {}, endpoint/orphan: {}')
    const excluded = new Map(
      ['endpoint/inactive', 'endpoint/secret-shared', 'endpoint/orphan'].map((id) => [id, 'why']),
    )
    const evaluator = createEvaluator(policy, 0).forProject(p, excluded)
    expect(
      evaluator.evaluate({ ...shared('e1'), attributes: { ...shared('e1').attributes, status: 'inactive' } }),
    ).toEqual([])
    expect(evaluator.conclude(all)).toEqual([])
    const { failures, evaluated_by_rule, facts } = evaluator.outcome()
    expect(failures).toEqual(Object.fromEntries(excluded))
    expect(evaluated_by_rule).toEqual({ 'endpoint/inactive': 0, 'endpoint/secret-shared': 0, 'endpoint/orphan': 0 })
    expect(facts).toEqual({})
  })

  it('passes only seals of secrets to the end of a run, and no other value', () => {
    const evaluator = createEvaluator(
      policyWith('endpoint/secret-shared: {}, source/verifier-shared: {}'),
      0,
    ).forProject(p)
    evaluator.evaluate(shared('e1'))
    evaluator.evaluate(a('endpoint', { secrets: null }, 'e2'))
    const owner = { kind: 'endpoint', uid: 'e1', name: 'the e1' }
    expect(evaluator.outcome().facts).toEqual({
      'endpoint/secret-shared': [{ owner, fact: [seal, 'k', ''] }],
      'source/verifier-shared': [{ owner, fact: [seal] }],
    })
  })

  it('counts a fact of a rule across projects as a failure when it is not a seal', () => {
    const evaluator = createEvaluator(policyWith('endpoint/secret-shared: {}'), 0).forProject(p)
    evaluator.evaluate(a('endpoint', { secrets: { k: { value: 'readable' } } }))
    const { facts, failures } = evaluator.outcome()
    expect(facts).toEqual({})
    expect(failures).toEqual({ 'endpoint/secret-shared': 'a secret without a seal was about to be stored' })
  })

  it('knows which kinds a rule needs, and ignores rules that are off', () => {
    const evaluator = evaluatorOf('subscription/target-missing: {}, endpoint/secret-shared: {}, endpoint/inactive: {}')
    expect(evaluator.needs.get('subscription/target-missing')).toEqual({
      kinds: ['subscription', 'endpoint'],
      scope: 'project',
    })
    expect(evaluator.needs.get('endpoint/secret-shared')).toMatchObject({ kinds: ['endpoint'], scope: 'fleet' })
    expect(evaluator.needs.get('endpoint/inactive')).toEqual({ kinds: ['endpoint'], scope: 'resource' })
    expect(evaluator.needs.get('endpoint/url-not-https')).toBeUndefined()
    expect(evaluator.needs.get('no/such-rule')).toBeUndefined()
  })
})

function endpoint(uid: string, seal: string): Resource {
  const secrets = { k: { value: `sealed:${seal}`, deleted_at: null } }
  return { kind: 'endpoint', uid, name: uid, attributes: { secrets }, volatile: {}, facts: {} }
}

describe('facts that resources share', () => {
  const seal = (digit: string) => digit.repeat(32)

  it('are those of the resources that share a secret', () => {
    const evaluator = evaluatorOf('endpoint/secret-shared: {}')
    for (const digit of '0123456789') evaluator.of(p).evaluate(endpoint(`p${digit}`, seal(digit)))
    for (const digit of '7abcd') evaluator.of(q).evaluate(endpoint(`q${digit}`, seal(digit)))
    const { findings } = evaluator.concludeFleet()
    expect(findings.map(({ finding }) => finding.uid)).toEqual(['p7', 'q7'])
  })

  it('are not shared by secrets of which only the beginning of the seal is the same', () => {
    const evaluator = evaluatorOf('endpoint/secret-shared: {}')
    const alike = seal('a').slice(0, 20)
    for (const [uid, end] of ['1', '2', '2'].entries())
      evaluator.of(p).evaluate(endpoint(`e${uid}`, alike.padEnd(32, end)))
    const { findings } = evaluator.concludeFleet()
    expect(findings.map(({ finding }) => finding.uid)).toEqual(['e1', 'e2'])
  })
})
