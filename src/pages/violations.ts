import { runBefore } from '../history/find-run.ts'
import { isoTime } from '../model/clock.ts'
import { AuditError } from '../model/errors.ts'
import { readDuration } from '../model/instant.ts'
import { kinds } from '../model/resource.ts'
import { severities, type ViolationState, violationStates } from '../model/violation.ts'
import { toCoverage } from '../queries/as-of.ts'
import {
  cursorOf,
  groupRows,
  matchTexts,
  pageRows,
  placeOf,
  type RowPage,
  testRows,
} from '../queries/page-violations.ts'
import type { ViolationIndex } from '../queries/violation-index.ts'
import { quoteForShell } from '../repair/curl.ts'
import { type Grouping, groupings } from '../report/group-by.ts'
import { emptyState } from '../report/html/components/empty-state.ts'
import { html, type Markup, nothing } from '../report/html/markup.ts'
import { showUnscanned } from '../report/html/show-unscanned.ts'
import { isShellSafe } from '../report/text/shell-safe.ts'
import { count, countEach } from '../text/count.ts'
import type { SiteLinkQuery } from './link.ts'
import type { SitePage, SiteRequest } from './page.ts'
import { readChoice } from './query.ts'
import { onceForRun, readDue, readIndex, readScans, timeOf } from './run-facts.ts'
import { showRows } from './show-rows.ts'
import { type AskedState, askedStates } from './violations/asked-states.ts'
import { showFilters } from './violations/show-filters.ts'
import { showGroups } from './violations/show-groups.ts'

const rowsOfPage = 50
export const violationParameters = [
  ...['state', 'severity', 'rule', 'project', 'owner', 'kind', 'older-than', 'overdue', 'since', 'q', 'group-by'],
] as const

/** Violations: filtered by the address, fifty a page. */
export const violationsPage: SitePage = {
  path: '/violations',
  parameters: [...violationParameters, 'after', 'before'],
  isOfRun: 'past',
  async show(request) {
    const { link } = request
    const asked = readAsked(request)
    const index = await readIndex(request, asked)
    const test = await testOf(request, index, asked)
    const coverage = (await readScans(request)).flatMap(toCoverage)
    const content =
      asked.grouping === undefined
        ? await showPage(request, index, test)
        : await showGrouped(request, index, test, asked.grouping)
    return {
      title: 'Violations',
      crumbs: [],
      alarm: showUnscanned({ coverage }, link('/runs')),
      body: html`${showFilters(request, index, asked.state)}
${content.body}`,
      command: `hookdrift violations${commandOptions(request)}`,
      ...(request.query.one('q') === undefined ? { json: link('/api/v1/violations', apiQuery(request)) } : {}),
      ...(content.next === undefined ? {} : { next: content.next }),
    }
  },
}

interface AskedFor {
  readonly state: AskedState
  readonly grouping: Grouping | undefined
  readonly withResolved: boolean
  readonly withOwner: boolean
}

function readAsked({ query }: SiteRequest): AskedFor {
  const state = readChoice(query, 'state', Object.keys(askedStates) as AskedState[]) ?? 'open' // keys are what the type says
  const grouping = readChoice(query, 'group-by', groupings)
  const withResolved = (askedStates[state] as readonly ViolationState[]).includes('resolved')
  return { state, grouping, withResolved, withOwner: query.all('owner').length > 0 || grouping === 'owner' }
}

async function testOf(request: SiteRequest, index: ViolationIndex, { state, withResolved }: AskedFor) {
  const { history, query, run } = request
  const at = timeOf(request)
  const text = query.one('q')
  const older = query.one('older-than')
  const olderMs = older === undefined ? undefined : readDuration(older)
  if (older !== undefined && olderMs === undefined) {
    throw AuditError.usage(`the parameter "older-than" is "${older}", expected a duration such as 12h, 30d or 8w`)
  }
  const dueOf = await readDue(request)
  return testRows(
    index,
    {
      ...{ states: new Set(askedStates[state]), rule: query.one('rule'), projects: query.all('project') },
      ...{ severity: readChoice(query, 'severity', severities), kind: readChoice(query, 'kind', kinds) },
      ...{ owners: query.all('owner'), since: await sinceOf(request) },
      before: olderMs === undefined ? undefined : at - olderMs,
      overdueAt: readChoice(query, 'overdue', ['true']) === undefined ? undefined : at,
      matching:
        text === undefined
          ? undefined
          : await onceForRun(request, `text ${withResolved} ${text}`, () =>
              matchTexts(history, index, { run: run.number, withResolved, text }),
            ),
    },
    dueOf,
  )
}

