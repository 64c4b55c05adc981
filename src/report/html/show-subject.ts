import type { Report } from '../../model/report.ts'
import { count } from '../../text/count.ts'
import { gapsOf, listingWalks } from '../gaps.ts'
import { showDuration, showTime } from '../text/show-time.ts'
import { html, type Markup } from './markup.ts'

const mostNamed = 3

/** The services and projects of a run: `acme: orders, payments`, or `acme, globex: 40 projects`. */
export function describeSubject(report: Pick<Report, 'projects' | 'coverage'>): string {
  const projects = [
    ...new Set([...report.projects, ...listingWalks(report.coverage)].map(({ project }) => project)),
  ].sort()
  if (projects.length === 0) return 'No project'
  const byService = Map.groupBy(projects, serviceOf)
  if (projects.length <= mostNamed) {
    return [...byService].map(([service, found]) => `${service}: ${found.map(nameOf).join(', ')}`).join('; ')
  }
  const services = [...byService.keys()]
  const named = services.length <= mostNamed ? services.join(', ') : count(services.length, 'service')
  return `${named}: ${count(projects.length, 'project')}`
}

/** What the page is about, and as of which run. */
export function showSubject(report: Report): Markup {
  const { run, tool, coverage, verdict } = report
  const took = showDuration(run.started_at, run.finished_at)
  const walks = coverage.filter(({ status }) => status !== 'skipped').length
  const facts = [
    `Run ${run.number}`,
    showTime(run.started_at),
    ...(took === '' ? [] : [`took ${took}`]),
    `${walks - gapsOf(coverage).length} of ${count(walks, 'walk')} complete`,
    verdict.fail_on === 'critical' ? 'fails at critical' : `fails at ${verdict.fail_on} or above`,
  ]
  return html`<p class="meta">Webhook configuration audit by ${tool.name} ${tool.version}</p>
<h1>${describeSubject(report)}</h1>
<p class="meta">${facts.join(' · ')}</p>
`
}

function serviceOf(project: string): string {
  return project.split('/')[0] ?? project
}

function nameOf(project: string): string {
  return project.slice(serviceOf(project).length + 1)
}
