import { matchesProject } from '../config/choose-projects.ts'
import { runBefore } from '../history/find-run.ts'
import type { ViolationGroup } from '../history/sql/first-violations.ts'
import { listRuns } from '../history/sql/runs.ts'
import { AuditError } from '../model/errors.ts'
import { remembering } from '../model/remembering.ts'
import { kinds } from '../model/resource.ts'
import { readDuration } from '../model/time.ts'
import { severities, type ViolationState, violationStates } from '../model/violation.ts'
import { matchingProjects, toCoverageOfAll } from '../questions/as-of.ts'
import { countGroups, rankGroups } from '../questions/count-groups.ts'
import { partsFor, sortKeyOf, testGroups, type ViolationOrder, violationOrders } from '../questions/violations.ts'
import { type Grouping, groupings } from '../report/group-by.ts'
import { html, type Markup } from '../report/html/markup.ts'
import { count, countEach } from '../text/count.ts'
import { checkField, choiceField, showFilterForm, textField } from './filter-form.ts'
import type { SitePage, SiteRequest } from './page.ts'
import { readChoice } from './query.ts'
import { onceForRun, readDue, readGroups, readScans, readViolated, timeOf } from './run-facts.ts'
import { showGaps } from './show-gaps.ts'
import { groupKeys, mostGroups, showGroups } from './violation-groups.ts'
import {
  askedStates,
  type ChosenViolations,
  filtersOf,
  type StateFilter,
  sameList,
  showList,
  showNothing,
  showUnchecked,
  type ViolationListPage,
  violationParameters,
} from './violation-list.ts'

/** Violations: filtered by the address, fifty a page. */
export const violationsPage: SitePage = {
  path: '/violations',
  parameters: [...violationParameters, 'after', 'before'],
  isOfRun: 'past',
  async show(request) {
    const { query } = request
    const filters = readViolationQuery(request)
    const violated = await readViolated(request, filters.withResolved)
    const projects = query.all('project')
    const scans = matchingProjects(await readScans(request), projects)
    const content =
      filters.grouping === undefined
        ? await showList(request, {
            chosen: await chooseGroups(request, filters),
            order: filters.order,
            projects: violated.projects,
          })
        : await showGrouped(request, filters, filters.grouping)
    return {
      title: 'Violations',
      crumbs: [],
      alarm: await showGaps(request, toCoverageOfAll(scans)),
      body: html`${showFilters(request, violated)}
${await showUnchecked(request, await countUnlisted(request, filters))}${content.body}`,
      same: sameList(request),
      ...(content.next === undefined ? {} : { next: content.next }),
    }
  },
}

interface ViolationQuery {
  readonly states: ReadonlySet<ViolationState>
  readonly withResolved: boolean
  readonly grouping: Grouping | undefined
  readonly order: ViolationOrder
}

function readViolationQuery({ query }: SiteRequest): ViolationQuery {
  const state = readChoice(query, 'state', Object.keys(askedStates) as StateFilter[]) ?? 'open' // keys are what the type says
  const grouping = readChoice(query, 'group-by', groupings)
  const states: ReadonlySet<ViolationState> = new Set(askedStates[state])
  const order = readChoice(query, 'sort', violationOrders) ?? 'severity'
  return { states, withResolved: states.has('resolved'), grouping, order }
}

/** What passes the filters: rules, owners and texts in the history, all else by what violations have in common. */
async function chooseGroups(request: SiteRequest, violationQuery: ViolationQuery): Promise<ChosenViolations> {
  const { query, run } = request
  const { states, withResolved, grouping, order } = violationQuery
  const at = timeOf(request)
  const older = query.one('older-than')
  const olderMs = older === undefined ? undefined : readDuration(older)
  if (older !== undefined && olderMs === undefined) {
    throw AuditError.usage(`the parameter "older-than" is "${older}", expected a duration such as 12h, 30d or 8w`)
  }
  const before = olderMs === undefined ? undefined : at - olderMs
  const dueOf = await readDue(request)
  const [rule, text] = [query.one('rule'), query.one('q')]
  const isAsked = testGroups(
    {
      states,
      kind: readChoice(query, 'kind', kinds),
      before,
      severity: readChoice(query, 'severity', severities),
      maxSeverity: readChoice(query, 'max-severity', severities),
      overdueAt: readChoice(query, 'overdue', ['true']) === undefined ? undefined : at,
    },
    dueOf,
  )
  const after = await lastBefore(request)
  const isSince = ({ state, run: ended, firstRun }: ViolationGroup) => (state === 'resolved' ? ended : firstRun) > after
  const projects = query.all('project')
  const isMeant = remembering((project) => matchesProject(project, projects))
  const choice = {
    withActive: [...states].some((state) => state !== 'resolved'),
    rules: rule === undefined ? [] : [rule],
    owners: query.all('owner'),
    text,
    by: [...partsFor({ sort: order, before }), ...(grouping === undefined || grouping === 'project' ? [] : [grouping])],
  }
  const groups = (await readGroups(request, { ...choice, withResolved })).filter(
    (group) => isAsked(group) && isSince(group) && isMeant(group.project),
  )
  const sortKey = sortKeyOf(order, dueOf)
  return {
    ...choice,
    run: run.number,
    resolvedAfter: withResolved ? 0 : undefined,
    groups,
    ...(sortKey && { sortKey }),
  }
}

