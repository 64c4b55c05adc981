import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../src/model/json.ts'
import type { Kind, ProjectRef, Resource } from '../../src/model/resource.ts'
import { readPolicy } from '../../src/policy/read-policy.ts'
import { evaluateFleet } from './evaluate-fleet.ts'

const project: ProjectRef = { name: 'acme/payments', service: 'acme', uid: 'p' }
const policyOf = (yaml: string) => readPolicy('policy.yaml', () => yaml)

function anEndpoint(attributes: JsonObject = {}, uid = 'e1', name = 'test-orders'): Resource {
  const shown = { owner_id: 'tenant-1', status: 'inactive', url: 'http://hooks.a.example/in', ...attributes }
  return { kind: 'endpoint', uid, name, attributes: shown, volatile: {}, facts: {} }
}

/** Severities of what is found on an inactive endpoint, by rule. */
function rulesThatFire(overrides: string, resource = anEndpoint(), labels: Record<string, string> = { env: 'dev' }) {
  const policy = policyOf(`extends: []\nrules: { endpoint/inactive: {} }\noverrides:\n${overrides}`)
  const findings = evaluateFleet(policy, 0, () => labels)
    .of(project)
    .evaluate(resource)
  return findings.map(({ rule, severity }) => `${rule} ${severity}`)
}

describe('an override', () => {
  it.each([
    ['{ project: "acme/*" }', true],
    ['{ project: acme }', false],
    ['{ project: [other/*, "*/payments"] }', true],
    ['{ service: acme }', true],
    ['{ service: ac }', false],
    ['{ kind: endpoint }', true],
    ['{ kind: [source, device] }', false],
    ['{ uid: e1 }', true],
    ['{ uid: [e2, e3] }', false],
    ['{ name: "test-*" }', true],
    ['{ name: "*-test" }', false],
    ['{ name: /^TEST/ }', false],
    ['{ name: /(?i)^TEST/ }', true],
    ['{ name: "/ord/" }', true],
    ['{ owner: tenant-1 }', true],
    ['{ owner: "tenant-?" }', false],
    ['{ url_host: "*.a.example" }', true],
    ['{ url_host: a.example }', false],
    ['{ labels: { env: [dev, test] } }', true],
    ['{ labels: { env: prod } }', false],
    ['{ labels: { team: x } }', false],
    ['{ kind: endpoint, owner: no-such-owner }', false],
  ])('with match %s applies: %s', (match, holds) => {
    const found = rulesThatFire(`  - { match: ${match}, rules: { endpoint/inactive: off } }`)
    expect(found).toEqual(holds ? [] : ['endpoint/inactive high'])
  })

  it('wins over an earlier one, and may turn a rule on', () => {
    const overrides = `
  - { match: { kind: endpoint }, rules: { endpoint/inactive: off, endpoint/url-not-https: low } }
  - { match: { uid: e1 }, rules: { endpoint/inactive: info } }`
    expect(rulesThatFire(overrides)).toEqual(['endpoint/inactive info', 'endpoint/url-not-https low'])
    expect(rulesThatFire(overrides, anEndpoint({}, 'e2'))).toEqual(['endpoint/url-not-https low'])
  })

  it('applies to each endpoint that a rule across resources names', () => {
    const policy = policyOf(`
extends: []
rules: { endpoint/secret-shared: {} }
overrides:
  - { match: { uid: e1 }, rules: { endpoint/secret-shared: off } }
  - { match: { uid: e2 }, rules: { endpoint/secret-shared: critical } }`)
    const evaluator = evaluateFleet(policy, 0)
    const secrets = { s: { value: `sealed:${'0'.repeat(32)}`, deleted_at: null } }
    for (const uid of ['e1', 'e2', 'e3']) evaluator.of(project).evaluate(anEndpoint({ secrets }, uid))
    const { findings: found } = evaluator.concludeFleet()
    expect(found.map(({ finding }) => `${finding.uid} ${finding.severity}`)).toEqual(['e2 critical', 'e3 medium'])
  })

  it('may change the severity of a rule across resources, in either form', () => {
    const yaml = 'overrides:\n  - { match: { uid: x }, rules: { source/disabled: { severity: low } } }'
    expect(policyOf(yaml).overrides.map(({ rules }) => rules)).toEqual([['source/disabled']])
  })

  it('is part of the digest', () => {
    const plain = policyOf('extends: [recommended]').digest
    const other = policyOf('overrides: [{ match: { uid: x }, rules: { endpoint/inactive: off } }]').digest
    expect(other).not.toBe(plain)
    expect(policyOf('overrides: []').digest).toBe(plain)
  })

  it('has a custom rule that it alone switches on in the digest', () => {
    const digest = (seconds: number, setting: string) =>
      policyOf(`
custom: [{ id: acme/slow, kind: endpoint, assert: resource.http_timeout < ${seconds}, severity: low, message: slow }]
rules: { acme/slow: off }
overrides: [{ match: { labels: { env: prod } }, rules: { ${setting} } }]
`).digest
    expect(digest(60, 'acme/slow: high')).not.toBe(digest(90, 'acme/slow: high'))
    expect(digest(60, 'endpoint/inactive: off')).toBe(digest(90, 'endpoint/inactive: off'))
  })

  it('with a hostile expression ends in time', () => {
    const name = `${'a'.repeat(5000)}!`
    expect(
      rulesThatFire(
        '  - { match: { name: "/(a+)+$/" }, rules: { endpoint/inactive: off } }',
        anEndpoint({}, 'e1', name),
      ),
    ).toEqual(['endpoint/inactive high'])
  })

  it('can select every kind', () => {
    const kinds: Kind[] = ['project', 'subscription', 'source', 'device']
    const policy = policyOf('overrides: [{ match: { owner: x, url_host: y }, rules: { endpoint/inactive: off } }]')
    const evaluator = evaluateFleet(policy, 0)
    for (const kind of kinds) {
      expect(
        evaluator.of(project).evaluate({ kind, uid: 'u', name: '', attributes: {}, volatile: {}, facts: {} }),
      ).toEqual([])
    }
  })
})
