import { matchesProject } from '../config/choose-projects.ts'
import type { PlannedRuns } from '../config/read-configured-paths.ts'
import { findLastRun } from '../history/sql/runs.ts'
import { totalOf } from '../model/violation.ts'
import type { PoolState } from '../pool/workers.ts'
import { describePool } from '../questions/describe-pool.ts'
import { isStale, readStatus, type StatusRow } from '../questions/status.ts'
import { showCount } from '../report/gaps.ts'
import { emptyState, showInstant } from '../report/html/components/parts.ts'
import { cell, table } from '../report/html/components/table.ts'
import { html, type Markup, nothing } from '../report/html/markup.ts'
import { pageSection } from '../report/html/render-page.ts'
import { count } from '../text/count.ts'
import { nextTimes } from '../worker/next-times.ts'
import { linksAt, paths, type SiteLink } from './link.ts'
import { cutPage, noSuchCursor, showPager } from './list-page.ts'
import type { SiteContent, SitePage, SiteQuery } from './page.ts'
import { readChoice } from './query.ts'
import { type CurrentConfiguration, readConfigured } from './read-configured.ts'
import { showGaps } from './show-gaps.ts'
import { showMissed, showStale } from './show-late.ts'

/** The parameters that name the scan after which a page begins: it may be another, or gone, when the page is asked for. */
const scanParameters = ['after-state', 'after'] as const

const mostProjects = 500

/** Whether the audits go on: stale scans first, then what runs now, then what is planned. */
export const workerPage: SitePage = {
  path: '/worker',
  parameters: scanParameters,
  isOfRun: false,
  async show({ history, now, plan, query }): Promise<SiteContent> {
    // Of now: a past run may not have these projects.
    const link = linksAt(undefined)
    const configured = await readConfigured({ plan, now })
    const { configuration, dueAfter } = configured
    const run = await findLastRun(history)
    const expected = configuration?.expected
    const statusQuery = { run, expected, projects: [], now, limit: Number.POSITIVE_INFINITY, dueAfter }
    const { rows, coverage = [] } = await readStatus(history, statusQuery)
    const ordered = scanStates.flatMap((state) => rows.filter((row) => stateOf(row) === state))
    const [stale, incomplete] = [
      ordered.filter((row) => row.stale),
      rows.filter((row) => stateOf(row) === 'incomplete'),
    ]
    const cursor = readScanCursor(query)
    const { items, last } = cutPage(ordered, { isAfter: cursor && ((row) => isAfter(row, cursor)), most: mostProjects })
    const next = last && link('/worker', { 'after-state': stateOf(last), after: last.project })
    return {
      title: 'Worker',
      crumbs: [],
      alarm: html`${configured.alarm}${isStale(rows) && showStale(stale)}${await showGaps({ history, link }, coverage)}`,
      body: html`<p class="meta">As of now, not of a run: ${count(rows.length, 'project')}, ${stale.length} with a stale scan, ${incomplete.length} with an incomplete one.</p>
${pageSection({
  id: 'scans',
  title: 'Scans',
  count: rows.length,
  content: html`${table(
    'Scans',
    columns,
    items.map((row) => showRow(row, link)),
  )}${showPager({ first: cursor && link('/worker'), next })}`,
})}${cursor === undefined && html`${showPool(await plan.pool())}${showSchedules(configured, rows, now)}`}`,
      same: { command: ['status'], isOfNoRun: true, lacks: 'It shows scans without schedules.' },
      next,
    }
  },
}

const columns = [
  { title: 'Project' },
  { title: 'State' },
  { title: 'Last scan' },
  { title: 'Run' },
  { title: 'Open', isNumber: true },
]