/** How many could not be checked of those that pass all other filters, where only open ones are asked for. */
async function countUnlisted(request: SiteRequest, filters: ViolationQuery): Promise<number> {
  if (!filters.states.has('opened') || filters.states.has('unknown')) return 0
  const { groups } = await chooseGroups(request, { ...filters, states: new Set(['unknown']), withResolved: false })
  return countGroups(groups).total
}

/** The run before those that count; 0: all count. */
async function lastBefore(request: SiteRequest): Promise<number> {
  const { history, query, run } = request
  const since = query.one('since')
  if (since === undefined) return 0
  if (since === String(run.number)) return run.number - 1
  return runBefore(await listRuns(history), since, timeOf(request))
}

async function showGrouped(
  request: SiteRequest,
  violationQuery: ViolationQuery,
  grouping: Grouping,
): Promise<ViolationListPage> {
  const { chosen, counts, ranked } = await rankChosen(request, violationQuery, grouping)
  if (counts.total === 0)
    return { body: html`<p class="summary" role="status">No violation.</p>${await showNothing(request)}` }
  return {
    body: html`<p class="summary" role="status">${count(counts.total, 'violation')}: ${countEach(severities, counts.severities)}; ${countEach(violationStates, counts.states)}.</p>
${await showGroups(request, { chosen, ranked, grouping, filters: filtersOf(request) })}`,
  }
}

/** Ranked once for a run, unless ages and due dates are asked for: then it differs each time. */
function rankChosen(request: SiteRequest, violationQuery: ViolationQuery, grouping: Grouping) {
  const rank = async () => {
    const { groups, ...chosen } = await chooseGroups(request, violationQuery)
    const ranked = rankGroups(groups, groupKeys[grouping], { sortKey: chosen.sortKey, most: mostGroups })
    return { chosen, counts: countGroups(groups), ranked }
  }
  const isTimed = ['older-than', 'overdue', 'since'].some((name) => request.query.one(name) !== undefined)
  return isTimed ? rank() : onceForRun(request, `ranked ${JSON.stringify(filtersOf(request))}`, rank)
}

const otherStates = Object.keys(askedStates).filter((state) => state !== 'open')

const leastSeverities = severities.map((name) => [name, name === 'critical' ? name : `${name} or above`] as const)

const mostSeverities = severities.map((name) => [name, name === 'info' ? name : `${name} or below`] as const)

/** The filters of the violations. `rules` and `projects`: names that are suggested. */
function showFilters(
  { query, run }: SiteRequest,
  { rules, projects }: { readonly rules: readonly string[]; readonly projects: readonly string[] },
): Markup {
  const fields = [
    choiceField('state', 'State', otherStates, 'open'),
    choiceField('severity', 'Severity', leastSeverities, 'any'),
    textField('rule', 'Rule', 'such as endpoint/*', rules),
    textField('project', 'Project', 'such as acme/*', projects),
    textField('owner', 'Owner', 'such as tenant-0*'),
    textField('q', 'Text', 'names, messages'),
  ]
  const more = [
    choiceField('max-severity', 'At most', mostSeverities, 'any'),
    choiceField('kind', 'Kind', kinds, 'any'),
    textField('older-than', 'Older than', 'such as 30d'),
    textField('since', 'Since run', `such as ${run.number}`),
    choiceField('group-by', 'Group by', groupings, 'nothing'),
    checkField('overdue', 'overdue'),
  ]
  return showFilterForm('/violations', query, fields, { more, hiddenNames: ['sort'] })
}
