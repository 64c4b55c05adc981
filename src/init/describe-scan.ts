import type { Report, ReportViolation } from '../model/report.ts'
import { isOpen, severities, totalOf } from '../model/violation.ts'
import { count, countEach } from '../text/count.ts'
import type { Say } from './say.ts'

/** What a scan read and found, in a few lines. */
export function describeScan(report: Report): readonly Parameters<Say>[] {
  const { projects, coverage, verdict, violations } = report
  const resources = projects.reduce((sum, { resources: ofKind }) => sum + sumOf(Object.values(ofKind)), 0)
  const complete = coverage.filter(({ status }) => status === 'complete').map(({ listing }) => listing)
  const read = (['endpoints', 'subscriptions', 'sources', 'event_types', 'project'] as const).filter((each) =>
    complete.includes(each),
  )
  const open = totalOf(verdict.violations)
  const found =
    open === 0 ? 'no open violation' : `${count(open, 'open violation')}: ${countEach(severities, verdict.violations)}`
  return [
    [
      'good',
      `${count(resources, 'resource')} in ${count(projects.length, 'project')}; the key reads ${read.join(', ').replace('project', 'settings').replace('_', ' ')}`,
    ],
    [open === 0 ? 'good' : 'note', found],
    ...theWorst(violations.filter(isOpen)).map((line): Parameters<Say> => ['text', `    ${line}`]),
  ]
}

const mostRules = 5

/** Violations are sorted by severity. */
function theWorst(open: readonly ReportViolation[]): readonly string[] {
  const byRule = [...Map.groupBy(open, ({ rule }) => rule)]
  const shown = byRule.slice(0, mostRules).map(([rule, some]) => `${some.length} × ${rule}, ${some[0]?.severity}`)
  const hidden = byRule.length - shown.length
  return hidden > 0 ? [...shown, `and ${count(hidden, 'more rule')}`] : shown
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0)
}
