import { describe, expect, it } from 'vitest'
import type { ProjectRef, Resource } from '../../src/model/resource.ts'
import { concludeFleetRules } from '../../src/policy/conclude-fleet-rules.ts'
import type { FindCollected } from '../../src/policy/find-collected.ts'
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
  it('are asked of the resources that share a secret, and no other resource is read', async () => {
    const evaluator = evaluateFleet(policy)
    for (const digit of '0123456789') evaluator.of(p).evaluate(endpoint(`p${digit}`, seal(digit)))
    for (const digit of '7abcd') evaluator.of(q).evaluate(endpoint(`q${digit}`, seal(digit)))
    const asked: [string, readonly number[]][] = []
    const find: FindCollected = async (project, places) => {
      asked.push([project.name, places])
      return evaluator.find(project, places)
    }
    const { findings } = await concludeFleetRules(evaluator.evaluated(), { policy, now: 0, find })
    expect(findings.map(({ finding }) => finding.uid)).toEqual(['p7', 'q7'])
    expect(asked).toEqual([
      ['acme/p', [7]],
      ['acme/q', [0]],
    ])
  })

  it('are not shared by secrets of which only the beginning of the seal is the same', async () => {
    const evaluator = evaluateFleet(policy)
    const alike = seal('a').slice(0, 20)
    for (const [uid, end] of ['1', '2', '2'].entries())
      evaluator.of(p).evaluate(endpoint(`e${uid}`, alike.padEnd(32, end)))
    const { findings } = await evaluator.concludeFleet()
    expect(findings.map(({ finding }) => finding.uid)).toEqual(['e1', 'e2'])
  })

  it('are an error, and not silence, where a resource that was collected cannot be read', async () => {
    const evaluator = evaluateFleet(policy)
    for (const uid of ['e1', 'e2']) evaluator.of(p).evaluate(endpoint(uid, seal('a')))
    const find: FindCollected = async () => []
    await expect(concludeFleetRules(evaluator.evaluated(), { policy, now: 0, find })).rejects.toThrow('acme/p')
  })
})
