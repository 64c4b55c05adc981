import { isOverdue } from '../model/due.ts'
import type { ReportViolation } from '../model/report.ts'
import { describeDue } from '../report/describe-due.ts'
import { anchorOf } from '../report/html/anchors.ts'
import { findingRow } from '../report/html/components/finding-row.ts'
import type { Markup } from '../report/html/markup.ts'
import { describeAge } from '../report/html/show-violations.ts'
import { paths, type SiteLink } from './link.ts'

/**
 * A violation in a list: its name leads to its page, its owner to theirs. `at`: the time that ages are as of, ISO 8601 in
 * UTC.
 */
export function showViolationRow(violation: ReportViolation, link: SiteLink, at: string): Markup {
  const { fingerprint, owner } = violation
  return findingRow(violation, {
    anchor: anchorOf('v', fingerprint),
    href: link(paths.violation(fingerprint)),
    ...(owner === null ? {} : { ownerHref: link(paths.owner(owner)) }),
    age: describeAge(violation, at),
    due: { text: describeDue(violation, at), isOverdue: isOverdue(violation, Date.parse(at)) },
    isNamed: true,
  })
}
