import type { RecordedViolation } from '../history/records.ts'
import { isoTime } from '../model/time.ts'
import { toRow } from '../questions/violations.ts'
import { list } from '../report/document/blocks.ts'
import { asHtml } from '../report/document/html.ts'
import type { Markup } from '../report/html/markup.ts'
import { violationItem } from '../report/report-items.ts'
import { reportLinks } from './link.ts'
import type { SiteRequest } from './page.ts'
import { readDue, timeOf } from './run-facts.ts'

/** Violations as a list. */
export async function showViolationList(
  request: SiteRequest,
  violations: readonly RecordedViolation[],
): Promise<Markup> {
  const at = isoTime(timeOf(request))
  const dueOf = await readDue(request)
  const items = violations.map((violation) =>
    violationItem(toRow(violation, dueOf(violation.project)), { at, hasRule: true }),
  )
  return asHtml(list('violation', items), reportLinks(request.link))
}
