import { groupGaps } from '../../compliance/gap-sentences.ts'
import type { CoverageCause } from '../../model/coverage.ts'
import { countUnsureRules, type Gap } from '../../model/gap.ts'
import type { Report, ReportCoverage } from '../../model/report.ts'
import { count } from '../../text/count.ts'
import { describeFailures, type FailureGroup, groupFailures } from '../describe-failures.ts'
import { extentOf, gapsOf, isGap, listingWalks, sizeOf } from '../gaps.ts'
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
    html`<p class="bad"><b>Incomplete scan: ${gaps.length} of ${count(coverage.filter(({ status }) => status !== 'skipped').length, 'listing')} not complete.</b></p>
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
  const read = `${count(complete.length, 'listing')} complete, ${count(items, 'resource')}`
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
  return html`<p class="soft">The configuration narrows ${count(narrowed, 'listing')} with a filter: resources outside it were not scanned.</p>
`
}

/** What rules could not evaluate: that they found nothing does not mean that nothing is there. */
export function showUnevaluated(gaps: readonly Gap[]): Markup {
  const [said] = describeUnsure(countUnsureRules(gaps))
  if (said === undefined) return nothing
  const facts = groupGaps(gaps).map(({ projects, text }) => [projects.join(', '), text] as const)
  return fold(html`? ${said}`, factList(facts), true)
}

/** What the run could not scan, a line for each cause; nothing when it scanned everything. */
export function showUnscanned({ coverage }: Pick<Report, 'coverage'>, href = '#coverage'): Markup {
  const gaps = gapsOf(coverage)
  if (gaps.length === 0) return nothing
  const byProject = Map.groupBy(coverage, ({ project }) => project)
  const unseen = new Set(
    gaps.flatMap(({ project }) => (extentOf(byProject.get(project) ?? []) === 'none' ? [project] : [])),
  )
  // A list of projects is not a project.
  const projects = projectsOf(coverage.filter(({ listing }) => listing !== 'projects'))
  const isAll = projects.every((project) => unseen.has(project))
  return unscannedBar({
    headline: isAll ? describeNothing(projects, gaps) : describeGaps(projects, gaps),
    href,
    causes: nameCauses(gaps, unseen),
    meaning: isAll
      ? 'What is open and what changed is unknown: nothing was removed, and no violation was resolved.'
      : 'There, nothing was removed and no violation was resolved. A number with + may be higher, and ? is unknown.',
  })
}

function describeNothing(projects: readonly string[], gaps: readonly ReportCoverage[]): string {
  if (projects.length === 0) return `Nothing was scanned: the projects of ${listsIn(gaps)} could not be listed.`
  return `Nothing was scanned: not one page of ${nameAll(projects)} could be read.`
}

function describeGaps(projects: readonly string[], gaps: readonly ReportCoverage[]): string {
  const broken = projectsOf(gaps.filter(({ listing }) => listing !== 'projects')).length
  if (broken === 0) return `Not all projects of ${listsIn(gaps)} are known: the list was not read to the end.`
  if (projects.length === 1) return `${nameAll(projects)} was not scanned to the end.`
  return `${broken} of ${nameAll(projects)} ${broken === 1 ? 'was' : 'were'} not scanned to the end.`
}

function nameAll(projects: readonly string[]): string {
  const [only = '', ...others] = projects
  return others.length === 0 ? only : count(projects.length, 'project')
}

function projectsOf(walks: readonly ReportCoverage[]): string[] {
  return [...new Set(walks.map(({ project }) => project))]
}

/** The services whose lists of projects are among the gaps: the list of a service is called `service/*`. */
function listsIn(gaps: readonly ReportCoverage[]): string {
  const lists = projectsOf(gaps.filter(({ listing }) => listing === 'projects'))
  return lists.map((list) => list.replace(/\/\*$/, '')).join(', ')
}

/** Causes with their projects, and with the listings where a project is not among the `unseen`. */
export function nameCauses(gaps: readonly ReportCoverage[], unseen: ReadonlySet<string>): UnscannedCause[] {
  return [...Map.groupBy(gaps, ({ cause }) => cause)].map(([cause, walks]) => ({
    cause: cause === null ? '' : causeNames[cause],
    where: nameProjects(walks, unseen),
  }))
}

/** What could not be scanned. It comes before the verdict, because it limits what the verdict means. */
export function unscannedBar({
  headline,
  causes,
  meaning,
  href,
}: {
  readonly headline: string
  /** One line for each cause; of many, the first. */
  readonly causes: readonly UnscannedCause[]
  /** What it means for the reader. */
  readonly meaning: string
  /** Where the walks are listed. */
  readonly href: string
}): Markup {
  const omitted = causes.length - mostCauses
  const lines = causes.slice(0, mostCauses).map(({ cause, where }) => html`<li><b>${cause}:</b> ${where}</li>`)
  return html`<div class="unscanned unseen" role="note">
<p><b>? ${headline}</b></p>
${lines.length > 0 && html`<ul>${lines}${omitted > 0 && html`<li>and ${count(omitted, 'more cause')}</li>`}</ul>`}<p>${meaning} <a href="${href}">Coverage</a></p>
</div>
`
}

const causeNames = {
  sigint: 'Interrupted by SIGINT',
  sigterm: 'Interrupted by SIGTERM',
  run_timeout: 'Out of time',
  stopped: 'Stopped',
  timeout: 'No answer in time',
  network: 'Not reached',
  unknown_host: 'Host name not found',
  tls: 'No secure connection',
  wrong_url: 'At another address than the configured one',
  rate_limited: 'Rate limited',
  http: 'Answered with an error',
  refused_key: 'Key refused',
  forbidden: 'Not allowed to this key',
  not_found: 'Project not found, or not shown to this key',
  not_offered: 'Not offered by the service',
  malformed: 'Answers that break the contract',
  foreign: 'Answers of another project',
  unseen_fields: 'Without fields that every release shows',
  contradicted: 'A list without what subscriptions show',
  unproven: 'Empty, and not proven to be this project',
  suspect_loss: 'Large loss, waiting for the next scan to confirm it',
  suspect_page: 'A promised page came empty, waiting for the next scan',
  bug: 'A bug in hookdrift',
} as const satisfies Record<CoverageCause, string>

const mostProjects = 6

function nameProjects(walks: readonly ReportCoverage[], unseen: ReadonlySet<string>): string {
  const projects = [...Map.groupBy(walks, ({ project }) => project)]
  const names = projects.slice(0, mostProjects).map(([project, missed]) => {
    return unseen.has(project) ? project : `${project} (${missed.map(({ listing }) => listing).join(', ')})`
  })
  const omitted = projects.length - names.length
  return `${names.join(', ')}${omitted > 0 ? ` and ${omitted} more` : ''}`
}

interface UnscannedCause {
  readonly cause: string
  /** Projects, or parts of them. */
  readonly where: string
}

/** More would push the verdict off the first screen of a phone. */
const mostCauses = 4
