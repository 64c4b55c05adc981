import type { ListedViolation } from '../history/sql/list-violations.ts'
import { globOf } from '../model/glob.ts'
import { dayMs, isoTime } from '../model/time.ts'
import { isOpen } from '../model/violation.ts'
import type { SiteRequest } from './page.ts'

/** What was opened in the last week of the trend of a run and is open as of it: how many, and their list. */
export function openOfLastWeek(
  { link, run }: Pick<SiteRequest, 'link' | 'run'>,
  active: readonly ListedViolation[],
  project?: string,
): { readonly count: number; readonly href: string } {
  // The trend's week begins after this time.
  const since = isoTime(Date.parse(run.started_at) - 7 * dayMs + 1)
  const opened = active.filter(
    (one) => isOpen(one) && one.first_seen >= since && (project === undefined || one.project === project),
  )
  const pattern = project && globOf(project)
  return { count: opened.length, href: link('/violations', { project: pattern, state: 'open', since }) }
}
