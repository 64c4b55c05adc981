import type { CoverageCause } from '../../model/coverage.ts'
import type { Report, ReportCoverage } from '../../model/report.ts'
import { count } from '../../text/count.ts'
import { gapsOf } from '../gaps.ts'
import { unscannedBar } from './components/unscanned-bar.ts'
import { type Markup, nothing } from './markup.ts'
import { extentOf } from './scan-extent.ts'

/** What the run could not scan, a line for each cause; nothing when it scanned everything. */
export function showUnscanned({ coverage }: Pick<Report, 'coverage'>, href = '#coverage'): Markup {
  const gaps = gapsOf(coverage)
  if (gaps.length === 0) return nothing
  const byProject = Map.groupBy(coverage, ({ project }) => project)
  const broken = new Set(gaps.map(({ project }) => project))
  const unseen = [...broken].filter((project) => extentOf(byProject.get(project) ?? []) === 'none')
  const projects = count(byProject.size, 'project')
  const causes = [...Map.groupBy(gaps, ({ cause }) => cause)].map(([cause, walks]) => ({
    cause: causeNames[cause ?? 'unspecified'],
    where: nameProjects(walks, new Set(unseen)),
  }))
  const headline =
    unseen.length === byProject.size
      ? `Nothing was scanned: not one page of ${projects} could be read.`
      : `${broken.size} of ${projects} ${broken.size === 1 ? 'was' : 'were'} not scanned to the end.`
  return unscannedBar({
    ...{ headline, href },
    // More would push the verdict off the first screen of a phone.
    causes: causes.slice(0, mostCauses),
    left: causes.length - mostCauses,
    meaning:
      unseen.length === byProject.size
        ? 'What is open and what changed is unknown: nothing was removed, and no violation was resolved.'
        : 'There, nothing was removed and no violation was resolved. A number with + may be higher, and ? is unknown.',
  })
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
  unproven: 'Empty, and not proven to be this project',
  suspect_loss: 'Large loss, waiting for the next scan to confirm it',
  suspect_page: 'A promised page came empty, waiting for the next scan',
  bug: 'A bug in hookdrift',
  signal: 'Interrupted by a signal',
  unspecified: 'Not complete',
} as const satisfies Record<CoverageCause, string>

const mostCauses = 4
const mostProjects = 6

function nameProjects(walks: readonly ReportCoverage[], unseen: ReadonlySet<string>): string {
  const projects = [...Map.groupBy(walks, ({ project }) => project)]
  const names = projects.slice(0, mostProjects).map(([project, missed]) => {
    return unseen.has(project) ? project : `${project} (${missed.map(({ listing }) => listing).join(', ')})`
  })
  const left = projects.length - names.length
  return `${names.join(', ')}${left > 0 ? ` and ${left} more` : ''}`
}