function showRow(row: StatusRow, link: SiteLink): Markup {
  const { project, run, at, complete, incomplete_since, stale, reason } = row
  const open = run === null ? '?' : showCount(totalOf(row.violations), complete ? 'all' : 'some')
  const openCell = row.unknown === 0 ? open : html`${open} <span class="soft">${row.unknown} then</span>`
  const state = stale
    ? html`<b class="bad">? stale: ${reason ?? ''}</b>`
    : complete
      ? html`current`
      : html`<b class="bad">? incomplete</b>`
  const since = incomplete_since !== null && html`<br>not complete since ${showInstant(incomplete_since)}`
  const name = run === null ? html`${project}` : html`<a href="${link(paths.project(project))}">${project}</a>`
  const last = at === null ? 'never' : html`<span>${showInstant(at)}${since}</span>`
  return html`<tr data-project="${project}"${stale || !complete ? html` class="unseen"` : nothing}><th scope="row">${name}</th>${cell('State', state)}${cell('Last scan', last)}${cell('Run', run === null ? 'none' : html`<a href="${link(paths.run(run))}">${run}</a>`)}${cell('Open', openCell, open === '?' ? 'n unseen' : 'n')}</tr>
`
}

/** What the workers of a shared history do. */
function showPool(state: PoolState | undefined): Markup {
  if (state === undefined) return nothing
  const remarks = describePool(state).remarks ?? []
  return pageSection({
    id: 'workers',
    title: 'Workers',
    count: state.workers.length,
    content:
      remarks.length === 0
        ? emptyState('No worker shares this history now.', 'none')
        : html`<ul class="rows">${remarks.map((text) => html`<li>${text}</li>`)}</ul>
`,
  })
}

/** The scans are in this order, then in that of the names of their projects. */
const scanStates = ['stale', 'incomplete', 'current'] as const

type ScanState = (typeof scanStates)[number]

function stateOf({ stale, complete }: StatusRow): ScanState {
  return stale ? 'stale' : complete ? 'current' : 'incomplete'
}

interface ScanCursor {
  readonly state: ScanState
  readonly project: string
}

/** @throws AuditError.usage when only a part of a cursor is named */
function readScanCursor(query: SiteQuery): ScanCursor | undefined {
  const [state, project] = [readChoice(query, 'after-state', scanStates), query.one('after')]
  if (state === undefined && project === undefined) return undefined
  if (state === undefined || project === undefined) throw noSuchCursor(...scanParameters)
  return { state, project }
}

function isAfter(row: StatusRow, { state, project }: ScanCursor): boolean {
  const [rank, other] = [scanStates.indexOf(stateOf(row)), scanStates.indexOf(state)]
  return rank === other ? row.project > project : rank > other
}

const mostTimes = 3

/** When each schedule runs next, and which of them did not run when it was due. */
function showSchedules(
  { configuration, isUnreadable }: CurrentConfiguration,
  scans: readonly StatusRow[],
  now: number,
): Markup {
  if (configuration === undefined) {
    const why = isUnreadable
      ? 'The configuration cannot be read'
      : 'The pages were given a history and no configuration'
    return pageSection({
      id: 'schedules',
      title: 'Schedules',
      content: emptyState(`${why}: schedules are unknown.`, 'unknown'),
    })
  }
  const { schedules } = configuration
  const rows = schedules.map((schedule) => showSchedule(schedule, scans, now))
  return pageSection({
    id: 'schedules',
    title: 'Schedules',
    count: schedules.length,
    note: 'Next times before jitter. A worker keeps them; this page starts nothing.',
    content:
      rows.length === 0
        ? emptyState('The configuration has no schedules: a project is stale 25 h after its last scan.', 'none')
        : table('Schedules', scheduleColumns, rows),
  })
}

const scheduleColumns = ['Schedule', 'Cron', 'Zone', 'Projects', 'Next'].map((title) => ({ title }))

function showSchedule(schedule: PlannedRuns, scans: readonly StatusRow[], now: number): Markup {
  const { name, cron, timezone, projects } = schedule
  const ofSchedule = scans.filter(({ project }) => matchesProject(project, projects))
  const missed = showMissed(
    schedule,
    ofSchedule.map(({ at }) => at),
    now,
  )
  const times = nextTimes([schedule], now, mostTimes).map(({ at }) => showInstant(at))
  const lines = [missed, ...times].filter((line) => String(line) !== '').map((line) => html`${line}<br>`)
  return html`<tr data-schedule="${name}"><th scope="row">${name}</th>${cell('Cron', html`<code>${cron}</code>`)}${cell('Zone', timezone)}${cell('Projects', projects.length === 0 ? 'all' : projects.join(', '))}${cell('Next', html`<span>${lines}</span>`)}</tr>
`
}
