import { controlsOf } from '../compliance/built-in-frameworks.ts'
import type { PolicyEvaluation } from '../history/records.ts'
import type { ProjectEvaluation } from '../model/evaluation.ts'
import { namedRules, type Policy } from '../policy/policy.ts'
import { remediationOf } from '../rules/rule-page.ts'

/** What a reader of the record needs to know of the policy and the configuration of then. */
export function describeContext(policy: Policy, projects: readonly ProjectEvaluation[]): PolicyEvaluation {
  const rules = namedRules(policy).map(({ rule, severity }) => ({
    id: rule.id,
    kind: rule.kind,
    title: rule.title,
    remediation: rule.custom === undefined ? remediationOf(rule.id) : rule.custom.remediation,
    severity: severity ?? rule.severity,
    controls: [...new Set([...controlsOf(rule.id), ...(rule.custom?.controls ?? [])])],
    needs: rule.needs,
  }))
  const { due, ignore } = policy
  const decided = {
    ...(Object.keys(due).length === 0 ? {} : { due }),
    ...(ignore.length === 0 ? {} : { ignore: ignore.map(({ path }) => path) }),
  }
  return {
    rules: rules.sort((a, b) => (a.id < b.id ? -1 : 1)),
    projects: projects.map((project) => ({ ...project, ...decided })).sort((a, b) => (a.project < b.project ? -1 : 1)),
    policy: policy.facts,
  }
}
