import { inResourceOrder } from '../history/report-order.ts'
import { listApprovals } from '../history/sql/approvals.ts'
import { describeSigner } from '../questions/acceptances.ts'
import { selectProjects } from '../questions/as-of.ts'
import { readBaselineDiff } from '../questions/baseline-diff.ts'
import { type BaselineRow, type ListedBaseline, listBaselines } from '../questions/baselines.ts'
import { changeCard } from '../report/html/components/change-card.ts'
import { command, emptyState } from '../report/html/components/parts.ts'
import { cell, table } from '../report/html/components/table.ts'
import { html, type Markup, nothing } from '../report/html/markup.ts'
import { pageSection } from '../report/html/render-page.ts'
import { showTime } from '../report/text/show-time.ts'
import { count } from '../text/count.ts'
import { type RunNames, readRunNames } from './find-runs.ts'
import { linkToResource, paths, type SiteLink } from './link.ts'
import {
  cutPage,
  type ListSection,
  noSuchCursor,
  queryAfter,
  readResourceCursor,
  resourceParameters,
  showPager,
} from './list-page.ts'
import type { SitePage, SiteRequest } from './page.ts'
import { readScans } from './run-facts.ts'
import { hookdriftCommand, type SameAnswer } from './same-answer.ts'
import { showGaps } from './show-gaps.ts'
import { approvalsAsOf } from './signed-as-of.ts'

/** The parameter that names a past approval by its number in the history: the page shows those after it. */
const approvalParameter = 'after-approval'

/** The states that people approved, and what differs from them in a run. Each of its two lists goes on by itself. */
export const baselinesPage: SitePage = {
  path: '/baselines',
  parameters: ['project', ...resourceParameters, approvalParameter],
  isOfRun: false,
  async show(request) {
    const { query, link } = request
    const projects = query.all('project')
    const approvals = await approvalsAsOf(request)
    selectProjects([...(await readScans(request)), ...approvals], projects)
    const listed = listBaselines(approvals, projects)
    const active = listed.filter(({ row }) => row.state === 'active').map(({ row }) => row)
    const names = { link, runs: await readRunNames(request) }
    const past = showPast(
      request,
      listed.filter(({ row }) => row.state !== 'active'),
      names,
    )
    const differing = active.length === 0 ? undefined : await showDifferences(request, projects)
    const common = { title: 'Baselines', crumbs: [], same: await findSame(request, active.length > 0) }
    if (!past.isFirst) return { ...common, body: past.section, next: past.next }
    if (differing?.isFirst === false) {
      return { ...common, alarm: differing.alarm, body: differing.section, next: differing.next }
    }
    return {
      ...common,
      alarm: differing?.alarm ?? nothing,
      body: html`${differing === undefined ? showNone(request) : html`${showActive(active, names)}${differing.section}`}${past.section}`,
      next: differing?.next ?? past.next,
    }
  },
}

function showNone({ isLatest, query }: SiteRequest) {
  const project = query.all('project')
  const state = `No state${project.length === 0 ? '' : ` of ${project.join(' ')}`}`
  if (!isLatest) return emptyState(`${state} was approved by the end of this run.`, 'none')
  const approve = hookdriftCommand(['baseline', 'approve'], { options: { project, note: 'why' } })
  return html`${emptyState(`${state} is approved: drift rules compare with the last complete scan.`, 'none')}<p>${command(approve)} approves the state of the last run.</p>`
}

/** The command compares with what is approved now, so that without an approval it has nothing to say. */
async function findSame({ history, query, isLatest, run }: SiteRequest, isCompared: boolean): Promise<SameAnswer> {
  const project = query.all('project')
  const now = await listApprovals(history)
  const isApproved = listBaselines(now, project).some(({ row }) => row.state === 'active')
  const end = Date.parse(run.finished_at)
  const hasChanged = !isLatest && now.some(({ at, revoked }) => Date.parse(revoked?.at ?? at) > end)
  if (isCompared && isApproved) {
    const lacks = hasChanged ? 'It compares with the states that are approved now.' : undefined
    return { command: ['baseline', 'diff'], options: { project }, lacks }
  }
  const lacks = hasChanged ? 'It lists later approvals too.' : undefined
  return { command: ['baseline', 'show'], options: { all: true, project }, isOfNoRun: true, lacks }
}

const mostApprovals = 100

const columns = ['Project', 'State of', 'Approved', 'By', 'Note'].map((title) => ({ title }))

