import type { Report, ReportCoverage } from '../../model/report.ts'
import { describeFailures } from '../describe-failures.ts'
import { type FailureGroup, groupFailures } from '../group-failures.ts'
import { html, type Markup, nothing, withCode } from './markup.ts'

/** What each walk proved: incomplete walks first, with their reasons. */
export function showCoverage({ coverage, projects }: Report): Markup {
  const broken = coverage.filter(({ status }) => status !== 'complete' && status !== 'skipped')
  const rest = coverage.filter(({ status }) => status === 'complete' || status === 'skipped')
  const alarm =
    broken.length === 0
      ? nothing
      : html`<p class="bad"><b>Incomplete scan: ${broken.length} of ${broken.length + rest.length} walks are not complete. Nothing was removed or resolved there.</b></p>${groupFailures(coverage, projects).map(showFailure)}`
  return html`${alarm}<div class="wide" tabindex="0" role="region" aria-label="Walks"><table><thead><tr><th scope="col">Project</th><th scope="col">Listing</th><th scope="col">Status</th><th scope="col" class="n">Items</th><th scope="col" class="n">Pages</th><th scope="col" class="n">Requests</th><th scope="col" class="n">Retries</th><th scope="col" class="n">Time</th></tr></thead><tbody>
${[...broken, ...rest].map(showWalk)}</tbody></table></div>
`
}

/** A cause of incomplete walks, once. */
function showFailure(group: FailureGroup): Markup {
  const { headline, facts } = describeFailures(group)
  return html`<dl class="cause"><dt class="bad">${headline}</dt>${facts.map(
    ({ label, text }) => html`<dd><b>${label}</b> ${withCode(text)}</dd>`,
  )}</dl>
`
}

function showWalk({ project, listing, status, reason, filter, ...walk }: ReportCoverage): Markup {
  const mark = status === 'complete' ? 'good' : status === 'skipped' ? 'soft' : 'bad'
  const why = reason === null ? nothing : html`<br><span class="soft">${reason}</span>`
  const narrowed = filter === null ? nothing : html`<br><span class="soft">only ${filter}</span>`
  return html`<tr data-project="${project}" data-listing="${listing}" data-status="${status}"><th scope="row">${project}</th><td>${listing}</td><td><span class="${mark}">${status}</span>${why}${narrowed}</td><td class="n">${walk.items}</td><td class="n">${walk.pages}</td><td class="n">${walk.requests}</td><td class="n">${walk.retries}</td><td class="n">${walk.duration_ms} ms</td></tr>
`
}
