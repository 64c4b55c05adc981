import type { RecordedViolation } from '../history/records.ts'
import { isoTime, showOpenTime } from '../model/time.ts'
import { isOverdue } from '../model/violation.ts'
import { toRow, type ViolationRow } from '../questions/violations.ts'
import { describeDue } from '../report/describe-due.ts'
import { nameEnding } from '../report/describe-ending.ts'
import { findingRow } from '../report/html/components/finding-row.ts'
import { anchorOf, type ReportLinks } from '../report/html/components/parts.ts'
import { html, type Markup } from '../report/html/markup.ts'
import { reportLinks } from './link.ts'
import type { SiteRequest } from './page.ts'
import { readDue, readInputs, timeOf } from './run-facts.ts'

/** Violations as a list. */
export async function showViolationList(
  request: SiteRequest,
  violations: readonly RecordedViolation[],
): Promise<Markup> {
  const { link } = request
  const at = isoTime(timeOf(request))
  const dueOf = await readDue(request)
  const titles = new Map((await readInputs(request))?.rules.map(({ id, title }) => [id, title]))
  const links = reportLinks(link)
  const items = violations.map((violation) =>
    showViolationRow(toRow(violation, dueOf(violation.project)), { links, title: titles.get(violation.rule), at }),
  )
  return html`<ul class="rows findings">
${items}</ul>
`
}

/** A violation in a list: its title leads to its page, its resource and its owner to theirs. */
function showViolationRow(
  violation: ViolationRow,
  {
    links,
    title,
    at,
  }: {
    readonly links: ReportLinks
    /** Of its rule; undefined where no policy in force has the rule. */
    readonly title: string | undefined
    /** The time that ages are as of: ISO 8601, UTC. */
    readonly at: string
  },
): Markup {
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
