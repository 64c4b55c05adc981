import type { ListedResource } from '../history/resource-list.ts'
import { listResources } from '../history/sql/list-resources.ts'
import { kinds } from '../model/resource.ts'
import { emptyState } from '../report/html/components/empty-state.ts'
import { html, type Markup, nothing } from '../report/html/markup.ts'
import { extentOf } from '../report/html/scan-extent.ts'
import { choiceField, showFilterForm, textField } from './filter-form.ts'
import type { SitePage, SiteRequest } from './page.ts'
import { type ChosenResources, chooseResources, filtersOf, resourceParameters } from './resources/choose-resources.ts'
import { type FoundResources, findResources, mostNames } from './resources/find-resources.ts'
import { showExtent } from './resources/show-extent.ts'
import { showResourceTable } from './resources/show-resource-table.ts'
import { showGaps } from './show-gaps.ts'

/** The resources as of a run, or those with a text in their names: fifty a page, from a place in their order on. */
export const resourcesPage: SitePage = {
  path: '/resources',
  parameters: resourceParameters,
  isOfRun: true,
  async show(request) {
    const { history, query, link } = request
    const chosen = await chooseResources(request)
    const found = await findResources((choice) => listResources(history, choice), chosen)
    const { shown, goesOnAfter } = found
    const next = goesOnAfter && linkAfter(request, goesOnAfter)
    return {
      title: 'Resources',
      crumbs: [],
      alarm: showGaps(chosen.coverage, link),
      body: html`${showFilters(request, chosen)}
${await showExtent(request, chosen, found)}
${shown.length === 0 ? showNothing(chosen, found) : showResourceTable(shown, link)}${showPager(request, { chosen, found, next })}`,
      same: {
        command: ['state'],
        options: { project: query.all('project'), kind: query.one('kind') },
        lacks: describeLacks(chosen),
      },
      ...(next === undefined ? {} : { next }),
    }
  },
}

/** The command lists what is present, and finds no text. */
function describeLacks({ text, list: { withRemoved } }: ChosenResources): string | undefined {
  const removed = withRemoved ? ' Removed resources are not in it.' : ''
  if (text !== undefined) return `It lists resources of all names.${removed}`
  return withRemoved ? removed.trimStart() : undefined
}

function showFilters({ query }: SiteRequest, { text }: ChosenResources): Markup {
  const [usual, other] = text === undefined ? ['present', 'all'] : ['all', 'present']
  return showFilterForm('/resources', query, [
    textField('q', 'Part of a name or uid', 'billing-011'),
    textField('project', 'Project', 'acme/*'),
    choiceField('kind', 'Kind', kinds, 'any'),
    choiceField('state', 'State', [other], usual),
  ])
}

/** The run stays the same from page to page, while others are added. */
function linkAfter(request: SiteRequest, { project, kind, uid }: ListedResource): string {
  const place = { 'after-project': project.name, 'after-kind': kind, after: uid, run: request.run.number }
  return request.link('/resources', { ...filtersOf(request), ...place })
}

function showNothing({ text, list, coverage }: ChosenResources, { isCut }: FoundResources): Markup {
  if (isCut) {
    return emptyState(`None of the ${mostNames} resources that this page read has this in its name or uid.`, 'unknown')
  }
  const further = list.after === undefined ? '' : 'further '
  const sentence =
    text !== undefined
      ? `No ${further}resource has this in its name or uid${list.withRemoved ? '' : ', of those that are present'}.`
      : 'No resource.'
  return emptyState(sentence, extentOf(coverage) === 'all' ? 'none' : 'unknown')
}

interface Pager {
  readonly chosen: ChosenResources
  readonly found: FoundResources
  readonly next: string | undefined
}

function showPager(request: SiteRequest, { chosen, found, next }: Pager): Markup {
  const { after } = chosen.list
  if (after === undefined && next === undefined) return nothing
  const first = request.link('/resources', { ...filtersOf(request), run: request.run.number })
  return html`<nav class="pager" aria-label="Pages of the list"><ul>${after === undefined ? nothing : html`<li><a href="${first}">First page</a></li>`}${next === undefined ? nothing : html`<li><a href="${next}" rel="next">${found.isCut ? 'Search the next resources' : 'Next page'}</a></li>`}</ul></nav>
`
}
