import { matchesProject } from '../config/choose-projects.ts'
import { runBefore } from '../history/find-run.ts'
import { AuditError } from '../model/errors.ts'
import { kinds } from '../model/resource.ts'
import { isoTime, readDuration } from '../model/time.ts'
import { severities, type ViolationState, violationStates } from '../model/violation.ts'
import { toCoverage } from '../queries/as-of.ts'
import { groupRows, maskRows, matchTexts, pageRows, type RowMask } from '../queries/page-violations.ts'
import { type ViolationOrder, violationOrders } from '../queries/read-violations.ts'
import type { ViolationIndex } from '../queries/violation-index.ts'
import { type Grouping, groupings } from '../report/group-by.ts'
import { html } from '../report/html/markup.ts'
import { count, countEach } from '../text/count.ts'
import type { SitePage, SiteRequest } from './page.ts'
import { readChoice } from './query.ts'
import { onceForRun, readDue, readScans, readSorted, timeOf } from './run-facts.ts'
import { showGaps } from './show-gaps.ts'
import { type AskedState, askedStates } from './violations/asked-states.ts'
import { filtersOf, sameList, violationParameters } from './violations/list-options.ts'
import { showFilters } from './violations/show-filters.ts'
import { showGroups } from './violations/show-groups.ts'
import { type ShownList, showList } from './violations/show-list.ts'
import { showNothing } from './violations/show-nothing.ts'

/** Violations: filtered by the address, fifty a page. */
export const violationsPage: SitePage = {
  path: '/violations',
  parameters: [...violationParameters, 'after', 'before'],
  isOfRun: 'past',
  async show(request) {
    const { link, query } = request
    const asked = readAsked(request)
    const index = await readSorted(request, asked)
    const chosen = await readMask(request, index, asked)
    const projects = query.all('project')
    const scans = (await readScans(request)).filter(({ project }) => matchesProject(project.name, projects))
    const content =
      asked.grouping === undefined
        ? await showList(request, { index, chosen, order: asked.order })
        : await showGrouped(request, index, chosen, asked.grouping)
    return {
      title: 'Violations',
      crumbs: [],
      alarm: showGaps(scans.flatMap(toCoverage), link),
      body: html`${showFilters(request, index)}
${content.body}`,
      same: sameList(request),
      ...(content.next === undefined ? {} : { next: content.next }),
    }
  },
}

interface AskedFor {
  readonly state: AskedState
  readonly grouping: Grouping | undefined
  readonly order: ViolationOrder
  readonly withResolved: boolean
  readonly withOwner: boolean
}

function readAsked({ query }: SiteRequest): AskedFor {
  const state = readChoice(query, 'state', Object.keys(askedStates) as AskedState[]) ?? 'open' // keys are what the type says
  const grouping = readChoice(query, 'group-by', groupings)
  const withResolved = (askedStates[state] as readonly ViolationState[]).includes('resolved')
  const order = readChoice(query, 'sort', violationOrders) ?? 'severity'
  return { state, grouping, order, withResolved, withOwner: query.all('owner').length > 0 || grouping === 'owner' }
}

async function readMask(request: SiteRequest, index: ViolationIndex, { state, order, withResolved }: AskedFor) {
  const { history, query, run } = request
  const at = timeOf(request)
  const text = query.one('q')
  const older = query.one('older-than')
  const olderMs = older === undefined ? undefined : readDuration(older)
  if (older !== undefined && olderMs === undefined) {
    throw AuditError.usage(`the parameter "older-than" is "${older}", expected a duration such as 12h, 30d or 8w`)
  }
  const dueOf = await readDue(request)
  return maskRows(
    index,
    {
      ...{ states: new Set(askedStates[state]), rule: query.one('rule'), projects: query.all('project') },
      severity: readChoice(query, 'severity', severities),
      maxSeverity: readChoice(query, 'max-severity', severities),
      kind: readChoice(query, 'kind', kinds),
      ...{ owners: query.all('owner'), since: await sinceOf(request) },
      before: olderMs === undefined ? undefined : at - olderMs,
      overdueAt: readChoice(query, 'overdue', ['true']) === undefined ? undefined : at,
      matching:
        text === undefined
          ? undefined
          : await onceForRun(request, `text ${order} ${withResolved} ${text}`, () =>
              matchTexts(history, index, { run: run.number, withResolved, text }),
            ),
    },
    dueOf,
  )
}

/** The run before those that count, and when the first of them began, ISO 8601. */
async function sinceOf(request: SiteRequest) {
  const { history, query, run } = request
  const since = query.one('since')
  if (since === undefined) return undefined
  if (since === String(run.number)) return { time: run.startedAt, after: run.number - 1 }
  const runs = await history.runs()
  const now = timeOf(request)
  const after = runBefore(runs, since, now)
  return { time: runs.find(({ number }) => number > after)?.startedAt ?? isoTime(now), after }
}

async function showGrouped(
  request: SiteRequest,
  index: ViolationIndex,
  chosen: RowMask,
  grouping: Grouping,
): Promise<ShownList> {
  const { counts } = pageRows(index, chosen, { most: 0 })
  const groups = groupRows(index, chosen, grouping)
  if (counts.total === 0)
    return { body: html`<p class="summary" role="status">No violation.</p>${await showNothing(request)}` }
  return {
    body: html`<p class="summary" role="status">${count(counts.total, 'violation')}: ${countEach(severities, counts.severities)}; ${countEach(violationStates, counts.states)}.</p>
${await showGroups(request, { index, groups, grouping, filters: filtersOf(request) })}`,
  }
}
