import { findEndpointsOf } from '../history/sql/list-resources.ts'
import { type ListedViolation, listViolations } from '../history/sql/list-violations.ts'
import type { NamedIdentity } from '../history/sql/resource-life.ts'
import { countUnsureRules } from '../model/gap.ts'
import { globOf } from '../model/glob.ts'
import { isOpen } from '../model/violation.ts'
import { toCoverageOfAll } from '../questions/as-of.ts'
import { countViolations, readFirst, sortKeyOf } from '../questions/choose-violations.ts'
import { checkedExtent, extentOf, type ScanExtent, showCount } from '../report/gaps.ts'
import { command, emptyState, factList } from '../report/html/components/parts.ts'
import { cell, table } from '../report/html/components/table.ts'
import { html, type Markup } from '../report/html/markup.ts'
import { pageSection } from '../report/html/render-page.ts'
import { shorten } from '../report/text/shorten.ts'
import { atLastRun } from './find-runs.ts'
import { paths } from './link.ts'
import { cutPage, type ListSection, noSuchCursor, showPager } from './list-page.ts'
import { NotFound, type SitePage, type SiteRequest } from './page.ts'
import { readGaps, readProjectEvaluations, readScans, timeOf } from './run-facts.ts'
import { hookdriftCommand } from './same-answer.ts'
import { showGaps } from './show-gaps.ts'
import { showNumbers } from './show-numbers.ts'
import { showViolationList } from './show-rows.ts'

const mostViolations = 50

/** The parameters that name an endpoint, after which the list goes on. */
const endpointParameters = ['after-project', 'after'] as const

/** An owner: what is open on their endpoints, what is due first at the top, and which endpoints these are. */
export const ownerPage: SitePage = {
  path: '/owners/:owner',
  parameters: endpointParameters,
  isOfRun: 'past',
  async show(request) {
    const { history, run, link, params } = request
    const owner = params.owner ?? ''
    const active = await readActiveOf(request, owner)
    const endpoints = await findEndpointsOf(history, owner, run.number)
    if (endpoints.length + active.length === 0 && !(await hadViolations(request, owner)))
      throw new NotFound(`As of run ${run.number}, no endpoint belongs to ${owner}`)
    const sortKey = sortKeyOf('due', await readProjectEvaluations(request))
    const open = active.filter(isOpen)
    const counts = countViolations(open)
    const late = open.filter((violation) => sortKey(violation) < timeOf(request)).length
    const unknown = countViolations(active.filter(({ state }) => state === 'unknown'))
    const { states } = countViolations(active)
    const rows = await readFirst(history, open, { sortKey, most: mostViolations })
    const coverage = toCoverageOfAll(await readScans(request))
    const extent = checkedExtent(coverage, unknown.total + countUnsureRules(await readGaps(request)))
    const pattern = globOf(owner)
    const ofOwner = { owner: pattern, sort: 'due' }
    const listed = (number: number, query: Readonly<Record<string, string>>) =>
      number === 0 ? '0' : html`<a href="${link('/violations', { owner: pattern, ...query })}">${number}</a>`
    const { section, isFirst, next } = showEndpoints(request, owner, endpoints)
    return {
      title: `Owner ${owner}`,
      crumbs: [{ title: 'Owners', href: link('/violations', { 'group-by': 'owner' }) }],
      alarm: await showGaps(request, coverage),
      body: !isFirst
        ? section
        : html`${showNumbers({ open: counts.severities, unknown: unknown.severities, extent: extentOf(coverage) })}
${pageSection({
  id: 'violations',
  title: 'Open violations',
  count: showCount(counts.total, extent),
  content:
    counts.total === 0
      ? showNone(extent)
      : html`<p class="meta">${late === 0 ? '' : `${late} overdue; `}${rows.length} of ${counts.total} shown, what is due first at the top. <a href="${link('/violations', ofOwner)}">Filter and group them</a></p>
${await showViolationList(request, rows)}`,
})}${section}`,
      aside: html`${factList([
        ['Overdue', listed(late, { overdue: 'true' })],
        ['Waived', listed(states.waived, { state: 'waived' })],
        ['Not checked by the last scan', listed(states.unknown, { state: 'unknown' })],
        ['Endpoints', String(endpoints.length)],
      ])}<h2>Commands</h2>
<p>${command(hookdriftCommand(['violations'], { options: { open: true, ...ofOwner } }))}</p><p>${command(hookdriftCommand(['violations'], { options: { resolved: true, owner: pattern, since: '7d' } }))}</p>`,
      same: { command: ['violations'], options: { open: true, ...ofOwner } },
      atLast: await readAtLast(request, owner),
      next,
    }
  },
}

