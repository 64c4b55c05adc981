import type { ListedResource } from '../history/resource-list.ts'
import { listResources } from '../history/sql/list-resources.ts'
import { type Kind, kinds } from '../model/resource.ts'
import { extentOf } from '../report/gaps.ts'
import { emptyState, showInstant } from '../report/html/components/parts.ts'
import { cell, table } from '../report/html/components/table.ts'
import { html, type Markup, nothing } from '../report/html/markup.ts'
import { shorten } from '../report/text/shorten.ts'
import { count } from '../text/count.ts'
import { choiceField, showFilterForm, textField } from './filter-form.ts'
import {
  type ChosenResources,
  chooseResources,
  cursorOf,
  filtersOf,
  findResources,
  mostNames,
  type ResourcePage,
  resourceParameters,
} from './find-resources.ts'
import { paths, type SiteLink } from './link.ts'
import type { SitePage, SiteRequest } from './page.ts'
import { readResourceCounts } from './run-facts.ts'
import { showGaps } from './show-gaps.ts'

/** The resources as of a run, or those with a text in their names: fifty a page, from a cursor in their order on. */
export const resourcesPage: SitePage = {
  path: '/resources',
  parameters: resourceParameters,
  isOfRun: true,
  async show(request) {
    const { history, query, link } = request
    const chosen = await chooseResources(request)
    const page = await findResources((choice) => listResources(history, choice), chosen)
    const { resources, goesOnAfter } = page
    const next = goesOnAfter && linkAfter(request, goesOnAfter)
    return {
      title: 'Resources',
      crumbs: [],
      alarm: await showGaps(request, chosen.coverage),
      body: html`${showFilters(request, chosen)}
${chosen.unlisted.map((line) => html`<p class="unseen">? ${line}</p>`)}${await showExtent(request, chosen, page)}
${resources.length === 0 ? showNothing(chosen, page) : showResourceTable(resources, link)}${showPager(request, { chosen, page, next })}`,
      same: {
        command: ['state'],
        options: { project: query.all('project'), kind: query.one('kind') },
        lacks: describeLacks(chosen),
      },
      next,
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
    textField('q', 'Part of a name or uid', 'such as billing-011'),
    textField('project', 'Project', 'such as acme/*'),
    choiceField('kind', 'Kind', kinds, 'any'),
    choiceField('state', 'State', [other], usual),
  ])
}

/** The run stays the same from page to page, while others are added. */
function linkAfter(request: SiteRequest, { project, kind, uid }: ListedResource): string {
  const after = { 'after-project': cursorOf(project), 'after-kind': kind, after: uid, run: request.run.number }
  return request.link('/resources', { ...filtersOf(request), ...after })
}

function showNothing({ text, list, coverage, unlisted }: ChosenResources, { isCut }: ResourcePage): Markup {
  if (isCut) {
    return emptyState(`None of the ${mostNames} resources that this page read has this in its name or uid.`, 'unknown')
  }
  const further = list.after === undefined ? '' : 'further '
  const sentence =
    text !== undefined
      ? `No ${further}resource has this in its name or uid${list.withRemoved ? '' : ', of those that are present'}.`
      : 'No resource.'
  return emptyState(sentence, extentOf(coverage) === 'all' && unlisted.length === 0 ? 'none' : 'unknown')
}

function showPager(
  request: SiteRequest,
  {
    chosen,
    page,
    next,
  }: { readonly chosen: ChosenResources; readonly page: ResourcePage; readonly next: string | undefined },
): Markup {
  const { after } = chosen.list
  if (after === undefined && next === undefined) return nothing
  const first = request.link('/resources', { ...filtersOf(request), run: request.run.number })
  return html`<nav class="pager" aria-label="Pages of the list"><ul>${after !== undefined && html`<li><a href="${first}">First page</a></li>`}${next !== undefined && html`<li><a href="${next}" rel="next">${page.isCut ? 'Search the next resources' : 'Next page'}</a></li>`}</ul></nav>
`
}

/** How many there are, and how many of them are shown. What a text finds is not counted: that reads all names. */
async function showExtent(
  request: SiteRequest,
  { text, projects, list: { kind, withRemoved, after } }: ChosenResources,
  { resources: { length: listed }, goesOnAfter, isCut }: ResourcePage,
): Promise<Markup> {
  if (isCut) {
    const soFar = html`found among the ${mostNames} that this page read; there are more to search`
    return html`<p class="total"><b>${count(listed, 'resource')}</b> ${soFar}</p>`
  }
  const isLast = goesOnAfter === undefined
  const isWhole = isLast && after === undefined
  if (text !== undefined || withRemoved) {
    const more = !isWhole && html` on this page${isLast ? ', the last one' : '; more follow'}`
    return html`<p class="total"><b>${count(listed, 'resource')}</b>${more}</p>`
  }
  const numbers = await countKinds(request, new Set(projects.map(({ name }) => name)))
  const chosenKinds: readonly Kind[] = kind === undefined ? kinds : [kind]
  const counted = chosenKinds.flatMap((one) => (numbers.has(one) ? [count(numbers.get(one) ?? 0, one)] : []))
  const total = chosenKinds.reduce((sum: number, one) => sum + (numbers.get(one) ?? 0), 0)
  return html`<p class="total"><b>${count(total, 'resource')}</b>${!isWhole && html`, ${listed} on this page`}${counted.length > 1 && html`: ${counted.join(', ')}`}</p>`
}

async function countKinds(request: SiteRequest, names: ReadonlySet<string>): Promise<ReadonlyMap<Kind, number>> {
  const numbers = new Map<Kind, number>()
  for (const { project, kind, resources } of await readResourceCounts(request)) {
    if (names.has(project.name)) numbers.set(kind, (numbers.get(kind) ?? 0) + resources)
  }
  return numbers
}

function showResourceTable(rows: readonly ListedResource[], link: SiteLink): Markup {
  const columns = [
    { title: 'Name' },
    { title: 'Kind' },
    { title: 'Project' },
    { title: 'uid' },
    { title: 'Unchanged since' },
  ]
  return table(
    'Resources',
    columns,
    rows.map(({ project, kind, uid, name, since, removedBy }) => {
      const href = link(paths.resource(uid), { project: project.name, kind })
      const state = removedBy === null ? showInstant(since) : html`<b>− removed</b>, run ${removedBy}`
      return html`<tr><th scope="row"><a href="${href}">${name === '' ? shorten(uid, 80) : shorten(name, 120)}</a></th>${cell('Kind', kind)}${cell('Project', html`<a href="${link(paths.project(project.name))}">${project.name}</a>`)}${cell('uid', html`<code>${shorten(uid, 80)}</code>`)}${cell('Unchanged since', state)}</tr>
`
    }),
  )
}
