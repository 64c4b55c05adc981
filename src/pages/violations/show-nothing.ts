import { emptyState } from '../../report/html/components/empty-state.ts'
import { html, type Markup } from '../../report/html/markup.ts'
import type { SiteRequest } from '../page.ts'
import { violationParameters } from './list-options.ts'

/** Why a list is empty. */
export function showNothing(request: SiteRequest): Markup {
  const { link } = request
  const isFiltered = violationParameters.some((name) => !isShape(name) && request.query.one(name) !== undefined)
  return isFiltered
    ? html`${emptyState('No violation passes the filters.', 'none')}<p><a href="${link('/violations')}">All open violations</a> · <a href="${link('/violations', { state: 'all' })}">with resolved ones</a></p>`
    : emptyState('No violation is open as of the last scan of each project.', 'none')
}

/** What chooses nothing out. */
function isShape(name: string): boolean {
  return name === 'group-by' || name === 'sort'
}
