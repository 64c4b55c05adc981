import { expect, it } from 'vitest'
import type { EvaluatedRule } from '../../src/model/evaluation.ts'
import { junit } from '../../src/report/junit.ts'
import { aReport, aViolation } from './sample-reports.ts'

const rule = (id: string, kind: EvaluatedRule['kind']): EvaluatedRule => {
  return { id, kind, title: id, severity: 'medium', remediation: '', controls: [], needs: [kind] }
}

it('JUnit lists findings of rules about the policy under the policy, and all others under projects', () => {
  const report = aReport({
    rules: [rule('endpoint/inactive', 'endpoint'), rule('waiver/expired', 'policy')],
    violations: [aViolation({ rule: 'waiver/expired', kind: 'policy', project: 'hookdrift/policy' })],
  })
  const cases = junit(report, { colour: false, width: 80, full: true }).matchAll(
    /<testcase classname="([^"]+)" name="([^"]+\/[^"]+)"/g,
  )
  expect([...cases].map(([, project, name]) => [project, name])).toEqual([
    ['acme/payments', 'endpoint/inactive'],
    ['hookdrift/policy', 'waiver/expired'],
  ])
})
