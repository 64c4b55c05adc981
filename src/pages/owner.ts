import type { NamedIdentity } from '../history/reader.ts'
import { globOf } from '../model/glob.ts'
import { isOpen } from '../model/violation.ts'
import { toCoverage } from '../queries/as-of.ts'
import { pageRows, type RowTest, testOverdue } from '../queries/page-violations.ts'
import { stateAt } from '../queries/violation-index.ts'
import { command } from '../report/html/components/command.ts'
import { emptyState } from '../report/html/components/empty-state.ts'
import { factList } from '../report/html/components/facts.ts'
import { html, type Markup } from '../report/html/markup.ts'
import { pageSection } from '../report/html/render-page.ts'
import { extentOf, type ScanExtent, showCount } from '../report/html/scan-extent.ts'
import { atLastRun } from './at-last-run.ts'
import { endpointPlace, showEndpoints } from './owner/show-endpoints.ts'
import { NotFound, type SitePage, type SiteRequest } from './page.ts'
import { onceForRun, readDue, readIndex, readScans, readSorted, timeOf } from './run-facts.ts'
import { hookdriftCommand } from './same-answer.ts'
import { showGaps } from './show-gaps.ts'
import { showNumbers } from './show-numbers.ts'
import { showRows } from './show-rows.ts'

const mostViolations = 50

/** An owner: what is open on their endpoints, what is due first at the top, and which endpoints these are. */
export const ownerPage: SitePage = {
  path: '/owners/:owner',
  parameters: endpointPlace,
  isOfRun: 'past',
  async show(request) {
    const { run, link, params } = request
    const owner = params.owner ?? ''
    const index = await readSorted(request, { order: 'due', withOwner: true })
    const endpoints = await readEndpoints(request, owner)
    const at = index.owners.indexOf(owner)
    if (endpoints.length === 0 && at <= 0)
      throw new NotFound(`As of run ${run.number}, no endpoint belongs to ${owner}`)
    const inStates = (isMeant: RowTest) =>
      pageRows(index, (row) => index.owner[row] === at && isMeant(row), { most: mostViolations })
    const open = inStates((row) => isOpen({ state: stateAt(index, row) }))
    const isLate = testOverdue(index, timeOf(request), await readDue(request))
    const overdue = inStates((row) => isOpen({ state: stateAt(index, row) }) && isLate(row)).counts.total
    const { counts: unknown } = inStates((row) => stateAt(index, row) === 'unknown')
    const { states } = inStates(() => true).counts
    const coverage = (await readScans(request)).flatMap(toCoverage)
    const extent = extentOf(coverage)
    const pattern = globOf(owner)
    const ofOwner = { owner: pattern, sort: 'due' }
    const listed = (number: number, query: Readonly<Record<string, string>>) =>
      number === 0 ? '0' : html`<a href="${link('/violations', { owner: pattern, ...query })}">${number}</a>`
    const { section, isFirst, next } = showEndpoints(request, owner, endpoints)
    return {
      title: `Owner ${owner}`,
      crumbs: [{ title: 'Owners', href: link('/violations', { 'group-by': 'owner' }) }],
      alarm: showGaps(coverage, link),
      body: !isFirst
        ? section
        : html`${showNumbers({ open: open.counts.severities, unknown: unknown.severities, extent })}
${pageSection({
  ...{ id: 'violations', title: 'Open violations', count: showCount(open.counts.total, extent) },
  content:
    open.counts.total === 0
      ? showNone(extent)
      : html`<p class="meta">${overdue === 0 ? '' : `${overdue} overdue; `}${open.rows.length} of ${open.counts.total} shown, what is due first at the top. <a href="${link('/violations', ofOwner)}">Filter and group them</a></p>
${await showRows(request, index, open.rows)}`,
})}${section}`,
      aside: html`${factList([
        ['Overdue', listed(overdue, { overdue: 'true' })],
        ['Waived', listed(states.waived, { state: 'waived' })],
        ['Not checked by the last scan', listed(states.unknown, { state: 'unknown' })],
        ['Endpoints', String(endpoints.length)],
      ])}<h2>Commands</h2>
<p>${command(hookdriftCommand(['violations'], { options: { open: true, ...ofOwner } }))}</p><p>${command(hookdriftCommand(['violations'], { options: { resolved: true, owner: pattern, since: '7d' } }))}</p>`,
      same: { command: ['violations'], options: { open: true, ...ofOwner } },
      atLast: await readAtLast(request, owner),
      ...(next === undefined ? {} : { next }),
    }
  },
}

/** The list of owners, where the last run no longer has this one. */
async function readAtLast(request: SiteRequest, owner: string): Promise<string | undefined> {
  const last = await atLastRun(request)
  if (last === undefined || (await readIndex(last, { withOwner: true })).owners.includes(owner)) return undefined
  const endpoints = await readEndpoints(last, owner)
  return endpoints.length > 0 ? undefined : last.link('/violations', { 'group-by': 'owner' })
}

function readEndpoints(request: SiteRequest, owner: string): Promise<readonly NamedIdentity[]> {
  return onceForRun(request, `endpoints of ${owner}`, () => request.history.endpointsOf(owner, request.run.number))
}

function showNone(extent: ScanExtent): Markup {
  return extent === 'all'
    ? emptyState('None.', 'none')
    : emptyState('None in what was scanned; the rest is unknown.', 'unknown')
}
