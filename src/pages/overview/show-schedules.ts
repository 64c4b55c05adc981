import { emptyState } from '../../report/html/components/empty-state.ts'
import { html, type Markup } from '../../report/html/markup.ts'
import { nextTimes } from '../../worker/next-times.ts'
import type { SiteConfiguration, SiteRequest } from '../page.ts'
import { showInstant } from '../show-instant.ts'

const mostSchedules = 5

/** When each schedule begins its next audit, the earliest first, before jitter. */
export function showSchedules({ link, now }: SiteRequest, { schedules }: SiteConfiguration): Markup {
  const heading = html`<h2 id="schedules">Next schedules</h2>
`
  if (schedules.length === 0) return html`${heading}${emptyState('The configuration has no schedules.', 'none')}`
  const projectsOf = new Map(schedules.map(({ name, projects }) => [name, projects]))
  const items = nextTimes(schedules, now, 1)
    .slice(0, mostSchedules)
    .map(({ schedule, at }) => {
      const projects = projectsOf.get(schedule) ?? []
      return html`<li data-schedule="${schedule}"><span>${schedule}: ${projects.length === 0 ? 'all projects' : projects.join(', ')}</span> <span class="n">${showInstant(at)}</span></li>
`
    })
  return html`${heading}<ul class="lines">${items}</ul><p><a href="${link('/worker')}">${schedules.length > items.length ? `All ${schedules.length} schedules` : 'Schedules and scans'}</a></p>`
}
