import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../src/model/json.ts'
import type { Kind, ProjectRef, Resource } from '../../src/model/resource.ts'
import { createEvaluator } from '../../src/policy/evaluator.ts'
import { readPolicy } from '../../src/policy/read-policy.ts'

const project = (name: string): ProjectRef => ({ name: `acme/${name}`, service: 'acme', uid: name })
const [p, q] = [project('p'), project('q')]
const all = { isComplete: () => true }

function a(kind: Kind, attributes: JsonObject, uid = 'u'): Resource {
  return { kind, uid, name: `the ${uid}`, attributes, volatile: {}, facts: {} }
}

const judgeOf = (rules: string, now = 0) =>
  createEvaluator(
    readPolicy('policy.yaml', () => `extends: []\nrules: { ${rules} }`),
    now,
  )

const shared = (uid: string) => a('endpoint', { secrets: { k: { value: `sealed:${'a'.repeat(32)}` } } }, uid)

describe('the judge', () => {
  it('stamps what a rule finds with the rule, its severity and the resource', () => {
    const judge = judgeOf('endpoint/inactive: {}')
    expect(judge.evaluate(p, a('endpoint', { status: 'inactive' }))).toEqual([
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

  it("prefers the policy's severity to the problem's, and the problem's to the rule's", () => {
    const queue = a('source', { type: 'pub_sub', verifier: null })
    const severities = ['source/unverified: {}', 'source/unverified: low'].map(
      (rules) => judgeOf(rules).evaluate(p, queue)[0]?.severity,
    )
    expect(severities).toEqual(['info', 'low'])
  })

  it('shows a rule only resources of its kind', () => {
    const judge = judgeOf('endpoint/inactive: {}')
    expect(judge.evaluate(p, a('subscription', { status: 'inactive' }))).toEqual([])
  })

  it('counts what it judged by project and kind, and where a rule judged fewer or failed', () => {
    const judge = createEvaluator(
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
    for (const uid of ['a', 'b', 'test-c']) judge.evaluate(p, a('endpoint', {}, uid))
    judge.evaluate(p, a('source', {}))
    judge.evaluate(q, a('endpoint', {}))
    const fewer = { 'endpoint/inactive': 2, 'endpoint/timeout-high': 1 }
    expect(judge.statsOf(p)).toEqual({ resources: { endpoint: 3, source: 1 }, fewer, unjudged: {} })
    judge.forget(q)
    expect(judge.statsOf(q)).toEqual({ resources: {}, fewer: {}, unjudged: {} })
  })

  it('judges all of a run at one instant', () => {
    const secrets = { k: { expires_at: '2026-01-01T00:00:00Z' } }
    const found = ['2026-01-08T00:00:00Z', '2026-01-08T00:00:01Z'].map(
      (time) =>
        judgeOf('endpoint/secret-expired-active: {}', Date.parse(time)).evaluate(p, a('endpoint', { secrets })).length,
    )
    expect(found).toEqual([0, 1])
  })

  it('concludes each project by itself, once', () => {
    const judge = judgeOf('subscription/target-not-active: {}')
    judge.evaluate(p, a('endpoint', { status: 'inactive' }, 'e'))
    judge.evaluate(p, a('subscription', { endpoint_uid: 'e' }, 's'))
    judge.evaluate(q, a('subscription', { endpoint_uid: 'e' }, 's'))
    expect([p, q, p].map((ref) => judge.concludeProject(ref, all).map(({ uid }) => uid))).toEqual([['s'], [], []])
  })

  it('concludes across projects, and says of which project each finding is', () => {
    const judge = judgeOf('endpoint/secret-shared: {}')
    judge.evaluate(p, shared('e1'))
    judge.evaluate(q, shared('e2'))
    expect(judge.concludeProject(p, all)).toEqual([])
    expect(judge.concludeFleet(all).map(({ project, finding }) => [project.name, finding.uid])).toEqual([
      ['acme/p', 'e1'],
      ['acme/q', 'e2'],
    ])
  })

  it('finds nothing in a project that it was told to forget', () => {
    const judge = judgeOf('endpoint/secret-shared: {}, subscription/target-not-active: {}')
    judge.evaluate(p, shared('e1'))
    judge.evaluate(p, shared('e3'))
    judge.evaluate(q, a('endpoint', { status: 'inactive' }, 'e'))
    judge.evaluate(q, a('subscription', { endpoint_uid: 'e' }, 's'))
    judge.evaluate(q, shared('e2'))
    judge.forget(q)
    expect(judge.concludeProject(q, all)).toEqual([])
    expect(judge.concludeFleet(all).map(({ finding }) => finding.uid)).toEqual(['e1', 'e3'])
  })

  it('knows what a rule needs to see, and nothing of one that is off', () => {
    const judge = judgeOf('subscription/target-missing: {}, endpoint/secret-shared: {}, endpoint/inactive: {}')
    expect(judge.needsOf('subscription/target-missing')).toEqual({
      kinds: ['subscription', 'endpoint'],
      scope: 'project',
    })
    expect(judge.needsOf('endpoint/secret-shared')).toEqual({ kinds: ['endpoint'], scope: 'fleet' })
    expect(judge.needsOf('endpoint/inactive')).toEqual({ kinds: ['endpoint'], scope: 'resource' })
    expect(judge.needsOf('endpoint/url-not-https')).toBeUndefined()
    expect(judge.needsOf('no/such-rule')).toBeUndefined()
  })
})
