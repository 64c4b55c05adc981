import { isOpen } from '../model/violation.ts'
import { type ActiveCounts, noneActive, readStatus } from '../queries/read-status.ts'
import { severityAt, stateAt, type ViolationIndex } from '../queries/violation-index.ts'
import { html } from '../report/html/markup.ts'
import { showTrend } from '../report/html/show-trend.ts'
import { showUnscanned } from '../report/html/show-unscanned.ts'
import { paths } from './link.ts'
import { showLatest } from './overview/show-latest.ts'
import { showProjectTable } from './overview/show-project-table.ts'
import { showRest } from './overview/show-rest.ts'
import { showStale } from './overview/show-stale.ts'
import { showVerdictOf } from './overview/show-verdict-of.ts'
import type { SitePage, SiteRequest } from './page.ts'
import { readIndex, readInputs, readScans, readTrendOf, timeOf } from './run-facts.ts'

/** Without a schedule, a daily run and an hour's grace. */
const usualMaxAgeMs = 25 * 3_600_000

/** The first page: what could not be scanned, the verdict, what is new, the projects. */
export const overviewPage: SitePage = {
  path: '/',
  parameters: [],
  isOfRun: 'past',
  async show(request) {
    const { link, run, isLatest } = request
    const index = await readIndex(request)
    const status = await readProjects(request, index)
    const { coverage = [], rows } = status
    const trend = await readTrendOf(request)
    return {
      title: 'Overview',
      crumbs: [],
      alarm: html`${showStale(rows, request)}${showUnscanned({ coverage }, link(paths.run(run.number)))}`,
      body: html`${await showVerdictOf(request, { index, coverage, trend })}${showTrend(trend, 1)}
${await showLatest(request, index)}
${showProjectTable(request, { status, index })}
${await showRest(request, index, await readInputs(request))}`,
      command: isLatest ? 'hookdrift status' : `hookdrift report --run ${run.number}`,
      json: link('/api/v1/status'),
    }
  },
}

async function readProjects(request: SiteRequest, index: ViolationIndex) {
  const { history, run } = request
  const reader = { ...history, latestScans: () => readScans(request) }
  return readStatus(
    reader,
    {
      ...{ run, expected: undefined, projects: [], now: timeOf(request), limit: Number.POSITIVE_INFINITY },
      dueAfter: (_, ms) => ms + usualMaxAgeMs,
    },
    async () => countByProject(index),
  )
}

function countByProject(index: ViolationIndex): ReadonlyMap<string, ActiveCounts> {
  const counts = index.projects.map(noneActive)
  for (let row = 0; row < index.size; row++) {
    const own = counts[index.project[row] ?? 0]
    const state = stateAt(index, row)
    if (own === undefined) continue
    if (isOpen({ state })) own.open[severityAt(index, row)]++
    else if (state === 'waived' || state === 'unknown') own[state]++
  }
  return new Map(index.projects.map((name, at) => [name, counts[at] ?? noneActive()]))
}
