import type { CoverageCause } from '../../model/coverage.ts'
import type { Report, ReportCoverage } from '../../model/report.ts'
import { count } from '../../text/count.ts'
import { gapsOf } from '../gaps.ts'
import { html, type Markup, nothing } from './markup.ts'
import { extentOf } from './scan-extent.ts'

/** What the run could not scan, a line for each cause; nothing when it scanned everything. */
export function showUnscanned({ coverage }: Pick<Report, 'coverage'>, href = '#coverage'): Markup {
  const gaps = gapsOf(coverage)
  if (gaps.length === 0) return nothing
  const byProject = Map.groupBy(coverage, ({ project }) => project)
  const broken = new Set(gaps.map(({ project }) => project))
  const unseen = [...broken].filter((project) => extentOf(byProject.get(project) ?? []) === 'none')
  const causes = nameCauses(gaps, new Set(unseen))
  return unscannedBar({
    headline: describeGaps([...byProject.keys()], broken.size, unseen.length),
    href,
    causes,
    meaning:
      unseen.length === byProject.size
        ? 'What is open and what changed is unknown: nothing was removed, and no violation was resolved.'
        : 'There, nothing was removed and no violation was resolved. A number with + may be higher, and ? is unknown.',
  })
}

function describeGaps(projects: readonly string[], broken: number, unseen: number): string {
  const [only = '', ...others] = projects
  const all = others.length === 0 ? only : count(projects.length, 'project')
  if (unseen === projects.length) return `Nothing was scanned: not one page of ${all} could be read.`
  if (others.length === 0) return `${only} was not scanned to the end.`
  return `${broken} of ${all} ${broken === 1 ? 'was' : 'were'} not scanned to the end.`
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
${lines.length === 0 ? nothing : html`<ul>${lines}${omitted > 0 ? html`<li>and ${count(omitted, 'more cause')}</li>` : nothing}</ul>`}<p>${meaning} <a href="${href}">Coverage</a></p>
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
