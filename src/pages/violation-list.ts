import { matchesProject } from '../config/choose-projects.ts'
import type { RecordedViolation } from '../history/records.ts'
import type { ListedViolation } from '../history/sql/list-violations.ts'
import type { RecordedScan } from '../history/sql/scans.ts'
import { readViolationsByKey } from '../history/sql/violation-keys.ts'
import { matchesGlob } from '../model/glob.ts'
import { policyProject } from '../model/resource.ts'
import { severities, type ViolationState, violationStates } from '../model/violation.ts'
import { matchingProjects, toCoverageOfAll } from '../questions/as-of.ts'
import {
  countViolations,
  cutList,
  readViolatedRules,
  sortKeyOf,
  type ViolationOrder,
  violationOrders,
} from '../questions/choose-violations.ts'
import { pageTokenOf, readCursor } from '../questions/list-cursor.ts'
import { describeUnknownOwners, findUnevaluated } from '../questions/violations.ts'
import { isGap } from '../report/gaps.ts'
import { emptyState } from '../report/html/components/parts.ts'
import { html, type Markup, nothing } from '../report/html/markup.ts'
import { rules } from '../rules/rules.ts'
import { listed } from '../rules/shared/listed.ts'
import { count, countEach } from '../text/count.ts'
import { suggestName } from '../text/nearest-name.ts'
import type { SiteLink, SiteLinkQuery } from './link.ts'
import type { SiteRequest } from './page.ts'
import { readActive, readGaps, readInputs, readProjectEvaluations, readScans } from './run-facts.ts'
import type { SameAnswer } from './same-answer.ts'
import { showViolationList } from './show-rows.ts'

const active = ['opened', 'continuing', 'unknown', 'waived'] as const satisfies readonly ViolationState[]

const rowsOfPage = 50

/** A list, and the address of its next page. */
export interface ViolationListPage {
  readonly body: Markup
  readonly next?: string | undefined
}

/** A page of the violations that are chosen. `projects`: of all violations. */
export async function showList(
  request: SiteRequest,
  {
    chosen,
    order,
    projects,
  }: {
    readonly chosen: readonly ListedViolation[]
    readonly order: ViolationOrder
    readonly projects: ReadonlySet<string>
  },
): Promise<ViolationListPage> {
  const { history, query, link, run } = request
  const [after, before] = [query.one('after'), query.one('before')]
  const token = after ?? before
  const cursor =
    token === undefined ? undefined : await readCursor(history, token, { run: run.number, isEnd: after === undefined })
  const sortKey = sortKeyOf(order, await readProjectEvaluations(request))
  const page = cutList(chosen, { sortKey, most: rowsOfPage, cursor })
  const violations = await readViolationsByKey(history, page.page)
  const counts = countViolations(chosen)
  const summary = html`<p class="summary" role="status">${describeExtent(violations.length, page.before, counts.total)}${counts.total === 0 ? nothing : html` ${countEach(severities, counts.severities)}; ${countEach(violationStates, counts.states)}.`}</p>
`
  if (counts.total === 0) return { body: html`${summary}${await showNothing(request)}` }
  const to = (name: 'after' | 'before', violation: RecordedViolation | undefined) =>
    violation && link('/violations', { ...filtersOf(request), [name]: pageTokenOf(violation, sortKey(violation)) })
  const next = page.after > 0 ? to('after', violations.at(-1)) : undefined
  const previous = page.before > 0 ? to('before', violations[0]) : undefined
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
    violations.length === 0
      ? emptyState('There is nothing on this page of the list.', 'none')
      : await showViolationList(request, violations)
  return {
    body: html`${summary}${await showOrders(request, projects, order)}${list}${pager}`,
    next,
  }
}

/** What chooses, orders and groups the violations of a list. */
export const violationParameters = [
  ...['state', 'severity', 'max-severity', 'rule', 'project', 'owner', 'kind', 'older-than', 'overdue', 'since', 'q'],
  ...['group-by', 'sort'],
] as const

/** The parameters that choose and order, without the cursor in the list. */
export function filtersOf({ query }: SiteRequest): SiteLinkQuery {
  return Object.fromEntries(violationParameters.map((name) => [name, query.all(name)]))
}

/** The command for the same list. */
export function sameList({ query }: SiteRequest): SameAnswer {
  const state = stateAsked(query)
  const states: readonly ViolationState[] = askedStates[state]
  const flags = [
    ...(states.includes('opened') || states.includes('continuing') ? ['open'] : []),
    ...['resolved', 'waived', 'unknown'].filter((flag) => states.some((one) => one === flag)),
  ]
  const named = ['severity', 'max-severity', 'rule', 'project', 'owner', 'kind', 'older-than', 'since', 'sort'] as const
  return {
    command: ['violations'],
    options: {
      ...Object.fromEntries(flags.map((flag) => [flag, true] as const)),
      ...Object.fromEntries(named.map((name) => [name, query.all(name)])),
      ...(query.one('overdue') === undefined ? {} : { overdue: true }),
    },
    lacks: lacksOf(state, query.one('q')),
  }
}

/** What the command cannot leave out. */
function lacksOf(state: StateFilter, text: string | undefined): string | undefined {
  const lists = [
    ...(state === 'opened' ? ['those that continue, too'] : []),
    ...(state === 'continuing' ? ['new ones, too'] : []),
    ...(text === undefined ? [] : ['violations of all texts']),
  ]
  return lists.length === 0 ? undefined : `It lists ${lists.join(', and ')}.`
}

