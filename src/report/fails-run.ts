import type { Report, ReportProject, ReportViolation } from '../model/report.ts'
import { type FailOn, isAtLeast, isOpen, leastNew, type Severity } from '../model/violation.ts'

type Failing = Pick<ReportViolation, 'severity' | 'state'> & Partial<Pick<ReportViolation, 'project' | 'first_seen'>>

/** Whether a violation fails the run, by what the run fails on and by the approvals of its projects. */
export function failsRun(
  failOn: FailOn,
  projects: readonly Pick<ReportProject, 'project' | 'approved_at'>[] = [],
): (violation: Failing) => boolean {
  if (failOn === 'never') return () => false
  if (failOn !== 'new') return (violation) => isOpen(violation) && isAtLeast(violation.severity, failOn)
  const approvals = new Map(projects.map(({ project, approved_at }) => [project, approved_at]))
  return (violation) => {
    const { severity, state, project = '', first_seen = '' } = violation
    if (!isOpen(violation) || !isAtLeast(severity, leastNew)) return false
    const approvedAt = approvals.get(project)
    return approvedAt === undefined ? state === 'opened' : first_seen > approvedAt
  }
}

export function failsRunOf({ verdict, projects }: Pick<Report, 'verdict' | 'projects'>) {
  return failsRun(verdict.fail_on, projects)
}

export function atLeast(severity: Severity): string {
  return severity === 'critical' ? 'critical' : `${severity} or above`
}
