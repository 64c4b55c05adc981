import type { ViolationGroup } from '../history/sql/first-violations.ts'
import { globOf } from '../model/glob.ts'
import { dayMs, isoTime } from '../model/time.ts'
import { isOpen } from '../model/violation.ts'
import { countGroups } from '../questions/count-groups.ts'
import type { SiteRequest } from './page.ts'

/** What was opened in the last week of the trend of a run and is open as of it: how many, and their list. */
export function openOfLastWeek(
  { link, run }: Pick<SiteRequest, 'link' | 'run'>,
  groups: readonly ViolationGroup[],
  project?: string,
): { readonly count: number; readonly href: string } {
  // The trend's week begins after this time.
  const since = isoTime(Date.parse(run.started_at) - 7 * dayMs + 1)
  const opened = groups.filter(
    (group) => isOpen(group) && group.first_seen >= since && (project === undefined || group.project === project),
  )
  const pattern = project && globOf(project)
  return { count: countGroups(opened).total, href: link('/violations', { project: pattern, state: 'open', since }) }
}
