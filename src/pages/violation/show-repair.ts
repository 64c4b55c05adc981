import type { IdentifiedViolation } from '../../history/sql/found-violations.ts'
import { html, type Markup } from '../../report/html/markup.ts'
import type { SiteRequest } from '../page.ts'
import { readRequests, showRequest } from '../restore-requests.ts'

/** The request that repairs a violation, with its placeholders; that there is none, where no value is right for all. */
export async function showRepair(request: SiteRequest, violation: IdentifiedViolation, rule: string): Promise<Markup> {
  const { rows = [] } = (await readRequests(request, violation, rule)) ?? {}
  if (rows.length === 0)
    return html`<p class="soft">No request is right for every fleet here: a person decides what the value should be.</p>`
  return html`${rows.map(
    (row) => html`<h3>The request that repairs it</h3>
${showRequest(row)}`,
  )}`
}
