import type { ReportViolation } from '../model/report.ts'
import { severities } from '../model/violation.ts'

/** How the text report groups violations; the first is the default. */
export const groupings = ['rule', 'project', 'owner', 'resource'] as const
export type Grouping = (typeof groupings)[number]

/** Groups with the worst violation first, then the largest. Rules that overrides split by severity are a group each. */
export function groupViolations(violations: readonly ReportViolation[], by: Grouping): ReportViolation[][] {
  const groups = [...Map.groupBy(worstFirst(violations), keyIn[by]).values()]
  return groups.toSorted((a, b) => worstOf(a) - worstOf(b) || b.length - a.length)
}

export function worstFirst(violations: readonly ReportViolation[]): ReportViolation[] {
  return severities.flatMap((severity) => violations.filter((violation) => violation.severity === severity))
}

const keyIn = {
  rule: ({ rule, severity }) => `${severity} ${rule}`,
  project: ({ project }) => project,
  owner: ({ owner }) => owner ?? '',
  resource: ({ project, kind, uid }) => JSON.stringify([project, kind, uid]),
} as const satisfies Record<Grouping, (violation: ReportViolation) => string>

function worstOf([first]: readonly ReportViolation[]): number {
  return first === undefined ? severities.length : severities.indexOf(first.severity)
}
