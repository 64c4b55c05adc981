import { showOpenTime } from '../model/time.ts'
import { isOverdue } from '../model/violation.ts'
import type { ViolationRow } from '../questions/violations.ts'
import { describeDue } from '../report/describe-due.ts'
import { nameEnding } from '../report/describe-ending.ts'
import { anchorOf } from '../report/html/anchors.ts'
import { findingRow } from '../report/html/components/finding-row.ts'
import type { Markup } from '../report/html/markup.ts'
import type { ReportLinks } from '../report/html/report-links.ts'

interface RowOptions {
  readonly links: ReportLinks
  /** Of its rule; undefined where no policy in force has the rule. */
  readonly title: string | undefined
  /** The time that ages are as of: ISO 8601, UTC. */
  readonly at: string
}

/** A violation in a list: its title leads to its page, its resource and its owner to theirs. */
export function showViolationRow(violation: ViolationRow, { links, title, at }: RowOptions): Markup {
  return findingRow(violation, {
    anchor: anchorOf('v', violation.fingerprint),
    links,
    title,
    isNamed: true,
    age: describeAge(violation, at),
    due: { text: describeDue(violation, at), isOverdue: isOverdue(violation, Date.parse(at)) },
  })
}

/** `new`, `12 d`, `unknown, 12 d`, `fixed after 3 d`. */
function describeAge(violation: ViolationRow, at: string): string {
  const { state, first_seen, resolved_at } = violation
  const age = showOpenTime(Math.max(0, Date.parse(resolved_at ?? at) - Date.parse(first_seen)))
  switch (state) {
    case 'opened':
      return 'new'
    case 'resolved':
      return `${nameEnding(violation)} after ${age}`
    case 'continuing':
      return age
    default:
      return `${state}, ${age}`
  }
}
