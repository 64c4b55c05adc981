import { totalOf } from '../model/violation.ts'
import type { PoolState } from '../pool/read-pool-state.ts'
import { describePool } from '../queries/describe-pool.ts'
import { isStale, readStatus, type StatusRow } from '../queries/read-status.ts'
import { emptyState } from '../report/html/components/empty-state.ts'
import { cell, table } from '../report/html/components/table.ts'
import { html, type Markup, nothing } from '../report/html/markup.ts'
import { pageSection } from '../report/html/render-page.ts'
import { showCount } from '../report/html/scan-extent.ts'
import { count } from '../text/count.ts'
import { nextTimes } from '../worker/next-times.ts'
import { readCounts } from './count-by-project.ts'
import { paths, type SiteLink } from './link.ts'
import type { SiteContent, SitePage } from './page.ts'
import { type Configured, readConfigured } from './read-configured.ts'
import { showInstant } from './show-instant.ts'
import { showStale } from './show-stale.ts'

const mostProjects = 500
const mostTimes = 3

/** Whether the audits go on: stale scans first, then what runs now, then what is planned. */
export const workerPage: SitePage = {
  path: '/worker',
  parameters: [],
  isOfRun: false,
  async show({ history, now, link, plan }): Promise<SiteContent> {
    const configured = await readConfigured({ plan, now })
    const { configuration, dueAfter } = configured
    const run = await history.lastRun()
    const expected = configuration?.expected
    const query = { run, expected, projects: [], now, limit: Number.POSITIVE_INFINITY, dueAfter }
    const { rows } = await readStatus(history, query, async () =>
      run === undefined ? new Map() : readCounts({ history, run }),
    )
    const stale = rows.filter((row) => row.stale)
    const ordered = [...stale, ...rows.filter((row) => !row.stale)]
    const shown = ordered.slice(0, mostProjects)
    return {
      title: 'Worker',
      crumbs: [],
      alarm: html`${configured.alarm}${isStale(rows) ? showStale(stale) : nothing}`,
      body: html`<p class="meta">As of now, not of a run: ${count(rows.length, 'project')}, ${stale.length} with a stale scan.</p>
${pageSection({
  ...{ id: 'scans', title: 'Scans', count: rows.length },
  content: html`${table(
    'Scans',
    columns,
    shown.map((row) => showRow(row, link)),
  )}${shown.length < rows.length ? html`<p class="soft">${shown.length} of ${rows.length} shown: the command shows all.</p>` : nothing}`,
})}${showPool(await plan.pool())}${showSchedules(configured, now)}`,
      same: { command: ['status'], isOfNoRun: true },
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
  const state = stale ? html`<b class="bad">? stale: ${reason ?? ''}</b>` : 'current'
  const since = incomplete_since === null ? nothing : html`<br>not complete since ${showInstant(incomplete_since)}`
  const name = run === null ? html`${project}` : html`<a href="${link(paths.project(project))}">${project}</a>`
  const last = at === null ? 'never' : html`<span>${showInstant(at)}${since}</span>`
  return html`<tr data-project="${project}"${stale ? html` class="unseen"` : nothing}><th scope="row">${name}</th>${cell('State', state)}${cell('Last scan', last)}${cell('Run', run === null ? 'none' : html`<a href="${link(paths.run(run))}">${run}</a>`)}${cell('Open', open, open === '?' ? 'n unseen' : 'n')}</tr>
`
}

/** What the workers of a shared history do. */
function showPool(state: PoolState | undefined): Markup {
  if (state === undefined) return nothing
  const remarks = describePool(state).remarks ?? []
  return pageSection({
    ...{ id: 'workers', title: 'Workers', count: state.workers.length },
    content:
      remarks.length === 0
        ? emptyState('No worker shares this history now.', 'none')
        : html`<ul class="rows">${remarks.map((text) => html`<li>${text}</li>`)}</ul>
`,
  })
}

function showSchedules({ configuration, isUnreadable }: Configured, now: number): Markup {
  if (configuration === undefined) {
    const why = isUnreadable
      ? 'The configuration cannot be read'
      : 'The pages were given a history and no configuration'
    return pageSection({
      ...{ id: 'schedules', title: 'Schedules' },
      content: emptyState(`${why}: schedules are unknown.`, 'unknown'),
    })
  }
  const { schedules } = configuration
  const rows = schedules.map((schedule) => {
    const times = nextTimes([schedule], now, mostTimes)
    const projects = schedule.projects.length === 0 ? 'all' : schedule.projects.join(', ')
    return html`<tr data-schedule="${schedule.name}"><th scope="row">${schedule.name}</th>${cell('Cron', html`<code>${schedule.cron}</code>`)}${cell('Zone', schedule.timezone)}${cell('Projects', projects)}${cell('Next', html`<span>${times.map(({ at }) => html`${showInstant(at)}<br>`)}</span>`)}</tr>
`
  })
  return pageSection({
    ...{ id: 'schedules', title: 'Schedules', count: schedules.length },
    note: 'Next times before jitter. A worker keeps them; this page starts nothing.',
    content:
      rows.length === 0
        ? emptyState('The configuration has no schedules: a project is stale 25 h after its last scan.', 'none')
        : table('Schedules', scheduleColumns, rows),
  })
}

const scheduleColumns = ['Schedule', 'Cron', 'Zone', 'Projects', 'Next'].map((title) => ({ title }))