function showActive(rows: readonly BaselineRow[], names: Names): Markup {
  const tableRows = rows.map(
    (row) => html`<tr>${showApproval(row, names)}</tr>
`,
  )
  return table('Approved baselines', columns, tableRows)
}

/**
 * Approvals that do not count: what drift was once compared with, and who ended that, and confirmations. By project, the latest first.
 * @throws AuditError.usage for a cursor that is not in the list
 */
function showPast({ query }: SiteRequest, past: readonly ListedBaseline[], names: Names): ListSection {
  const { link } = names
  const named = query.one(approvalParameter)
  const at = past.findIndex(({ id }) => String(id) === named)
  if (named !== undefined && at < 0) throw noSuchCursor(approvalParameter)
  const { items, last } = cutPage(past.slice(at + 1), { most: mostApprovals })
  const project = query.all('project')
  const next = last && link('/baselines', { project, [approvalParameter]: last.id })
  const isFirst = named === undefined
  if (past.length === 0) return { section: nothing, isFirst, next }
  const rows = items.map(
    ({ row }) => html`<tr>${showApproval(row, names)}${cell('Ended', describeEnd(row))}</tr>
`,
  )
  const list = table('Past approvals', [...columns, { title: 'Ended' }], rows)
  const content = html`${list}${showPager({ first: isFirst ? undefined : link('/baselines', { project }), next })}`
  return { isFirst, next, section: pageSection({ id: 'past', title: 'Past approvals', count: past.length, content }) }
}

function describeEnd({ state, revoked_at, revoked_by }: BaselineRow): string {
  if (state === 'confirmation') return 'changed nothing: confirmation'
  return revoked_at === null ? 'by a later approval' : `revoked ${showTime(revoked_at)} by ${revoked_by ?? ''}`
}

interface Names {
  readonly link: SiteLink
  readonly runs: RunNames
}

function showApproval(row: BaselineRow, { link, runs }: Names): Markup {
  const amended = row.amendments.length > 0 && html` + ${count(row.amendments.length, 'resource')}`
  const state = html`${row.run === null ? html`files` : runs.name(row.run)}${amended}`
  const by = describeSigner({ by: row.approved_by, os_user: row.os_user })
  return html`<th scope="row"><a href="${link(paths.project(row.project))}">${row.project}</a></th>${cell('State of', state)}${cell('Approved', showTime(row.approved_at))}${cell('By', by)}${cell('Note', row.note)}`
}

const [mostDifferences, mostRemarks] = [100, 100]

/**
 * What differs in the run from the approved states, of which there is one; a hundred differences from a cursor on.
 * `alarm`: what was not scanned, so that differences there are unknown.
 */
async function showDifferences(
  request: SiteRequest,
  projects: readonly string[],
): Promise<ListSection & { readonly alarm: Markup }> {
  const { history, run, isLatest, query, link } = request
  const choice = { run, projects, limit: Number.POSITIVE_INFINITY, approvals: await approvalsAsOf(request) }
  const { answer, isPartial } = await readBaselineDiff(history, choice)
  const { rows, remarks = [], coverage = [] } = answer
  const cursor = readResourceCursor(query)
  const isAfter = cursor && ((row: (typeof rows)[number]) => inResourceOrder(row, cursor) > 0)
  const { items, last } = cutPage(rows, { isAfter, most: mostDifferences })
  const next = last && link('/baselines', { project: projects, ...queryAfter(last) })
  const pager = showPager({ first: cursor && link('/baselines', { project: projects }), next })
  const cards = items.map((row) => changeCard(row, [], { href: linkToResource(link, row) }))
  const content = html`${remarks.slice(0, mostRemarks).map((line) => html`<p class="soft">${line}</p>`)}${
    rows.length === 0 ? showNoDifference(isPartial) : html`<ul class="rows">${cards}</ul>`
  }${pager}`
  const title = isLatest ? 'What differs in the last run' : `What differs in run ${run.number}`
  return {
    alarm: await showGaps(request, coverage),
    isFirst: cursor === undefined,
    next,
    section: pageSection({ id: 'differences', title, count: rows.length, content }),
  }
}

function showNoDifference(isPartial: boolean): Markup {
  return isPartial
    ? emptyState('Nothing differs from the approved states in what was scanned; the rest is unknown.', 'unknown')
    : emptyState('Nothing differs from the approved states.', 'none')
}