/** The run before those that count, and when the first of them began, ISO 8601. */
async function sinceOf({ history, query, run, now }: SiteRequest) {
  const since = query.one('since')
  if (since === undefined) return undefined
  if (since === String(run.number)) return { time: run.startedAt, after: run.number - 1 }
  const runs = await history.runs()
  const after = runBefore(runs, since, now)
  return { time: runs.find(({ number }) => number > after)?.startedAt ?? isoTime(now), after }
}

interface Shown {
  readonly body: Markup
  readonly next?: string
}

async function showPage(request: SiteRequest, index: ViolationIndex, test: (row: number) => boolean): Promise<Shown> {
  const { history, query, link } = request
  const [after, before] = [query.one('after'), query.one('before')]
  const cursor = after ?? before
  const place = cursor === undefined ? undefined : await placeOf(history, index, { run: request.run.number, cursor })
  const page = pageRows(index, test, {
    ...(after !== undefined && place !== undefined ? { from: place.after } : {}),
    ...(after === undefined && place !== undefined ? { until: place.at } : {}),
    most: rowsOfPage,
  })
  const { rows, counts } = page
  const summary = html`<p class="summary" role="status">${describeExtent(page)}${counts.total === 0 ? nothing : html` ${countEach(severities, counts.severities)}; ${countEach(violationStates, counts.states)}.`}</p>
`
  if (counts.total === 0) return { body: html`${summary}${showNothing(request)}` }
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
  return { body: html`${summary}${list}${pager}`, ...(next === undefined ? {} : { next }) }
}

function describeExtent({ counts: { total }, rows, before }: RowPage): string {
  if (total === 0) return 'No violation.'
  if (rows.length === total) return `${count(total, 'violation')}:`
  if (rows.length === 0) return `None of ${count(total, 'violation')}:`
  return `${before + 1} to ${before + rows.length} of ${count(total, 'violation')}:`
}

async function showGrouped(
  request: SiteRequest,
  index: ViolationIndex,
  test: (row: number) => boolean,
  grouping: Grouping,
): Promise<Shown> {
  const { counts } = pageRows(index, test, { most: 0 })
  const groups = groupRows(index, test, grouping)
  if (counts.total === 0)
    return { body: html`<p class="summary" role="status">No violation.</p>${showNothing(request)}` }
  return {
    body: html`<p class="summary" role="status">${count(counts.total, 'violation')}: ${countEach(severities, counts.severities)}; ${countEach(violationStates, counts.states)}.</p>
${await showGroups(request, { index, groups, grouping, filters: filtersOf(request) })}`,
  }
}

function showNothing(request: SiteRequest): Markup {
  const { link } = request
  const isFiltered = violationParameters.some((name) => name !== 'group-by' && request.query.one(name) !== undefined)
  return isFiltered
    ? html`${emptyState('No violation passes the filters.', 'none')}<p><a href="${link('/violations')}">All open violations</a> · <a href="${link('/violations', { state: 'all' })}">with resolved ones</a></p>`
    : emptyState('No violation is open as of the last scan of each project.', 'none')
}

/** The parameters that choose, without the place in the list. */
function filtersOf({ query }: SiteRequest): SiteLinkQuery {
  return Object.fromEntries(violationParameters.map((name) => [name, query.all(name)]))
}

/** The options of the command for the same list. */
function optionsOf({ query }: SiteRequest): readonly (readonly [name: string, values: readonly string[] | true])[] {
  const { state } = { state: (query.one('state') ?? 'open') as AskedState } // readAsked has refused other words
  const flags = askedStates[state] as readonly ViolationState[]
  const named = ['severity', 'rule', 'project', 'owner', 'kind', 'older-than', 'since'] as const
  return [
    ...(flags.includes('opened') || flags.includes('continuing') ? [['open', true] as const] : []),
    ...(['resolved', 'waived', 'unknown'] as const).flatMap((flag) =>
      flags.includes(flag) ? [[flag, true] as const] : [],
    ),
    ...named.flatMap((name) => (query.one(name) === undefined ? [] : [[name, query.all(name)] as const])),
    ...(query.one('overdue') === undefined ? [] : [['overdue', true] as const]),
  ]
}

function commandOptions(request: SiteRequest): string {
  return optionsOf(request)
    .map(([name, values]) =>
      values === true
        ? ` --${name}`
        : ` --${name} ${values.map((value) => (isShellSafe(value) ? value : quoteForShell(value, []))).join(' ')}`,
    )
    .join('')
}

function apiQuery(request: SiteRequest): SiteLinkQuery {
  return Object.fromEntries(optionsOf(request).map(([name, values]) => [name, values === true ? 'true' : values]))
}
