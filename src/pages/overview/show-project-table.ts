import type { ViolationGroup } from '../../history/sql/first-violations.ts'
import { countSeverities, type Severity, severities } from '../../model/violation.ts'
import type { StatusRow } from '../../queries/status.ts'
import type { Answer } from '../../report/answer.ts'
import { cell, table } from '../../report/html/components/table.ts'
import { html, type Markup, nothing } from '../../report/html/markup.ts'
import { extentOf, type ScanExtent, showCount } from '../../report/html/scan-extent.ts'
import { showTime } from '../../report/text/show-time.ts'
import { countEach } from '../../text/count.ts'
import { paths } from '../link.ts'
import type { SiteRequest } from '../page.ts'

/** More are behind a link: the page stays small. */
const mostProjects = 50

/** Projects and their open violations by severity, those first that could not be scanned, then the worst. */
export function showProjectTable(
  { link }: SiteRequest,
  { status, groups }: { readonly status: Answer<StatusRow>; readonly groups: readonly ViolationGroup[] },
): Markup {
  const walks = Map.groupBy(status.coverage ?? [], ({ project }) => project)
  const unknown = countUnknown(groups)
  const all = status.rows.map((row) => ({ row, extent: extentOf(walks.get(row.project) ?? []) })).sort(inOrder)
  const shown = all.slice(0, mostProjects)
  const rows = shown.map(({ row, extent }) => {
    const then = unknown.get(row.project) ?? countSeverities([])
    const cells = severities.map((severity) => showCell(link, { row, extent, severity, unknown: then[severity] }))
    const scanned = row.at === null ? 'never' : html`<time datetime="${row.at}">${showTime(row.at)}</time>`
    // A project that was never scanned has no page.
    const name =
      row.run === null ? html`${row.project}` : html`<a href="${link(paths.project(row.project))}">${row.project}</a>`
    const lost = countEach(severities, then)
    const since =
      row.incomplete_since === null
        ? nothing
        : html` <span class="bad">not completely since ${showTime(row.incomplete_since)}${lost === '' ? '' : ` (${lost} then)`}</span>`
    return html`<tr data-project="${row.project}"><th scope="row">${name}</th>${cells}${cell('Scanned', html`${scanned}${since}`)}</tr>
`
  })
  const left = all.length - shown.length
  const columns = [
    { title: 'Project' },
    ...severities.map((title) => ({ title, isNumber: true })),
    { title: 'Scanned' },
  ]
  return html`<h2 id="projects">Projects <span class="count">${left > 0 ? `${shown.length} of ${all.length}, the worst first` : String(all.length)}</span></h2>
${table('Projects', columns, rows)}${
  left > 0
    ? html`<p>${left} more: <a href="${link('/violations', { 'group-by': 'project' })}">all projects with violations</a></p>`
    : nothing
}`
}

/** What the last scan of each project could not confirm. */
function countUnknown(groups: readonly ViolationGroup[]): ReadonlyMap<string, Record<Severity, number>> {
  const found = new Map<string, Record<Severity, number>>()
  for (const { project, state, severity, violations } of groups) {
    if (state !== 'unknown') continue
    const counts = found.get(project) ?? countSeverities([])
    found.set(project, counts)
    counts[severity] += violations
  }
  return found
}

interface TableProject {
  readonly row: StatusRow
  readonly extent: ScanExtent
}

const extents = ['none', 'some', 'all'] as const satisfies readonly ScanExtent[]

function inOrder(a: TableProject, b: TableProject): number {
  const differing = severities.find((severity) => a.row.violations[severity] !== b.row.violations[severity])
  return (
    extents.indexOf(a.extent) - extents.indexOf(b.extent) ||
    (differing === undefined ? 0 : b.row.violations[differing] - a.row.violations[differing])
  )
}

function showCell(
  link: SiteRequest['link'],
  { row, extent, severity, unknown }: TableProject & { readonly severity: Severity; readonly unknown: number },
): Markup {
  const number = row.violations[severity]
  const text = row.run === null ? '?' : showCount(number, extent)
  const shown = html`${text === '0' ? '·' : text}${unknown > 0 && text === '?' ? html` <span class="soft">${unknown} then</span>` : nothing}`
  const kind = text === '?' ? 'n unseen' : 'n'
  if (number + unknown === 0) return cell(severity, shown, kind)
  const state = number === 0 ? 'unknown' : 'open'
  const href = link('/violations', { project: row.project, severity, 'max-severity': severity, state })
  return cell(
    severity,
    html`<a href="${href}">${text === '?' ? shown : html`<b class="${severity}">${shown}</b>`}</a>`,
    kind,
  )
}
