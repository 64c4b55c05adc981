import { dayMs, isoTime } from '../model/time.ts'
import { maskRows, pageRows } from '../queries/page-violations.ts'
import type { ViolationIndex } from '../queries/violation-index.ts'
import type { SiteRequest } from './page.ts'

/** What was opened in the last week of the trend of a run and is open as of it: how many, and their list. */
export function openOfLastWeek(
  { link, run }: Pick<SiteRequest, 'link' | 'run'>,
  index: ViolationIndex,
  project?: string,
): { readonly count: number; readonly href: string } {
  // The trend's week begins after this time.
  const since = isoTime(Date.parse(run.startedAt) - 7 * dayMs + 1)
  const projects = project === undefined ? [] : [project]
  const states = new Set(['opened', 'continuing'] as const)
  const mask = maskRows(index, { states, projects, since: { time: since, after: 0 } }, () => undefined)
  const { counts } = pageRows(index, mask, { most: 0 })
  return { count: counts.total, href: link('/violations', { project, state: 'open', since }) }
}
