import type { EvaluatedRule } from '../../model/evaluation.ts'
import type { Report, ReportViolation } from '../../model/report.ts'
import { type Severity, severities } from '../../model/violation.ts'
import { remediationFor } from '../remediation-for.ts'

/** Violations of one rule and severity. */
export interface RuleGroup {
  readonly id: string
  readonly severity: Severity
  readonly title: string
  /** undefined where the run did not record the rule. */
  readonly rule: EvaluatedRule | undefined
  /** Sorted by project. */
  readonly violations: readonly ReportViolation[]
  /** Whether it is the first group of its rule on the page: it has the anchor and the remediation. */
  readonly isFirst: boolean
  /** How to fix the violations of the rule in all lists; empty where the run did not record the rule. */
  readonly remediation: string
}

/** Groups for each list of violations, the worst first. Over all lists, each rule has one group that is its first. */
export function groupByRule(
  lists: readonly (readonly ReportViolation[])[],
  { rules }: Pick<Report, 'rules'>,
): readonly (readonly RuleGroup[])[] {
  const ruleById = new Map(rules.map((rule) => [rule.id, rule]))
  const ofRule = Map.groupBy(lists.flat(), ({ rule }) => rule)
  const seen = new Set<string>()
  return lists.map((violations) =>
    severities.flatMap((severity) => {
      const alike = violations.filter((violation) => violation.severity === severity)
      const byRule = [...Map.groupBy(alike, ({ rule }) => rule)].sort(([a], [b]) => (a < b ? -1 : 1))
      return byRule.map(([id, group]) => {
        const isFirst = !seen.has(id)
        seen.add(id)
        const rule = ruleById.get(id)
        const remediation = remediationFor(rule?.remediation ?? '', ofRule.get(id) ?? [])
        return {
          id,
          severity,
          title: rule?.title ?? id,
          rule,
          violations: group.toSorted(byProject),
          isFirst,
          remediation,
        }
      })
    }),
  )
}

function byProject(a: ReportViolation, b: ReportViolation): number {
  return a.project < b.project ? -1 : a.project > b.project ? 1 : 0
}
