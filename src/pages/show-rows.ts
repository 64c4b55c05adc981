import { isoTime } from '../model/clock.ts'
import { isOverdue } from '../model/due.ts'
import { toRow } from '../queries/read-violations.ts'
import type { ViolationIndex } from '../queries/violation-index.ts'
import { describeDue } from '../report/describe-due.ts'
import { anchorOf } from '../report/html/anchors.ts'
import { findingRow } from '../report/html/components/finding-row.ts'
import { html, type Markup } from '../report/html/markup.ts'
import { describeAge } from '../report/html/show-violations.ts'
import { paths } from './link.ts'
import type { SiteRequest } from './page.ts'
import { readDue, timeOf } from './run-facts.ts'

/** Rows of an index as a list; each links to its page. */
export async function showRows(request: SiteRequest, index: ViolationIndex, rows: readonly number[]): Promise<Markup> {
  const { history, link } = request
  const at = isoTime(timeOf(request))
  const dueOf = await readDue(request)
  const found = await history.foundViolations(rows.map((row) => index.found(row)))
  const items = found.map((violation) => {
    const row = toRow(violation, dueOf(violation.project))
    const due = { text: describeDue(row, at), isOverdue: isOverdue(row, Date.parse(at)) }
    const anchor = anchorOf('v', row.fingerprint)
    const href = link(paths.violation(row.fingerprint))
    return findingRow(row, { anchor, href, age: describeAge(row, at), due, isNamed: true })
  })
  return html`<ul class="rows">
${items}</ul>
`
}
