import type { Report, ReportProject, ReportRule } from '../model/report.ts'

/**
 * The rules that a report speaks of, sorted by id: those that judged, and those that only violations name (the policy
 * asks no more, or the run is of a time when rules were not kept), rated as their worst one.
 */
export function rulesOf({ rules, violations }: Report): readonly ReportRule[] {
  const known = new Map(rules.map((rule) => [rule.id, rule]))
  // Violations come worst first, but for the resolved ones behind them.
  for (const { rule: id, kind, severity } of violations) {
    if (!known.has(id)) known.set(id, { id, kind, title: id, severity, remediation: '', controls: [], needs: [kind] })
  }
  return [...known.values()].sort((a, b) => (a.id < b.id ? -1 : 1))
}

/** How many resources of a project a rule judged. */
export function countEvaluated(
  { id, kind }: ReportRule,
  { resources, evaluated_by_rule, not_evaluated }: ReportProject,
): number {
  if (Object.hasOwn(not_evaluated, id)) return 0
  return evaluated_by_rule[id] ?? resources[kind] ?? 0
}
