import { isSilent } from '../../model/gap.ts'
import type { Report, ReportCoverage } from '../../model/report.ts'
import { countSeverities, isOpen, type Severity, severities } from '../../model/violation.ts'
import { count, countEach } from '../../text/count.ts'
import { extentOf, isGap, listingWalks, type ScanExtent, showCount } from '../gaps.ts'
import { showTime } from '../text/show-time.ts'
import { foldRest, type ReportLinks, showInstant } from './components/parts.ts'
import { cell, none, table } from './components/table.ts'
import { html, type Markup } from './markup.ts'

export interface ProjectTableRow {
  readonly project: string
  readonly extent: ScanExtent
  readonly open: Readonly<Record<Severity, number>>
  /** Violations that were open when they were last seen. */
  readonly unknown: Readonly<Record<Severity, number>>
  readonly walks: readonly ReportCoverage[]
  readonly notEvaluated: number
  /** Where it is said what was not evaluated. Default: on the same page. */
  readonly omissionsAt?: string
  /** Where its name leads; absent: nowhere. */
  readonly href?: string | undefined
  /** Where its open violations of a severity, or those that are unknown, are listed; absent: nowhere. */
  readonly listOf?: (severity: Severity, state: 'open' | 'unknown') => string
  /** When it was scanned, ISO 8601 in UTC; null: never; absent: in the run of the report. */
  readonly scannedAt?: string | null
  /** Since when no scan was complete. */
  readonly incompleteSince?: string | null
}

const mostShown = 12

/** Projects of a report with open violations or an incomplete scan, the others counted. */
export function showProjects(report: Report, links?: ReportLinks): Markup {
  const rows = inTableOrder(rowsOf(report)).map((row) => ({ ...row, href: links?.project(row.project) }))
  const isNotable = ({ extent, notEvaluated, open, unknown }: ProjectTableRow) =>
    extent !== 'all' || notEvaluated > 0 || severities.some((severity) => open[severity] + unknown[severity] > 0)
  const notable = rows.filter(isNotable)
  // Neither the policy nor a list of projects is a project.
  const calm = rows.filter((row) => !isNotable(row) && listingWalks(row.walks).length > 0).length
  const [first, rest] = [notable.slice(0, mostShown), notable.slice(mostShown)]
  return html`${first.length !== 0 && projectTable(first)}${rest.length !== 0 && foldRest(`${rest.length} more of ${count(notable.length, 'project')}`, projectTable(rest))}${
    calm !== 0 &&
    html`<p class="soft">${count(calm, first.length === 0 ? 'project' : 'more project')} with a complete scan and no open violation.</p>
`
  }`
}

const extents = ['none', 'some', 'all'] as const satisfies readonly ScanExtent[]

/** What was not scanned comes first, then the worst. */
export function inTableOrder(rows: readonly ProjectTableRow[]): ProjectTableRow[] {
  return rows.toSorted((a, b) => {
    const differing = severities.find((severity) => a.open[severity] !== b.open[severity])
    return (
      extents.indexOf(a.extent) - extents.indexOf(b.extent) ||
      (differing === undefined ? 0 : b.open[differing] - a.open[differing]) ||
      (a.project < b.project ? -1 : 1)
    )
  })
}

/** Projects with their open violations by severity, and how much of each was scanned. */
export function projectTable(rows: readonly ProjectTableRow[]): Markup {
  const columns = [
    { title: 'Project' },
    ...severities.map((title) => ({ title, isNumber: true })),
    { title: 'Scanned' },
  ]
  return table('Projects', columns, rows.map(showRow))
}

function rowsOf({ violations, coverage, projects, gaps }: Report): ProjectTableRow[] {
  const byProject = Map.groupBy(violations, ({ project }) => project)
  const walks = Map.groupBy(coverage, ({ project }) => project)
  const silent = Map.groupBy(gaps.filter(isSilent), ({ project }) => project)
  const evaluated = new Set(projects.map(({ project }) => project))
  return [...new Set([...walks.keys(), ...evaluated, ...byProject.keys()])].map((project) => {
    const [walked, found] = [walks.get(project) ?? [], byProject.get(project) ?? []]
    return {
      project,
      // The policy has violations and no walks.
      extent: walked.length === 0 && !evaluated.has(project) ? 'all' : extentOf(walked),
      open: countSeverities(found.filter(isOpen)),
      unknown: countSeverities(found.filter(({ state }) => state === 'unknown')),
      walks: walked,
      notEvaluated: silent.get(project)?.length ?? 0,
    }
  })
}

function showRow(row: ProjectTableRow): Markup {
  const { project, href } = row
  const name = href === undefined ? html`${project}` : html`<a href="${href}">${project}</a>`
  const cells = severities.map((severity) => showNumber(severity, row))
  return html`<tr data-project="${project}"><th scope="row">${name}</th>${cells}${cell('Scanned', showScan(row))}</tr>
`
}

function showNumber(severity: Severity, { open, unknown, extent, listOf }: ProjectTableRow): Markup {
  const [number, lost] = [open[severity], unknown[severity]]
  const text = showCount(number, extent)
  // In brackets next to a number: they are not among those.
  const then = lost !== 0 && html` <span class="soft">${text === '?' ? `${lost} then` : `(${lost} then)`}</span>`
  const figure = text === '0' ? none : text === '?' ? html`?` : html`<b class="${severity}">${text}</b>`
  const kind = text === '?' ? 'n unseen' : 'n'
  if (number + lost === 0 || listOf === undefined) return cell(severity, html`${figure}${then}`, kind)
  const href = listOf(severity, number === 0 ? 'unknown' : 'open')
  return cell(severity, html`<a href="${href}">${figure}${then}</a>`, kind)
}

function showScan({
  extent,
  walks,
  unknown,
  notEvaluated,
  omissionsAt = '#coverage',
  scannedAt,
  incompleteSince,
}: ProjectTableRow): Markup {
  if (scannedAt === null) return html`never`
  if (walks.length === 0 && extent === 'all') return html`<span class="soft">not a project of a service</span>`
  const when = scannedAt !== undefined && html`${showInstant(scannedAt)} `
  const silent =
    notEvaluated !== 0 && html`<br><a href="${omissionsAt}">${count(notEvaluated, 'rule')} not evaluated</a>`
  if (extent === 'all') return html`${when}complete${silent}`
  const gaps = walks.filter(isGap).map(({ listing }) => listing)
  const what = extent === 'none' ? 'not scanned' : `incomplete: ${gaps.join(', ')}`
  const since =
    incompleteSince !== undefined && incompleteSince !== null && `, not completely since ${showTime(incompleteSince)}`
  const lost = countEach(severities, unknown)
  return html`${when}<span class="bad">? ${what}${since}${lost !== '' && ` (${lost} then)`}</span>${silent}`
}
