import { matchesProject } from '../../config/choose-projects.ts'
import { isGap } from '../../report/gaps.ts'
import { emptyState } from '../../report/html/components/empty-state.ts'
import { html, type Markup } from '../../report/html/markup.ts'
import type { SiteRequest } from '../page.ts'
import { readScans } from '../run-facts.ts'
import { violationParameters } from './list-options.ts'

/** Why a list is empty: nothing was found, or not everything was scanned. */
export async function showNothing(request: SiteRequest): Promise<Markup> {
  const { link, query } = request
  const projects = query.all('project')
  const scans = (await readScans(request)).filter(({ project }) => matchesProject(project.name, projects))
  const isUnknown = scans.some(({ coverage }) => coverage.some(isGap))
  const limits = isUnknown ? ', in what was scanned' : ''
  const reason = isUnknown ? 'unknown' : 'none'
  const isFiltered = violationParameters.some((name) => !isShape(name) && query.one(name) !== undefined)
  return isFiltered
    ? html`${emptyState(`No violation passes the filters${limits}.`, reason)}<p><a href="${link('/violations')}">All open violations</a> · <a href="${link('/violations', { state: 'all' })}">with resolved ones</a></p>`
    : emptyState(`No violation is open as of the last scan of each project${limits}.`, reason)
}

/** What chooses nothing out. */
function isShape(name: string): boolean {
  return name === 'group-by' || name === 'sort'
}
