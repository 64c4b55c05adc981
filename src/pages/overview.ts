import { readStatus } from '../questions/status.ts'
import { html, nothing } from '../report/html/markup.ts'
import { extentOf } from '../report/html/scan-extent.ts'
import { showTrend } from '../report/html/show-trend.ts'
import { openOfLastWeek } from './last-week.ts'
import { showLatest } from './overview/show-latest.ts'
import { showLatestVerdict } from './overview/show-latest-verdict.ts'
import { showProjectTable } from './overview/show-project-table.ts'
import { showRest } from './overview/show-rest.ts'
import type { SitePage, SiteRequest } from './page.ts'
import { type CurrentConfiguration, readConfigured, unconfigured } from './read-configured.ts'
import { readActiveOf, readCounts, readInputs, readScans, readTrendOf, timeOf } from './run-facts.ts'
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
${await showLatest(request, { groups, extent: extentOf(coverage) })}
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
