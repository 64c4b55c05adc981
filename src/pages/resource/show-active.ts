import { identifyViolations, readFoundViolations } from '../../history/sql/found-violations.ts'
import { type Identity, readViolationsOf } from '../../history/sql/resource-life.ts'
import { isoTime } from '../../model/time.ts'
import { isOverdue, severities } from '../../model/violation.ts'
import { toRow, type ViolationRow } from '../../questions/violations.ts'
import { describeDue } from '../../report/describe-due.ts'
import { html, type Markup, nothing } from '../../report/html/markup.ts'
import { pageSection } from '../../report/html/render-page.ts'
import { describeAge } from '../../report/html/show-violations.ts'
import { shorten } from '../../report/text/shorten.ts'
import { paths } from '../link.ts'
import type { SiteRequest } from '../page.ts'
import { readDue, timeOf } from '../run-facts.ts'

/** The active violations of a resource, the worst first: since when each is open and when it is due. */
export async function showActive(request: SiteRequest, identity: Identity): Promise<Markup> {
  const rows = await readActive(request, identity)
  if (rows.length === 0) return nothing
  return pageSection({
    id: 'violations',
    title: 'Violations',
    count: rows.length,
    content: html`<ul class="rows">${rows.map((row) => showRow(row, request))}</ul>`,
  })
}

async function readActive(request: SiteRequest, identity: Identity): Promise<readonly ViolationRow[]> {
  const { history, run } = request
  const project = identity.project.name
  const spans = (await readViolationsOf(history, identity, run.number)).filter(({ toRun }) => toRun === null)
  const found = await Promise.all(
    spans.map(({ fingerprint }) => identifyViolations(history, fingerprint, run.number, 1)),
  )
  const dueOf = await readDue(request)
  const violations = await readFoundViolations(
    history,
    found.flat().map((one) => ({ ...one, project })),
  )
  const rows = violations.map((violation) => toRow(violation, dueOf(project)))
  return severities.flatMap((severity) => rows.filter((row) => row.severity === severity))
}

function showRow(row: ViolationRow, request: SiteRequest): Markup {
  const { fingerprint, rule, severity, state, message, path } = row
  const at = timeOf(request)
  const due = describeDue(row, isoTime(at))
  const late = due === '' ? nothing : html` · ${isOverdue(row, at) ? html`<b class="bad">${due}</b>` : due}`
  const place = path === '' ? nothing : html`at <code>${shorten(path, 200)}</code> · `
  const waived = state === 'waived' ? 'waived · ' : ''
  return html`<li data-severity="${severity}" data-state="${state}"><p><span class="chip ${severity}">${severity}</span> <a href="${request.link(paths.violation(fingerprint))}"><code>${rule}</code></a> ${shorten(message, 2000)}</p><p class="where">${waived}${place}${describeAge(row, isoTime(at))}${late}</p></li>
`
}
