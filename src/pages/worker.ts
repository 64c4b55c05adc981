import { nextTimes } from '../app/worker/next-times.ts'
import { matchesProject } from '../config/choose-projects.ts'
import type { PlannedRuns } from '../config/configuration.ts'
import { findLastRun } from '../history/sql/runs.ts'
import { count } from '../model/text/count.ts'
import { describePool } from '../questions/describe-pool.ts'
import { projectParameter, type QuestionReply } from '../questions/question.ts'
import { countProjects, isStale, readStatus, type StatusRow, statusForm, statusView } from '../questions/status.ts'
import type { Answer } from '../report/answer.ts'
import { emptyState, showInstant } from '../report/html/components/parts.ts'
import { cell, table } from '../report/html/components/table.ts'
import { html, type Markup } from '../report/html/markup.ts'
import { pageSection } from '../report/html/render-page.ts'
import { linksAt } from './link.ts'
import type { SiteContent, SitePage, SiteRequest } from './page.ts'
import { questionPage, showQuestion } from './question-page.ts'
import { type CurrentConfiguration, readConfigured } from './read-configured.ts'
import { showMissed, showStale } from './show-late.ts'

const page = {
  path: '/worker',
  title: 'Worker',
  about: 'Whether the audits go on: stale scans first. As of now, not of a run.',
  question: { form: statusForm, parameters: { project: projectParameter }, isOfRun: false },
  async read(request: SiteRequest, { project: projects }: { readonly project: readonly string[] }) {
    return showScans(request, await readScans(request, projects))
  },
}

async function showScans({ plan }: SiteRequest, answer: Answer<StatusRow>): Promise<QuestionReply<StatusRow>> {
  const pool = await plan.pool()
  // A bar above says that the history was moved; where to is not for readers of pages.
  const said = (answer.remarks ?? []).filter((line) => !line.startsWith('This history was moved'))
  const remarks = [...said, ...((pool && describePool(pool).remarks) ?? [])]
  const rows = answer.rows.toSorted((a, b) => rankOf(a) - rankOf(b))
  const conclusion = [`${count(countProjects(rows), 'project')}.`]
  return { answer: { ...answer, remarks, rows, conclusion }, view: statusView }
}

async function readScans({ history, plan, now }: SiteRequest, projects: readonly string[]) {
  const { configuration, dueAfter } = await readConfigured({ plan, now })
  const run = await findLastRun(history)
  const limit = Number.POSITIVE_INFINITY
  return readStatus(history, { run, expected: configuration?.expected, projects, now, limit, dueAfter })
}

function rankOf({ stale, complete }: StatusRow): number {
  return stale ? 0 : complete ? 2 : 1
}

/** Whether the audits go on: stale scans first, then what is planned. */
export const workerPage: SitePage = {
  ...questionPage(page),
  async show(asOf): Promise<SiteContent> {
    // Of now: a past run may not have these projects.
    const request = {
      ...asOf,
      isLatest: true,
      run: (await findLastRun(asOf.history)) ?? asOf.run,
      link: linksAt(undefined),
    }
    const configured = await readConfigured(request)
    const all = await readScans(request, [])
    const { rows } = all
    const isWhole = request.query.one('project') === undefined
    const content = await showQuestion({ ...page, ...(isWhole && { read: () => showScans(request, all) }) }, request)
    return {
      ...content,
      alarm: html`${configured.alarm}${isStale(rows) && showStale(rows.filter(({ stale }) => stale))}${content.alarm}`,
      body: html`${content.body}${showSchedules(configured, rows, request.now)}`,
    }
  },
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
    note: 'Scheduled times, without jitter. Read-only.',
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
