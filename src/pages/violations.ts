import { runBefore } from '../history/find-run.ts'
import type { ViolationOutline } from '../history/reader.ts'
import { AuditError } from '../model/errors.ts'
import { readDuration } from '../model/instant.ts'
import { kinds } from '../model/resource.ts'
import { severities, type ViolationState } from '../model/violation.ts'
import { readViolations, type ViolationsQuery, violationOrders } from '../queries/read-violations.ts'
import { groupings } from '../report/group-by.ts'
import { emptyState } from '../report/html/components/empty-state.ts'
import { html, type Markup, nothing } from '../report/html/markup.ts'
import { extentOf } from '../report/html/scan-extent.ts'
import { showUnscanned } from '../report/html/show-unscanned.ts'
import { count } from '../text/count.ts'
import { choiceField, showFilterForm, textField } from './filter-form.ts'
import { countGroups, showGroups } from './group-violations.ts'
import type { SitePage, SiteQuery, SiteRequest } from './page.ts'
import { readChoice, readPosition } from './query.ts'
import { showViolationRow } from './violation-row.ts'

const stateWords = ['open', 'resolved', 'waived', 'unknown', 'all'] as const
const parameters = [
  ...['q', 'severity', 'state', 'rule', 'project', 'owner', 'kind'],
  ...['older-than', 'since', 'overdue', 'sort', 'group-by', 'from-row'],
]
const rowsPerPage = 50

/** Violations by any filter, the worst first. */
export const violationsPage: SitePage = {
  path: '/violations',
  parameters,
  isOfRun: true,
  async show(request) {
    const { history, run, query, link } = request
    const first = readPosition(query, 'from-row')
    const groupBy = readChoice(query, 'group-by', groupings)
    const groups = countGroups(groupBy)
    const asked = await readAsked(request)
    const answer = await readViolations(history, {
      ...asked,
      // Grouping by owner reads owners, which costs lookups.
      owners: groupBy === 'owner' && asked.owners.length === 0 ? ['*'] : asked.owners,
      isWanted(violation) {
        const isWanted = asked.isWanted?.(violation) !== false
        if (isWanted) groups.add(violation)
        return isWanted
      },
      limit: first + rowsPerPage,
    })
    const rows = answer.rows.slice(first)
    const total = answer.rows.length + (answer.omitted === 'unknown' ? 0 : answer.omitted)
    const given = Object.fromEntries(parameters.map((name) => [name, query.all(name)]))
    // The next page is of the same run, so that nothing moves in between.
    const to = (row: number) =>
      link('/violations', { ...given, 'from-row': row === 0 ? undefined : row, run: run.number })
    const next = first + rows.length < total ? to(first + rowsPerPage) : undefined
    const coverage = answer.coverage ?? []
    return {
      title: 'Violations',
      crumbs: [],
      alarm: showUnscanned({ coverage }),
      body: html`${showForm(query)}
<p class="total"><b>${count(total, 'violation')}</b>${total === 0 ? nothing : html`${(answer.conclusion ?? []).map((line) => html` <span class="soft">${line}</span>`)}`}</p>
${groupBy === undefined ? nothing : showGroups(groups.groups(), { groupBy, given, link })}${
  rows.length === 0
    ? showNone(total, extentOf(coverage) === 'all', query)
    : html`<ul class="rows" data-filter="violations">
${rows.map((row) => showViolationRow(row, link, run.startedAt))}</ul>
<nav class="pager" aria-label="Pages of the list"><p>Rows ${first + 1} to ${first + rows.length} of ${total}</p>${first === 0 ? nothing : html`<a href="${to(0)}">First</a> <a href="${to(Math.max(0, first - rowsPerPage))}" rel="prev">Previous</a>`} ${next === undefined ? nothing : html`<a href="${next}" rel="next">Next ${Math.min(rowsPerPage, total - first - rows.length)}</a>`}</nav>`
}`,
      command: commandOf(query),
      json: link('/api/v1/violations', jsonOf(query)),
      ...(next === undefined ? {} : { next }),
    }
  },
}