/** The list of owners, where the last run no longer has this one. */
async function readAtLast(request: SiteRequest, owner: string): Promise<string | undefined> {
  const last = await atLastRun(request)
  if (last === undefined || (await readActiveOf(last, owner)).length > 0) return undefined
  const endpoints = await findEndpointsOf(last.history, owner, last.run.number)
  return endpoints.length > 0 || (await hadViolations(last, owner))
    ? undefined
    : last.link('/violations', { 'group-by': 'owner' })
}

/** Whether violations ended on endpoints that were theirs then: lists of these lead here. */
async function hadViolations({ history, run }: SiteRequest, owner: string): Promise<boolean> {
  const listed = await listViolations(history, { run: run.number, resolvedAfter: 0, withOwners: true })
  return listed.some((violation) => violation.owner === owner)
}

async function readActiveOf({ history, run }: SiteRequest, owner: string): Promise<readonly ListedViolation[]> {
  const active = await listViolations(history, { run: run.number, withOwners: true })
  return active.filter((violation) => violation.owner === owner)
}

function showNone(extent: ScanExtent): Markup {
  return extent === 'all'
    ? emptyState('None.', 'none')
    : emptyState('None in what could be checked; the rest is unknown.', 'unknown')
}

const mostEndpoints = 100

/**
 * A hundred endpoints of an owner. The run stays the same from page to page, while others are added.
 * @throws AuditError.usage for a cursor that is not in the list
 */
function showEndpoints(request: SiteRequest, owner: string, all: readonly NamedIdentity[]): ListSection {
  const { link, run, query } = request
  const [project, uid] = endpointParameters.map((name) => query.one(name))
  const isFirst = project === undefined && uid === undefined
  const at = all.findIndex((one) => one.project.name === project && one.uid === uid)
  if (!isFirst && at < 0) throw noSuchCursor(...endpointParameters)
  const following = new Set(all.slice(at + 1))
  const { items, last } = cutPage(all, { isAfter: (one) => following.has(one), most: mostEndpoints })
  const page = paths.owner(owner)
  const next = last && link(page, { 'after-project': last.project.name, after: last.uid, run: run.number })
  const first = isFirst ? undefined : link(page, { run: run.number })
  const content = html`${showTable(items, request)}${showPager({ first, next })}`
  return { isFirst, next, section: pageSection({ id: 'endpoints', title: 'Endpoints', count: all.length, content }) }
}

function showTable(endpoints: readonly NamedIdentity[], { link }: SiteRequest): Markup {
  if (endpoints.length === 0) return emptyState('No endpoint names this owner now.', 'none')
  const rows = endpoints.map(({ project: { name: project }, kind, uid, name }) => {
    const href = link(paths.resource(uid), { project, kind })
    return html`<tr><th scope="row"><a href="${href}">${shorten(name === '' ? uid : name, 120)}</a></th>${cell('Project', html`<a href="${link(paths.project(project))}">${project}</a>`)}${cell('uid', html`<code>${shorten(uid, 80)}</code>`)}</tr>
`
  })
  return table(
    'Endpoints',
    ['Endpoint', 'Project', 'uid'].map((title) => ({ title })),
    rows,
  )
}
