import { matchesProject } from '../../config/choose-projects.ts'
import type { PlannedRuns } from '../../config/read-places.ts'
import type { StatusRow } from '../../questions/status.ts'
import { emptyState } from '../../report/html/components/empty-state.ts'
import { cell, table } from '../../report/html/components/table.ts'
import { html, type Markup } from '../../report/html/markup.ts'
import { pageSection } from '../../report/html/render-page.ts'
import { nextTimes } from '../../worker/next-times.ts'
import type { CurrentConfiguration } from '../read-configured.ts'
import { showInstant } from '../show-instant.ts'
import { showMissed } from './show-missed.ts'

const mostTimes = 3

/** When each schedule runs next, and which of them did not run when it was due. */
export function showSchedules(
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
        : table('Schedules', columns, rows),
  })
}

const columns = ['Schedule', 'Cron', 'Zone', 'Projects', 'Next'].map((title) => ({ title }))

function showSchedule(schedule: PlannedRuns, scans: readonly StatusRow[], now: number): Markup {
  const { name, cron, timezone, projects } = schedule
  const own = scans.filter(({ project }) => matchesProject(project, projects))
  const missed = showMissed(
    schedule,
    own.map(({ at }) => at),
    now,
  )
  const times = nextTimes([schedule], now, mostTimes).map(({ at }) => showInstant(at))
  const lines = [missed, ...times].filter((line) => String(line) !== '').map((line) => html`${line}<br>`)
  return html`<tr data-schedule="${name}"><th scope="row">${name}</th>${cell('Cron', html`<code>${cron}</code>`)}${cell('Zone', timezone)}${cell('Projects', projects.length === 0 ? 'all' : projects.join(', '))}${cell('Next', html`<span>${lines}</span>`)}</tr>
`
}
