import { dayMs, isoTime } from '../model/clock.ts'
import { isOpen } from '../model/violation.ts'
import { pageRows } from '../queries/page-violations.ts'
import { stateAt, type ViolationIndex } from '../queries/violation-index.ts'
import type { SiteRequest } from './page.ts'

/** What was opened in the week before the end of a run and is open as of it: how many, and their list. */
export function openOfLastWeek(
  { link, run }: Pick<SiteRequest, 'link' | 'run'>,
  index: ViolationIndex,
  project?: string,
): { readonly count: number; readonly href: string } {
  const since = isoTime(Date.parse(run.finishedAt) - 7 * dayMs)
  const isHere = index.projects.map((name) => project === undefined || name === project)
  const { counts } = pageRows(
    index,
    (row) =>
      isHere[index.project[row] ?? 0] === true &&
      isOpen({ state: stateAt(index, row) }) &&
      (index.times[index.time[row] ?? 0] ?? '') >= since,
    { most: 0 },
  )
  return { count: counts.total, href: link('/violations', { project, state: 'open', since }) }
}