/** Why a list is empty: nothing was found, or not everything could be checked. */
export async function showNothing(request: SiteRequest): Promise<Markup> {
  const { link, query } = request
  const projects = query.all('project')
  const scans = matchingProjects(await readScans(request), projects)
  const unmet = await describeUnmet(request, scans)
  if (unmet !== undefined) return html`${emptyState(unmet, 'unknown')}${showAllLinks(link)}`
  const isUnknown =
    toCoverageOfAll(scans).some(isGap) ||
    (await readActive(request)).some(
      ({ state, project }) => state === 'unknown' && matchesProject(project, projects),
    ) ||
    (await readUnevaluated(request)).length > 0
  const limits = isUnknown ? ', in what could be checked' : ''
  const reason = isUnknown ? 'unknown' : 'none'
  const isFiltered = violationParameters.some((name) => !isShape(name) && query.one(name) !== undefined)
  return isFiltered
    ? html`${emptyState(`No violation passes the filters${limits}.`, reason)}${showAllLinks(link)}`
    : emptyState(`No violation is open as of the last scan of each project${limits}.`, reason)
}

/** The rules that may have missed violations of those that are asked for; none where these are not open ones. */
async function readUnevaluated(request: SiteRequest) {
  const { query } = request
  const states: readonly ViolationState[] = askedStates[stateAsked(query)]
  if (!states.includes('opened')) return []
  const projects = query.all('project')
  const gaps = await readGaps(request, (project) => matchesProject(project, projects))
  return findUnevaluated(gaps, query.one('rule'))
}

/** Who asks for what is open must not take what could not be checked for gone. `unlisted`: how many of them there are. */
export async function showUnchecked(request: SiteRequest, unlisted: number): Promise<Markup> {
  const { link } = request
  const unevaluated = await readUnevaluated(request)
  const names = listed(unevaluated.map(({ rule }) => rule))
  const href = link('/violations', { ...filtersOf(request), state: 'unknown' })
  return html`${
    unlisted === 0
      ? nothing
      : html`<p class="unseen">? Not listed: <a href="${href}">${count(unlisted, 'violation')}</a> that could not be checked.</p>
`
  }${
    unevaluated.length === 0
      ? nothing
      : html`<p class="unseen">? <a href="${link('/rules')}">${count(unevaluated.length, 'rule')}</a> could not evaluate everything: ${names}.</p>
`
  }`
}

/** readViolationQuery has refused other words. */
function stateAsked(query: SiteRequest['query']): StateFilter {
  return (query.one('state') ?? 'open') as StateFilter
}

function showAllLinks(link: SiteLink): Markup {
  return html`<p><a href="${link('/violations')}">All open violations</a> · <a href="${link('/violations', { state: 'all' })}">with resolved ones</a></p>`
}

/** That a filter names no project, no rule or no owner: then an empty list says nothing. */
async function describeUnmet(request: SiteRequest, scans: readonly RecordedScan[]): Promise<string | undefined> {
  const [projects, rule] = [request.query.all('project'), request.query.one('rule')]
  if (scans.length === 0 && projects.length > 0 && !matchesProject(policyProject.name, projects)) {
    return 'No project that was scanned fits the filter: what is open there is unknown.'
  }
  const known = [...rules, ...((await readInputs(request))?.rules ?? [])].map(({ id }) => id)
  const ids = [...known, ...(await readViolatedRules(request.history, request.run.number))]
  if (rule !== undefined && !ids.some((id) => matchesGlob(id, rule))) {
    return `There is no rule "${rule}"${suggestName(rule, ids) || '.'}`
  }
  const owners = request.query.all('owner')
  if (owners.length === 0) return undefined
  const unknown = await describeUnknownOwners(request.history, request.run.number, owners)
  return unknown.length === 0 ? undefined : unknown.join(' ')
}

/** What a reader may ask for by `state`: with what each means. */
export const askedStates = {
  open: ['opened', 'continuing'],
  active,
  opened: ['opened'],
  continuing: ['continuing'],
  unknown: ['unknown'],
  waived: ['waived'],
  resolved: ['resolved'],
  all: violationStates,
} as const satisfies Readonly<Record<string, readonly ViolationState[]>>

export type StateFilter = keyof typeof askedStates

function describeExtent(listed: number, before: number, total: number): string {
  if (total === 0) return 'No violation.'
  if (listed === total) return `${count(total, 'violation')}:`
  if (listed === 0) return `None of ${count(total, 'violation')}:`
  return `${before + 1} to ${before + listed} of ${count(total, 'violation')}:`
}

const orderNames = {
  severity: 'severity',
  age: 'age',
  due: 'due date',
} as const satisfies Record<ViolationOrder, string>

/** Links to the orders. By due date only where a policy gives one. */
async function showOrders(request: SiteRequest, projects: ReadonlySet<string>, order: ViolationOrder): Promise<Markup> {
  const { link } = request
  const evaluations = await readProjectEvaluations(request)
  const isDue = [...projects].some((project) => Object.keys(evaluations.get(project)?.due ?? {}).length > 0)
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

/** What chooses nothing out. */
function isShape(name: string): boolean {
  return name === 'group-by' || name === 'sort'
}
