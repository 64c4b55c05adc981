import type { ViolationGroup } from '../../history/sql/first-violations.ts'
import { countSeverities, type Severity } from '../../model/violation.ts'
import type { StatusRow } from '../../questions/status.ts'
import type { Answer } from '../../report/answer.ts'
import { html, type Markup, nothing } from '../../report/html/markup.ts'
import { extentOf } from '../../report/html/scan-extent.ts'
import { inTableOrder, type ProjectTableRow, projectTable } from '../../report/html/show-projects.ts'
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
  const all = inTableOrder(
    status.rows.map(({ project, run, at, incomplete_since, violations }): ProjectTableRow => {
      const own = walks.get(project) ?? []
      return {
        project,
        extent: extentOf(own),
        open: violations,
        unknown: unknown.get(project) ?? countSeverities([]),
        walks: own,
        notEvaluated: 0,
        // A project that was never scanned has no page.
        href: run === null ? undefined : link(paths.project(project)),
        listOf: (severity, state) => link('/violations', { project, severity, 'max-severity': severity, state }),
        scannedAt: at,
        incompleteSince: incomplete_since,
      }
    }),
  )
  const shown = all.slice(0, mostProjects)
  const left = all.length - shown.length
  return html`<h2 id="projects">Projects <span class="count">${left > 0 ? `${shown.length} of ${all.length}, the worst first` : String(all.length)}</span></h2>
${projectTable(shown)}${
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
