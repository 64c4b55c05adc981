import { readFirstViolations, type ViolationGroup } from '../../history/sql/first-violations.ts'
import type { RecordedScan } from '../../history/sql/scans.ts'
import { globOf } from '../../model/glob.ts'
import { kinds } from '../../model/resource.ts'
import { isOpen } from '../../model/violation.ts'
import { toCoverage } from '../../questions/as-of.ts'
import { countGroups, rankGroups, type ViolationCounts } from '../../questions/count-groups.ts'
import { emptyState } from '../../report/html/components/empty-state.ts'
import { html, type Markup, nothing } from '../../report/html/markup.ts'
import { pageSection } from '../../report/html/render-page.ts'
import { type ScanExtent, showCount } from '../../report/html/scan-extent.ts'
import { readLastComplete, showRunAt, unreadKinds } from '../last-complete.ts'
import type { SiteRequest } from '../page.ts'
import { readGroups } from '../run-facts.ts'
import { showFound } from '../show-rows.ts'
import { groupKeys, mostGroups, showGroups } from '../violations/show-groups.ts'

const mostShown = 20

export interface ProjectViolations {
  readonly scan: RecordedScan
  readonly extent: ScanExtent
  readonly open: CountedGroups
  /** Open when they were last seen; the last scan could not check them. */
  readonly unknown: CountedGroups
}

interface CountedGroups {
  readonly groups: readonly ViolationGroup[]
  readonly counts: ViolationCounts
}

/** The open violations of a project, and those that its last scan could not check. `active`: those of all projects. */
export function countProjectViolations(
  active: readonly ViolationGroup[],
  scan: RecordedScan,
  extent: ScanExtent,
): ProjectViolations {
  const own = active.filter(({ project }) => project === scan.project.name)
  const counted = (groups: readonly ViolationGroup[]) => ({ groups, counts: countGroups(groups) })
  return {
    scan,
    extent,
    open: counted(own.filter(isOpen)),
    unknown: counted(own.filter(({ state }) => state === 'unknown')),
  }
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
    id: 'violations',
    title: 'Open violations',
    count: showCount(total, extent),
    content: total === 0 ? showNone(extent) : await showPage(request, violations, 'open'),
  })
  return unknown.counts.total === 0 ? opened : html`${opened}${await showUnknown(request, violations)}`
}

/** Who owns what is open; nothing where none is. */
export async function showOwners(request: SiteRequest, violations: ProjectViolations): Promise<Markup> {
  const { scan, open } = violations
  if (open.counts.total === 0) return nothing
  const { name } = scan.project
  const asked = { withActive: true, withResolved: false, by: ['owner'] as const }
  const owned = (await readGroups(request, asked)).filter((group) => group.project === name && isOpen(group))
  const chosen = { ...asked, run: request.run.number, resolvedAfter: undefined }
  const ranked = rankGroups(owned, groupKeys.owner, { most: mostGroups })
  const filters = { project: globOf(name) }
  return pageSection({
    id: 'owners',
    title: 'Owners',
    content: await showGroups(request, { chosen, ranked, grouping: 'owner', filters }),
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
    id: 'unknown',
    title: 'Open before, unknown now',
    count: unknown.counts.total,
    content: html`<p class="meta">Run ${scan.run.number} could not check these.${asOf}</p>
${await showPage(request, violations, 'unknown')}`,
  })
}

async function showPage(
  request: SiteRequest,
  { scan, ...violations }: ProjectViolations,
  state: 'open' | 'unknown',
): Promise<Markup> {
  const { groups, counts } = violations[state]
  const asked = { run: request.run.number, withActive: true, resolvedAfter: undefined, most: mostShown, groups }
  const rows = await readFirstViolations(request.history, asked)
  const all = request.link('/violations', { project: globOf(scan.project.name), state })
  return html`${await showFound(request, rows)}${counts.total > rows.length ? html`<p><a href="${all}">All of ${counts.total}</a></p>` : nothing}`
}
