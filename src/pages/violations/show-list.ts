import { severities, violationStates } from '../../model/violation.ts'
import { cursorOf, placeOf } from '../../queries/list-cursor.ts'
import { pageRows, type RowMask, type RowPage } from '../../queries/page-violations.ts'
import { type ViolationOrder, violationOrders } from '../../queries/read-violations.ts'
import type { ViolationIndex } from '../../queries/violation-index.ts'
import { emptyState } from '../../report/html/components/empty-state.ts'
import { html, type Markup, nothing } from '../../report/html/markup.ts'
import { count, countEach } from '../../text/count.ts'
import type { SiteRequest } from '../page.ts'
import { readDue } from '../run-facts.ts'
import { showRows } from '../show-rows.ts'
import { filtersOf } from './list-options.ts'
import { showNothing } from './show-nothing.ts'

const rowsOfPage = 50

/** A list, and the address of its next page. */
export interface ShownList {
  readonly body: Markup
  readonly next?: string
}

/** A page of the violations that are chosen, in the order of the index. */
export async function showList(
  request: SiteRequest,
  {
    index,
    chosen,
    order,
  }: { readonly index: ViolationIndex; readonly chosen: RowMask; readonly order: ViolationOrder },
): Promise<ShownList> {
  const { history, query, link } = request
  const [after, before] = [query.one('after'), query.one('before')]
  const cursor = after ?? before
  const place = cursor === undefined ? undefined : await placeOf(history, index, { run: request.run.number, cursor })
  const page = pageRows(index, chosen, {
    ...(after !== undefined && place !== undefined ? { from: place.after } : {}),
    ...(after === undefined && place !== undefined ? { until: place.at } : {}),
    most: rowsOfPage,
  })
  const { rows, counts } = page
  const summary = html`<p class="summary" role="status">${describeExtent(page)}${counts.total === 0 ? nothing : html` ${countEach(severities, counts.severities)}; ${countEach(violationStates, counts.states)}.`}</p>
`
  if (counts.total === 0) return { body: html`${summary}${await showNothing(request)}` }
  const [first, last] = [rows[0], rows.at(-1)]
  const to = async (name: 'after' | 'before', row: number | undefined) => {
    const found = row === undefined ? undefined : await cursorOf(history, index, row)
    return found === undefined ? undefined : link('/violations', { ...filtersOf(request), [name]: found })
  }
  const next = page.after > 0 ? await to('after', last) : undefined
  const previous = page.before > 0 ? await to('before', first) : undefined
  const links = [
    ...(page.before > 0 ? [html`<li><a href="${link('/violations', filtersOf(request))}">First page</a></li>`] : []),
    ...(previous === undefined
      ? []
      : [html`<li><a rel="prev" href="${previous}">Previous ${Math.min(rowsOfPage, page.before)}</a></li>`]),
    ...(next === undefined
      ? []
      : [html`<li><a rel="next" href="${next}">Next ${Math.min(rowsOfPage, page.after)}</a></li>`]),
  ]
  const pager =
    links.length === 0
      ? nothing
      : html`<nav class="pager" aria-label="Pages of the list"><ul>${links}</ul></nav>
`
  const list =
    rows.length === 0
      ? emptyState('There is nothing on this page of the list.', 'none')
      : await showRows(request, index, rows)
  return {
    body: html`${summary}${await showOrders(request, index, order)}${list}${pager}`,
    ...(next === undefined ? {} : { next }),
  }
}

function describeExtent({ counts: { total }, rows, before }: RowPage): string {
  if (total === 0) return 'No violation.'
  if (rows.length === total) return `${count(total, 'violation')}:`
  if (rows.length === 0) return `None of ${count(total, 'violation')}:`
  return `${before + 1} to ${before + rows.length} of ${count(total, 'violation')}:`
}

const orderNames = {
  severity: 'severity',
  age: 'age',
  due: 'due date',
} as const satisfies Record<ViolationOrder, string>

/** Links to the orders. By due date only where a policy gives one. */
async function showOrders(request: SiteRequest, { projects }: ViolationIndex, order: ViolationOrder): Promise<Markup> {
  const { link } = request
  const dueOf = await readDue(request)
  const isDue = projects.some((project) => Object.keys(dueOf(project) ?? {}).length > 0)
  const links = violationOrders
    .filter((one) => one !== 'due' || isDue || order === 'due')
    .map((one) => {
      const href = link('/violations', { ...filtersOf(request), sort: one === 'severity' ? undefined : one })
      return one === order
        ? html`<li><a href="${href}" aria-current="true">${orderNames[one]}</a></li>`
        : html`<li><a href="${href}">${orderNames[one]}</a></li>`
    })
  return html`<nav class="orders" aria-label="Order of the list"><span>In order of</span><ul class="inline">${links}</ul></nav>
`
}
