import { readCauses } from '../questions/causes.ts'
import { readStatus } from '../questions/status.ts'
import { command } from '../report/html/components/command.ts'
import { html, type Markup, nothing } from '../report/html/markup.ts'
import { extentOf } from '../report/html/scan-extent.ts'
import { causeCard } from '../report/html/show-causes.ts'
import { showTrend } from '../report/html/show-trend.ts'
import { openOfLastWeek } from './last-week.ts'
import { showLatest } from './overview/show-latest.ts'
import { showLatestVerdict } from './overview/show-latest-verdict.ts'
import { showProjectTable } from './overview/show-project-table.ts'
import { showRest } from './overview/show-rest.ts'
import type { SitePage, SiteRequest } from './page.ts'
import { type CurrentConfiguration, readConfigured, unconfigured } from './read-configured.ts'
import { reportLinks } from './report-links.ts'
import { onceForRun, readActiveOf, readCounts, readInputs, readScans, readTrendOf, timeOf } from './run-facts.ts'
import { hookdriftCommand } from './same-answer.ts'
import { showGaps } from './show-gaps.ts'
import { showStale } from './show-stale.ts'

/** The first page: what could not be scanned, the verdict, what is new, the projects. */
export const overviewPage: SitePage = {
  path: '/',
  parameters: [],
  isOfRun: 'past',
  async show(request) {
    const { link, isLatest } = request
    const { groups, rules } = await readActiveOf(request)
    const configured = isLatest ? await readConfigured(request) : unconfigured(timeOf(request))
    const status = await readProjects(request, configured)
    const { coverage = [], rows } = status
    const stale = isLatest ? rows.filter((row) => row.stale) : []
    const trend = await readTrendOf(request)
    return {
      title: 'Overview',
      crumbs: [],
      alarm: html`${configured.alarm}${stale.length === 0 ? nothing : showStale(stale)}${showGaps(coverage, link)}`,
      body: html`${await showLatestVerdict(request, { groups, coverage, trend })}${showTrend(trend, { leastDays: 1, stillOpen: openOfLastWeek(request, groups) })}
${await showCauses(request)}${await showLatest(request, { groups, extent: extentOf(coverage) })}
${showProjectTable(request, { status, groups })}
${await showRest(request, { groups, rules, inputs: await readInputs(request), configuration: configured.configuration })}`,
      same: { command: ['status'] },
    }
  },
}

async function readProjects(request: SiteRequest, { configuration, dueAfter }: CurrentConfiguration) {
  const { history, run } = request
  const now = timeOf(request)
  return readStatus(
    history,
    { run, expected: configuration?.expected, projects: [], now, limit: Number.POSITIVE_INFINITY, dueAfter },
    { scansAt: () => readScans(request), countsAt: () => readCounts(request) },
  )
}

const mostCauses = 10

/** What changed alike, or in one update, and is not mended: first, because what follows repeats it. */
async function showCauses(request: SiteRequest): Promise<Markup> {
  const { history, run, link } = request
  const { rows, omitted } = await onceForRun(request, 'causes', () =>
    readCauses(history, { run, projects: [], kind: undefined, limit: mostCauses }),
  )
  if (rows.length === 0) return nothing
  const cards = rows.map((cause) => causeCard(cause, run.number, reportLinks(link)))
  const left =
    omitted === 0 ? nothing : html`<p class="soft">${command(hookdriftCommand(['causes']))} lists ${omitted} more.</p>`
  return html`<h2 id="causes">Causes</h2>
<ul class="rows">
${cards}</ul>${left}
`
}
