import type { EvaluatedRule, ReportProject } from '../model/evaluation.ts'
import { type Gap, isSilenced } from '../model/gap.ts'
import type { Report } from '../model/report.ts'

/**
 * The rules of a report, sorted by id: the evaluated ones, and those that only violations name (the policy turned them
 * off, or the run is older than the record of rules), with the severity of their worst violation.
 */
export function rulesOf({ rules, violations }: Report): readonly EvaluatedRule[] {
  const ruleById = new Map(rules.map((rule) => [rule.id, rule]))
  // Violations come worst first, except the resolved ones after them.
  for (const { rule: id, kind, severity } of violations) {
    if (!ruleById.has(id))
      ruleById.set(id, { id, kind, title: id, severity, remediation: '', controls: [], needs: [kind] })
  }
  return [...ruleById.values()].sort((a, b) => (a.id < b.id ? -1 : 1))
}

/** The number of resources of a project that a rule evaluated. */
export function countEvaluated(
  { id, kind }: EvaluatedRule,
  { project, resources, evaluated_by_rule }: ReportProject,
  gaps: readonly Gap[],
): number {
  if (isSilenced(gaps, id, project)) return 0
  return evaluated_by_rule[id] ?? resources[kind] ?? 0
}
