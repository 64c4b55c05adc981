import { groupGaps } from '../../compliance/gap-sentences.ts'
import { countUnsureRules, type Gap } from '../../model/gap.ts'
import type { Report, ReportCoverage } from '../../model/report.ts'
import { count } from '../../text/count.ts'
import { describeFailures, type FailureGroup, groupFailures } from '../describe-failures.ts'
import { isGap, listingWalks, sizeOf } from '../gaps.ts'
import { showTime } from '../text/show-time.ts'
import { describeUnsure } from '../verdict.ts'
import { factList, fold } from './components/parts.ts'
import { cell, table } from './components/table.ts'
import { html, type Markup, nothing, withCode } from './markup.ts'

/** What each walk proved: the incomplete ones with their reasons, the others behind a fold. */
export function showCoverage(report: Report): Markup {
  const { coverage, projects } = report
  const gaps = coverage.filter(isGap)
  const rest = coverage.filter((walk) => !isGap(walk))
  const alarm =
    gaps.length > 0 &&
    html`<p class="bad"><b>Incomplete scan: ${gaps.length} of ${count(coverage.filter(({ status }) => status !== 'skipped').length, 'walk')} not complete.</b></p>
${showFailures(coverage, projects)}${fold(html`${count(gaps.length, 'incomplete walk')}`, showWalks('Incomplete walks', gaps))}`
  return html`${alarm}${rest.length !== 0 && fold(html`${describe(rest)}`, showWalks('Other walks', rest))}${showNarrowed(coverage)}${showUnevaluated(report.gaps)}`
}

/** The causes of incomplete walks, each once, with the listings that it hit. */
export function showFailures(...walked: Parameters<typeof groupFailures>): Markup {
  return html`${groupFailures(...walked).map(showFailure)}`
}

/** `12 walks complete, 76 items; 3 skipped`. */
function describe(walks: readonly ReportCoverage[]): string {
  const complete = walks.filter(({ status }) => status === 'complete')
  const items = listingWalks(complete).reduce((sum, walk) => sum + walk.items, 0)
  const skipped = walks.length - complete.length
  const read = `${count(complete.length, 'walk')} complete, ${count(items, 'item')}`
  return skipped === 0 ? read : `${read}; ${skipped} skipped, which the service does not offer`
}

const columns = [
  { title: 'Project' },
  { title: 'Listing' },
  { title: 'Status', isText: true },
  ...['Items', 'Pages', 'Requests', 'Retries', 'Time'].map((title) => ({ title, isNumber: true })),
]

function showWalks(name: string, walks: readonly ReportCoverage[]): Markup {
  return table(name, columns, walks.map(showWalk))
}

/** A cause of incomplete walks, once. */
function showFailure(group: FailureGroup): Markup {
  const { headline, facts } = describeFailures(group)
  return html`<p class="bad">${headline}</p>
${factList(facts.map(({ label, text }) => [label, html`${withCode(text)}`]))}`
}

function showWalk({ project, listing, status, reason, filter, ...walk }: ReportCoverage): Markup {
  const isMissing = isGap({ status })
  const mark = status === 'complete' ? 'good' : isMissing ? 'bad' : 'soft'
  const why = reason !== null && html`<br><span class="soft">${reason}</span>`
  const narrowed = filter !== null && html`<br><span class="soft">only ${filter}</span>`
  const unseen = isMissing && walk.pages === 0
  const items = unseen && walk.of === undefined ? cell('Items', '?', 'n unseen') : cell('Items', sizeOf(walk), 'n')
  const oldest =
    walk.oldest_at !== undefined &&
    walk.oldest_at !== null &&
    html`<br><span class="soft">oldest read ${showTime(walk.oldest_at)}</span>`
  return html`<tr data-project="${project}" data-listing="${listing}" data-status="${status}"><th scope="row">${project}</th>${cell('Listing', listing)}${cell('Status', html`<b class="${mark}">${isMissing && '? '}${status}</b>${why}${narrowed}${oldest}`)}${items}${cell('Pages', walk.pages, 'n')}${cell('Requests', walk.requests, 'n')}${cell('Retries', walk.retries, 'n')}${cell('Time', `${walk.duration_ms} ms`, 'n')}</tr>
`
}

/** Listings that were read through a filter: resources outside it were not scanned. */
function showNarrowed(coverage: readonly ReportCoverage[]): Markup {
  const narrowed = coverage.filter(({ filter }) => filter !== null).length
  if (narrowed === 0) return nothing
  return html`<p class="soft">The configuration narrows ${count(narrowed, 'walk')} with a filter: resources outside it were not scanned.</p>
`
}

/** What rules could not evaluate: that they found nothing does not mean that nothing is there. */
export function showUnevaluated(gaps: readonly Gap[]): Markup {
  const [said] = describeUnsure(countUnsureRules(gaps))
  if (said === undefined) return nothing
  const facts = groupGaps(gaps).map(({ projects, text }) => [projects.join(', '), text] as const)
  return fold(html`? ${said}`, factList(facts), true)
}
