import type { RunContext } from '../history/history.ts'
import type { JudgedProject } from '../model/judging.ts'
import { namedRules, type Policy } from '../policy/policy.ts'
import { controlsOf } from '../rules/controls.ts'
import { remedies } from '../rules/remedies.ts'

/** What a reader of the record needs to know of the policy and the configuration of then. */
export function describeContext(policy: Policy, projects: readonly JudgedProject[]): RunContext {
  const rules = namedRules(policy).map(({ rule, severity }) => ({
    id: rule.id,
    kind: rule.kind,
    title: rule.title,
    remedy: rule.custom?.remedy ?? remedies.get(rule.id) ?? '',
    severity: severity ?? rule.severity,
    controls: [...new Set([...controlsOf(rule.id), ...(rule.custom?.controls ?? [])])],
    needs: rule.needs,
  }))
  return {
    rules: rules.sort((a, b) => (a.id < b.id ? -1 : 1)),
    projects: projects.toSorted((a, b) => (a.project < b.project ? -1 : 1)),
  }
}
