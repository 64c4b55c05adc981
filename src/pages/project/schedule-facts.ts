import { matchesProject } from '../../config/choose-projects.ts'
import type { RecordedScan } from '../../history/sql/scans.ts'
import type { Fact } from '../../report/html/components/facts.ts'
import { html } from '../../report/html/markup.ts'
import { nextTimes } from '../../worker/next-times.ts'
import type { SiteRequest } from '../page.ts'
import { readConfigured } from '../read-configured.ts'
import { showInstant } from '../show-instant.ts'
import { showMissed } from '../worker/show-missed.ts'

/** When the project is audited next, and whether it was when that was due; nothing where that is not known, or in the past. */
export async function readScheduleFacts(
  request: SiteRequest,
  { project: { name: project }, run }: RecordedScan,
): Promise<Fact[]> {
  const { isLatest, now } = request
  if (!isLatest) return []
  const { configuration, isUnreadable } = await readConfigured(request)
  if (isUnreadable) return [['Schedules', 'unknown: the configuration cannot be read']]
  if (configuration === undefined) return []
  const own = configuration.schedules.filter(({ projects }) => matchesProject(project, projects))
  if (own.length === 0) return [['Schedules', 'none']]
  return own.map((schedule) => {
    const [next] = nextTimes([schedule], now, 1)
    const then = next === undefined ? '' : html`, next ${showInstant(next.at)}`
    const missed = showMissed(schedule, [run.finishedAt], now)
    const late = String(missed) === '' ? '' : html`, ${missed}`
    return [`Schedule ${schedule.name}`, html`<code>${schedule.cron}</code> ${schedule.timezone}${late}${then}`]
  })
}
