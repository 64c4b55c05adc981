import type { CoverageCause } from '../model/coverage.ts'
import { countUnsureRules, type Gap } from '../model/gap.ts'
import type { Report, ReportCoverage } from '../model/report.ts'
import { count } from '../model/text/count.ts'
import { groupGaps } from '../report/compliance/gap-sentences.ts'
import { list, section } from '../report/document/blocks.ts'
import { asHtml } from '../report/document/html.ts'
import { extentOf, gapsOf } from '../report/gaps.ts'
import { html, type Markup, nothing } from '../report/html/markup.ts'
import { describeUnsure } from '../report/verdict.ts'

/** What rules could not evaluate: that they found nothing does not mean that nothing is there. */
export function showUnevaluated(gaps: readonly Gap[]): Markup {
  const items = groupGaps(gaps).map(({ text }) => ({ text }))
  const said = describeUnsure(countUnsureRules(gaps)).map((sentence) => `? ${sentence}`)
  return asHtml(
    said.flatMap((sentence) => section(4, sentence, list('limit', items), { isFolded: false })),
    undefined,
    3,
  )
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
  in_front: 'Answered by something in front of the service',
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
