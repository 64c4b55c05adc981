import type { NamedIdentity } from '../../history/sql/resource-life.ts'
import { emptyState } from '../../report/html/components/empty-state.ts'
import { cell, table } from '../../report/html/components/table.ts'
import { html, type Markup } from '../../report/html/markup.ts'
import { pageSection } from '../../report/html/render-page.ts'
import { shorten } from '../../report/text/shorten.ts'
import { paths } from '../link.ts'
import { cutPage, noSuchPlace, showPager } from '../list-page.ts'
import type { SiteRequest } from '../page.ts'

const mostEndpoints = 100

/** The parameters that name an endpoint, after which the list goes on. */
export const endpointPlace = ['after-project', 'after'] as const

interface EndpointsPage {
  readonly section: Markup
  /** Whether the list begins here. */
  readonly isFirst: boolean
  readonly next: string | undefined
}

/**
 * A hundred endpoints of an owner. The run stays the same from page to page, while others are added.
 * @throws AuditError.usage for a place that is not in the list
 */
export function showEndpoints(request: SiteRequest, owner: string, all: readonly NamedIdentity[]): EndpointsPage {
  const { link, run, query } = request
  const [project, uid] = endpointPlace.map((name) => query.one(name))
  const isFirst = project === undefined && uid === undefined
  const at = all.findIndex((one) => one.project.name === project && one.uid === uid)
  if (!isFirst && at < 0) throw noSuchPlace(...endpointPlace)
  const following = new Set(all.slice(at + 1))
  const { shown, last } = cutPage(all, { isAfter: (one) => following.has(one), most: mostEndpoints })
  const page = paths.owner(owner)
  const next = last && link(page, { 'after-project': last.project.name, after: last.uid, run: run.number })
  const first = isFirst ? undefined : link(page, { run: run.number })
  const content = html`${showTable(shown, request)}${showPager({ first, next })}`
  return { isFirst, next, section: pageSection({ id: 'endpoints', title: 'Endpoints', count: all.length, content }) }
}

function showTable(endpoints: readonly NamedIdentity[], { link }: SiteRequest): Markup {
  if (endpoints.length === 0) return emptyState('No endpoint names this owner now.', 'none')
  const rows = endpoints.map(({ project: { name: project }, kind, uid, name }) => {
    const href = link(paths.resource(uid), { project, kind })
    return html`<tr><th scope="row"><a href="${href}">${shorten(name === '' ? uid : name, 120)}</a></th>${cell('Project', html`<a href="${link(paths.project(project))}">${project}</a>`)}${cell('uid', html`<code>${shorten(uid, 80)}</code>`)}</tr>
`
  })
  return table(
    'Endpoints',
    ['Endpoint', 'Project', 'uid'].map((title) => ({ title })),
    rows,
  )
}
