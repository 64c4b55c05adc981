import type { RecordedViolation } from '../history/records.ts'
import { isoTime } from '../model/time.ts'
import { toRow } from '../questions/violations.ts'
import { html, type Markup } from '../report/html/markup.ts'
import type { SiteRequest } from './page.ts'
import { reportLinks } from './report-links.ts'
import { readDue, readInputs, timeOf } from './run-facts.ts'
import { showViolationRow } from './violation-row.ts'

/** Violations as a list. */
export async function showFound(request: SiteRequest, found: readonly RecordedViolation[]): Promise<Markup> {
  const { link } = request
  const at = isoTime(timeOf(request))
  const dueOf = await readDue(request)
  const titles = new Map((await readInputs(request))?.rules.map(({ id, title }) => [id, title]))
  const links = reportLinks(link)
  const items = found.map((violation) =>
    showViolationRow(toRow(violation, dueOf(violation.project)), { links, title: titles.get(violation.rule), at }),
  )
  return html`<ul class="rows findings">
${items}</ul>
`
}
