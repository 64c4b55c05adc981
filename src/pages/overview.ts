import { AuditError } from '../model/errors.ts'
import { readStatus } from '../queries/read-status.ts'
import { html, type Markup, nothing } from '../report/html/markup.ts'
import { showTrend } from '../report/html/show-trend.ts'
import { showUnscanned } from '../report/html/show-unscanned.ts'
import { nextAuditDue } from '../worker/next-audit-due.ts'
import { readCounts } from './count-by-project.ts'
import { openOfLastWeek } from './last-week.ts'
import { paths } from './link.ts'
import { showLatest } from './overview/show-latest.ts'
import { showProjectTable } from './overview/show-project-table.ts'
import { showRest } from './overview/show-rest.ts'
import { showVerdictOf } from './overview/show-verdict-of.ts'
import type { SiteConfiguration, SitePage, SiteRequest } from './page.ts'
import { readIndex, readInputs, readScans, readTrendOf, timeOf } from './run-facts.ts'
import { showStale } from './show-stale.ts'

/** The first page: what could not be scanned, the verdict, what is new, the projects. */
export const overviewPage: SitePage = {
  path: '/',
  parameters: [],
  isOfRun: 'past',
  async show(request) {
    const { link, run, isLatest, plan } = request
    const index = await readIndex(request)
    // What is configured today says nothing about a past run.
    const configuration = isLatest ? await plan.configured().catch(unreadable) : undefined
    const status = await readProjects(request, configuration === 'unreadable' ? undefined : configuration)
    const { coverage = [], rows } = status
    const stale = isLatest ? rows.filter((row) => row.stale) : []
    const trend = await readTrendOf(request)
    return {
      title: 'Overview',
      crumbs: [],
      alarm: html`${configuration === 'unreadable' ? showUnreadable() : nothing}${stale.length === 0 ? nothing : showStale(stale)}${showUnscanned({ coverage }, link(paths.run(run.number)))}`,
      body: html`${await showVerdictOf(request, { index, coverage, trend })}${showTrend(trend, { leastDays: 1, stillOpen: openOfLastWeek(request, index) })}
${await showLatest(request, index)}
${showProjectTable(request, { status, index })}
${await showRest(request, { index, inputs: await readInputs(request), configuration: configuration === 'unreadable' ? undefined : configuration })}`,
      command: isLatest ? 'hookdrift status' : `hookdrift report --run ${run.number}`,
      json: link('/api/v1/status'),
    }
  },
}

/** People edit the configuration while the pages are served: what the history knows is shown all the same. */
function unreadable(error: unknown): 'unreadable' {
  if (error instanceof AuditError) return 'unreadable'
  throw error
}

function showUnreadable(): Markup {
  return html`<div class="unscanned unseen" role="note"><p><b>? The configuration cannot be read.</b></p><p>Which projects it names, and when they are due, is unknown. <code>hookdrift config check</code> says why.</p></div>
`
}

async function readProjects(request: SiteRequest, configuration: SiteConfiguration | undefined) {
  const { history, run } = request
  const now = timeOf(request)
  const reader = { ...history, latestScans: () => readScans(request) }
  return readStatus(
    reader,
    {
      ...{ run, expected: configuration?.expected, projects: [], now, limit: Number.POSITIVE_INFINITY },
      dueAfter: nextAuditDue(configuration?.schedules ?? [], { now, file: 'the configuration' }),
    },
    () => readCounts(request),
  )
}
