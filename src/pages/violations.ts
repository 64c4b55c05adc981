import { runBefore } from '../history/find-run.ts'
import type { ListedViolation } from '../history/sql/list-violations.ts'
import { listRuns } from '../history/sql/runs.ts'
import { AuditError } from '../model/errors.ts'
import { kinds } from '../model/resource.ts'
import { readDuration } from '../model/time.ts'
import { severities, violationStates } from '../model/violation.ts'
import { matchingProjects, toCoverageOfAll } from '../questions/as-of.ts'
import {
  countUnlisted,
  countViolations,
  filterTest,
  listFor,
  rankViolations,
  type SortKey,
  sortKeyOf,
  type ViolationFilter,
  type ViolationOrder,
  violationOrders,
} from '../questions/choose-violations.ts'
import { type Grouping, groupings } from '../report/group-by.ts'
import { html, type Markup } from '../report/html/markup.ts'
import { count, countEach } from '../text/count.ts'
import { checkField, choiceField, showFilterForm, textField } from './filter-form.ts'
import type { SitePage, SiteRequest } from './page.ts'
import { readChoice } from './query.ts'
import { readProjectEvaluations, readScans, timeOf } from './run-facts.ts'
import { showGaps } from './show-gaps.ts'
import { groupKeys, showGroups } from './violation-groups.ts'
import {
  askedStates,
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
    const { history, run } = request
    const { filter, order, grouping } = await readViolationQuery(request)
    const evaluations = await readProjectEvaluations(request)
    const withOwners = grouping === 'owner' || filter.owners.length > 0
    // The filters suggest names of resolved ones of any time.
    const listed = await listFor(history, run.number, { ...filter, after: 0 }, withOwners)
    const chosen = listed.filter(filterTest(filter, evaluations))
    const rules = new Set(listed.map(({ rule }) => rule))
    const projects = new Set(listed.map(({ project }) => project))
    const content =
      grouping === undefined
        ? await showList(request, { chosen, order, projects })
        : await showGrouped(request, chosen, { grouping, sortKey: sortKeyOf(order, evaluations) })
    return {
      title: 'Violations',
      crumbs: [],
      alarm: await showGaps(request, toCoverageOfAll(matchingProjects(await readScans(request), filter.projects))),
      body: html`${showFilters(request, { rules: [...rules].sort(), projects: [...projects].sort() })}
${await showUnchecked(request, countUnlisted(listed, filter, evaluations))}${content.body}`,
      same: sameList(request),
      next: content.next,
    }
  },
}

interface ViolationQuery {
  readonly filter: ViolationFilter
  readonly grouping: Grouping | undefined
  readonly order: ViolationOrder
}

async function readViolationQuery(request: SiteRequest): Promise<ViolationQuery> {
  const { query } = request
  const state = readChoice(query, 'state', Object.keys(askedStates) as StateFilter[]) ?? 'open' // keys are what the type says
  const at = timeOf(request)
  const older = query.one('older-than')
  const olderMs = older === undefined ? undefined : readDuration(older)
  if (older !== undefined && olderMs === undefined) {
    throw AuditError.usage(`the parameter "older-than" is "${older}", expected a duration such as 12h, 30d or 8w`)
  }
  return {
    filter: {
      states: new Set(askedStates[state]),
      after: await lastBefore(request),
      rule: query.one('rule'),
      projects: query.all('project'),
      kind: readChoice(query, 'kind', kinds),
      owners: query.all('owner'),
      labels: [],
      text: query.one('q'),
      severity: readChoice(query, 'severity', severities),
      maxSeverity: readChoice(query, 'max-severity', severities),
      before: olderMs === undefined ? undefined : at - olderMs,
      overdueAt: readChoice(query, 'overdue', ['true']) === undefined ? undefined : at,
    },
    grouping: readChoice(query, 'group-by', groupings),
    order: readChoice(query, 'sort', violationOrders) ?? 'severity',
  }
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
  chosen: readonly ListedViolation[],
  { grouping, sortKey }: { readonly grouping: Grouping; readonly sortKey: SortKey },
): Promise<ViolationListPage> {
  const counts = countViolations(chosen)
  if (counts.total === 0)
    return { body: html`<p class="summary" role="status">No violation.</p>${await showNothing(request)}` }
  const ranked = rankViolations(chosen, groupKeys[grouping], sortKey)
  return {
    body: html`<p class="summary" role="status">${count(counts.total, 'violation')}: ${countEach(severities, counts.severities)}; ${countEach(violationStates, counts.states)}.</p>
${await showGroups(request, { ranked, grouping, filters: filtersOf(request) })}`,
  }
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
