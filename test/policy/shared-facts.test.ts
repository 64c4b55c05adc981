import { describe, expect, it } from 'vitest'
import type { ProjectRef, Resource } from '../../src/model/resource.ts'
import { policyOf } from '../audit/audit-harness.ts'
import { evaluateFleet } from './evaluate-fleet.ts'

const policy = policyOf('extends: []\nrules: { endpoint/secret-shared: {} }')
const project = (uid: string): ProjectRef => ({ name: `acme/${uid}`, service: 'acme', uid })
const [p, q] = [project('p'), project('q')]

function endpoint(uid: string, seal: string): Resource {
  const secrets = { k: { value: `sealed:${seal}`, deleted_at: null } }
  return { kind: 'endpoint', uid, name: uid, attributes: { secrets }, volatile: {}, facts: {} }
}

const seal = (digit: string) => digit.repeat(32)

describe('facts that resources share', () => {
  it('are those of the resources that share a secret', () => {
    const evaluator = evaluateFleet(policy)
    for (const digit of '0123456789') evaluator.of(p).evaluate(endpoint(`p${digit}`, seal(digit)))
    for (const digit of '7abcd') evaluator.of(q).evaluate(endpoint(`q${digit}`, seal(digit)))
    const { findings } = evaluator.concludeFleet()
    expect(findings.map(({ finding }) => finding.uid)).toEqual(['p7', 'q7'])
  })

  it('are not shared by secrets of which only the beginning of the seal is the same', () => {
    const evaluator = evaluateFleet(policy)
    const alike = seal('a').slice(0, 20)
    for (const [uid, end] of ['1', '2', '2'].entries())
      evaluator.of(p).evaluate(endpoint(`e${uid}`, alike.padEnd(32, end)))
    const { findings } = evaluator.concludeFleet()
    expect(findings.map(({ finding }) => finding.uid)).toEqual(['e1', 'e2'])
  })
})
