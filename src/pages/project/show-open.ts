import type { RecordedScan } from '../../history/reader.ts'
import { globOf } from '../../model/glob.ts'
import { kinds } from '../../model/resource.ts'
import { isOpen } from '../../model/violation.ts'
import { toCoverage } from '../../queries/as-of.ts'
import { groupRows, pageRows, type RowPage, type RowTest } from '../../queries/page-violations.ts'
import { stateAt, type ViolationIndex } from '../../queries/violation-index.ts'
import { emptyState } from '../../report/html/components/empty-state.ts'
import { html, type Markup, nothing } from '../../report/html/markup.ts'
import { pageSection } from '../../report/html/render-page.ts'
import { type ScanExtent, showCount } from '../../report/html/scan-extent.ts'
import { readLastComplete, showRunAt, unreadKinds } from '../last-complete.ts'
import type { SiteRequest } from '../page.ts'
import { showRows } from '../show-rows.ts'
import { showGroups } from '../violations/show-groups.ts'

const mostShown = 20

export interface ProjectViolations {
  readonly index: ViolationIndex
  readonly scan: RecordedScan
  readonly extent: ScanExtent
  readonly open: RowPage
  /** Open when they were last seen; the last scan could not check them. */
  readonly unknown: RowPage
  readonly isOpenHere: RowTest
}

/** The open violations of a project, and those that its last scan could not check. */
export function readProjectViolations(
  index: ViolationIndex,
  scan: RecordedScan,
  extent: ScanExtent,
): ProjectViolations {
  const at = index.projects.indexOf(scan.project.name)
  const isOpenHere: RowTest = (row) => index.project[row] === at && isOpen({ state: stateAt(index, row) })
  const isUnknownHere: RowTest = (row) => index.project[row] === at && stateAt(index, row) === 'unknown'
  const open = pageRows(index, isOpenHere, { most: mostShown })
  const unknown = pageRows(index, isUnknownHere, { most: mostShown })
  return { index, scan, extent, open, unknown, isOpenHere }
}

/** `10`, `10+ (8 then)`, `? (8 then)`. */
export function countOpen({ open, unknown, extent }: ProjectViolations): string {
  const then = unknown.counts.total === 0 ? '' : ` (${unknown.counts.total} then)`
  return `${showCount(open.counts.total, extent)}${then}`
}

/** What is open; and what was open before, as of the last complete scan. */
export async function showOpen(request: SiteRequest, violations: ProjectViolations): Promise<Markup> {
  const { extent, open, unknown } = violations
  const { total } = open.counts
  const opened = pageSection({
    ...{ id: 'violations', title: 'Open violations', count: showCount(total, extent) },
    content: total === 0 ? showNone(extent) : await showPage(request, violations, 'open'),
  })
  return unknown.counts.total === 0 ? opened : html`${opened}${await showUnknown(request, violations)}`
}

/** Who owns what is open; nothing where none is. */
export async function showOwners(request: SiteRequest, violations: ProjectViolations): Promise<Markup> {
  const { index, scan, open, isOpenHere } = violations
  if (open.counts.total === 0) return nothing
  const groups = groupRows(index, isOpenHere, 'owner')
  const filters = { project: globOf(scan.project.name) }
  return pageSection({
    ...{ id: 'owners', title: 'Owners' },
    content: await showGroups(request, { index, groups, grouping: 'owner', filters }),
  })
}

function showNone(extent: ScanExtent): Markup {
  if (extent === 'all') return emptyState('None.', 'none')
  return emptyState(
    extent === 'none'
      ? 'Nothing was scanned: what is open is unknown.'
      : 'None in what was scanned; the rest is unknown.',
    'unknown',
  )
}

async function showUnknown(request: SiteRequest, violations: ProjectViolations): Promise<Markup> {
  const { scan, unknown } = violations
  const complete = await readLastComplete(request, scan.project, unreadKinds(toCoverage(scan), kinds))
  const asOf = complete === undefined ? nothing : html` As of ${showRunAt(complete, request)}, the last complete scan:`
  return pageSection({
    ...{ id: 'unknown', title: 'Open before, unknown now', count: unknown.counts.total },
    content: html`<p class="meta">Run ${scan.run.number} could not check these.${asOf}</p>
${await showPage(request, violations, 'unknown')}`,
  })
}

async function showPage(
  request: SiteRequest,
  { index, scan, ...pages }: ProjectViolations,
  state: 'open' | 'unknown',
): Promise<Markup> {
  const { rows, counts } = pages[state]
  const all = request.link('/violations', { project: globOf(scan.project.name), state })
  return html`${await showRows(request, index, rows)}${counts.total > rows.length ? html`<p><a href="${all}">All of ${counts.total}</a></p>` : nothing}`
}
