import type { RecordedScan } from '../history/reader.ts'
import { globOf } from '../model/glob.ts'
import { isOpen } from '../model/violation.ts'
import { toCoverage } from '../queries/as-of.ts'
import { groupRows, pageRows, type RowTest } from '../queries/page-violations.ts'
import { findTrend } from '../queries/read-trend.ts'
import { stateAt } from '../queries/violation-index.ts'
import { emptyState } from '../report/html/components/empty-state.ts'
import { type Fact, factList } from '../report/html/components/facts.ts'
import { cell, table } from '../report/html/components/table.ts'
import { html, type Markup, nothing } from '../report/html/markup.ts'
import { pageSection } from '../report/html/render-page.ts'
import { extentOf } from '../report/html/scan-extent.ts'
import { showTrend } from '../report/html/show-trend.ts'
import { showUnscanned } from '../report/html/show-unscanned.ts'
import { showTime } from '../report/text/show-time.ts'
import { atLastRun } from './at-last-run.ts'
import { openOfLastWeek } from './last-week.ts'
import { NotFound, type SitePage, type SiteRequest } from './page.ts'
import { readScheduleFacts } from './project/schedule-facts.ts'
import { showLastChanges } from './project/show-last-changes.ts'
import { onceForRun, readIndex, readResourceCounts, readScans } from './run-facts.ts'
import { showNumbers } from './show-numbers.ts'
import { showRows } from './show-rows.ts'
import { type Groups, showGroups } from './violations/show-groups.ts'

const mostShown = 20

/** A project: how its last scan went, what is open and since when, what changed, what it has. */
export const projectPage: SitePage = {
  path: '/projects/:service/:project',
  parameters: [],
  // Schedules say when its next audit is.
  isOfRun: 'past',
  async show(request) {
    const { history, run, params, link } = request
    const name = `${params.service}/${params.project}`
    const [scan, last] = [await findScan(request, name), await atLastRun(request)]
    if (scan === undefined) throw new NotFound(`As of run ${run.number}, no project ${name} was scanned`)
    const coverage = toCoverage(scan)
    const extent = extentOf(coverage)
    const trend = await onceForRun(request, `trend of ${name}`, () =>
      findTrend(history, { run, since: undefined, projects: [name] }),
    )
    const index = await readIndex(request, { withOwner: true })
    const at = index.projects.indexOf(name)
    const isOpenHere: RowTest = (row) => index.project[row] === at && isOpen({ state: stateAt(index, row) })
    const open = pageRows(index, isOpenHere, { most: mostShown })
    const { total } = open.counts
    const pattern = globOf(name)
    const all = link('/violations', { project: pattern })
    return {
      title: name,
      crumbs: [],
      alarm: showUnscanned({ coverage }),
      body: html`${showNumbers(open.counts.severities, extent)}${showTrend(trend, { leastDays: 1, stillOpen: openOfLastWeek(request, index, name) })}
${pageSection({
  ...{ id: 'violations', title: 'Open violations', count: total },
  content:
    total === 0
      ? emptyState(
          extent === 'all' ? 'None.' : 'None in what was scanned; the rest is unknown.',
          extent === 'all' ? 'none' : 'unknown',
        )
      : html`${await showRows(request, index, open.rows)}${total > open.rows.length ? html`<p><a href="${all}">All of ${total}</a></p>` : nothing}`,
})}${await showLastChanges(request, name)}${total === 0 ? nothing : await showOwners(request, { index, groups: groupRows(index, isOpenHere, 'owner'), filters: { project: pattern } })}${pageSection({ id: 'coverage', title: 'Coverage of its last scan', content: showWalks(coverage) })}`,
      aside: factList([
        [
          'Last scan',
          html`<time datetime="${scan.run.finishedAt}">${showTime(scan.run.finishedAt)}</time>, run ${scan.run.number}`,
        ],
        [
          'Complete',
          scan.incompleteSince === undefined
            ? 'yes'
            : `not since run ${scan.incompleteSince.number}, ${showTime(scan.incompleteSince.startedAt)}`,
        ],
        ['Open', String(total)],
        ...(await readScheduleFacts(request, name)),
        ...(await readResourceFacts(request, name)),
      ]),
      same: { command: ['violations'], options: { open: true, project: pattern } },
      atLast: last !== undefined && (await findScan(last, name)) === undefined ? '/' : undefined,
    }
  },
}

/** A project has the name that it had when the run last scanned it. */
async function findScan(request: SiteRequest, name: string): Promise<RecordedScan | undefined> {
  return (await readScans(request)).find(({ project }) => project.name === name)
}

/** How many resources of each kind that it has, and where they are listed. */
async function readResourceFacts(request: SiteRequest, name: string): Promise<readonly Fact[]> {
  const counts = (await readResourceCounts(request)).filter(({ project }) => project.name === name)
  return counts.map(({ kind, resources }) => [
    `${kind}s`,
    html`<a href="${request.link('/resources', { project: name, kind })}">${resources}</a>`,
  ])
}

async function showOwners(request: SiteRequest, groups: Omit<Groups, 'grouping'>): Promise<Markup> {
  return pageSection({
    id: 'owners',
    title: 'Owners',
    content: await showGroups(request, { ...groups, grouping: 'owner' }),
  })
}

function showWalks(coverage: ReturnType<typeof toCoverage>): Markup {
  return table(
    'Coverage',
    [
      { title: 'Listing' },
      { title: 'Status' },
      { title: 'Items', isNumber: true },
      { title: 'Pages', isNumber: true },
      { title: 'Reason' },
    ],
    coverage.map(
      ({ listing, status, reason, items, pages }) =>
        html`<tr><th scope="row">${listing}</th>${cell('Status', status === 'complete' ? status : html`<b class="bad">${status === 'skipped' ? '' : '? '}${status}</b>`)}${cell('Items', items, 'n')}${cell('Pages', pages, 'n')}${cell('Reason', reason ?? '')}</tr>
`,
    ),
  )
}
