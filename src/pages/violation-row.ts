import { isOverdue } from '../model/due.ts'
import type { ReportViolation } from '../model/report.ts'
import { showOpenTime } from '../report/compliance/show-open-time.ts'
import { describeDue } from '../report/describe-due.ts'
import { findingRow } from '../report/html/components/finding-row.ts'
import type { Markup } from '../report/html/markup.ts'
import { paths, type SiteLink } from './link.ts'

/** A violation in a list; its name leads to its page. `at`: the time that ages are as of, ISO 8601 in UTC. */
export function showViolationRow(violation: ReportViolation, link: SiteLink, at: string): Markup {
  return findingRow(violation, {
    anchor: `v-${violation.fingerprint.slice(0, 16)}`,
    href: link(paths.violation(violation.fingerprint)),
    age: describeAge(violation, at),
    due: { text: describeDue(violation, at), isOverdue: isOverdue(violation, Date.parse(at)) },
    isNamed: true,
  })
}

/** `open 12 d`, `new`, or the state where it is not open. */
export function describeAge({ state, first_seen }: ReportViolation, at: string): string {
  const age = Date.parse(at) - Date.parse(first_seen)
  if (state === 'opened') return 'new'
  if (state === 'continuing') return `open ${showOpenTime(age)}`
  return `${state}, first seen ${showOpenTime(age)} ago`
}