async function readAsked({ history, run, query, now }: SiteRequest): Promise<ViolationsQuery> {
  const [text, since, olderThan] = [query.one('q'), query.one('since'), query.one('older-than')]
  const state = readChoice(query, 'state', stateWords) ?? (since === undefined ? undefined : 'all')
  return {
    run,
    states: statesOf(state),
    after: since === undefined ? 0 : runBefore(await history.runs(), since, now),
    rule: query.one('rule'),
    severity: readChoice(query, 'severity', severities),
    projects: query.all('project'),
    kind: readChoice(query, 'kind', kinds),
    owners: query.all('owner'),
    labels: [],
    before: olderThan === undefined ? undefined : Date.parse(run.startedAt) - durationOf(olderThan),
    overdueAt: query.one('overdue') === undefined ? undefined : Date.parse(run.startedAt),
    sort: readChoice(query, 'sort', violationOrders) ?? 'severity',
    limit: rowsPerPage,
    ...(text === undefined ? {} : { isWanted: await textTest(text, { history, run }) }),
  }
}

function statesOf(word: (typeof stateWords)[number] | undefined): ReadonlySet<ViolationState> {
  switch (word) {
    case 'all':
      return new Set(['opened', 'continuing', 'unknown', 'waived', 'resolved'])
    case 'resolved':
    case 'waived':
    case 'unknown':
      return new Set([word])
    case 'open':
      return new Set(['opened', 'continuing'])
    default:
      return new Set(['opened', 'continuing', 'unknown', 'waived'])
  }
}

function durationOf(text: string): number {
  const ms = readDuration(text)
  if (ms !== undefined) return ms
  throw AuditError.usage(`the parameter "older-than" is "${text}", expected a duration such as 12h or 30d`)
}

/** Whether a text is in what identifies a violation, or begins the name of its resource. */
async function textTest(text: string, { history, run }: Pick<SiteRequest, 'history' | 'run'>) {
  const wanted = text.toLowerCase()
  const named = new Set((await history.search(text, run.number)).map(({ uid }) => uid))
  return ({ rule, project, uid, path, owner }: ViolationOutline) =>
    named.has(uid) || [rule, project, uid, path, owner ?? ''].some((part) => part.toLowerCase().includes(wanted))
}

function showForm(query: SiteQuery): Markup {
  return showFilterForm('/violations', query, [
    textField('q', 'Text', 'name, uid, rule'),
    choiceField('severity', 'Severity', severities, 'any'),
    choiceField('state', 'State', stateWords, 'all but resolved'),
    textField('rule', 'Rule', 'endpoint/*'),
    textField('project', 'Project', 'acme/*'),
    textField('owner', 'Owner', 'tenant-0*'),
    choiceField('kind', 'Kind', kinds, 'any'),
    textField('older-than', 'Open for', '30d'),
    choiceField('sort', 'Order', violationOrders, 'severity'),
    choiceField('group-by', 'Group by', groupings, 'nothing'),
  ])
}

function showNone(total: number, isWhole: boolean, query: SiteQuery): Markup {
  if (total > 0) return emptyState(`There are only ${total} rows.`, 'none')
  const isFiltered = parameters.some((name) => query.one(name) !== undefined)
  const where = isFiltered ? 'No violation fits this filter' : 'No violation is open'
  return isWhole ? emptyState(`${where}.`, 'none') : emptyState(`${where} in what was scanned.`, 'unknown')
}

/** Parameters of the page that are options of the command, too. */
const options = ['severity', 'rule', 'project', 'owner', 'kind', 'older-than', 'since', 'sort'] as const

function commandOf(query: SiteQuery): string {
  const state = query.one('state')
  const given = options.flatMap((name) => query.all(name).map((value) => ` --${name} '${value.replaceAll("'", '')}'`))
  const flags = [
    ...(state === undefined || state === 'all' ? [] : [` --${state}`]),
    ...(query.one('overdue') === undefined ? [] : [' --overdue']),
  ]
  return `hookdrift violations${flags.join('')}${given.join('')}`
}

function jsonOf(query: SiteQuery): Record<string, string | readonly string[]> {
  const state = query.one('state')
  return {
    ...Object.fromEntries(options.map((name) => [name, query.all(name)])),
    ...(state === undefined || state === 'all' ? {} : { [state]: 'true' }),
    ...(query.one('overdue') === undefined ? {} : { overdue: 'true' }),
  }
}
