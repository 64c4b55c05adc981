import type { Report, ReportCoverage, ReportProject, ReportViolation } from '../../model/report.ts'
import { isOpen, type Severity, severities } from '../../model/violation.ts'
import { count } from '../../text/count.ts'
import { isGap } from '../gaps.ts'
import { showTime } from '../text/show-time.ts'
import { foldRest } from './components/fold.ts'
import { cell, none, table } from './components/table.ts'
import { html, type Markup, nothing } from './markup.ts'
import type { ReportLinks } from './report-links.ts'
import { extentOf, type ScanExtent, showCount } from './scan-extent.ts'

export interface ProjectTableRow {
  readonly project: string
  readonly extent: ScanExtent
  /** By severity, the worst first. */
  readonly open: readonly number[]
  /** Violations that were open when they were last seen. */
  readonly unknown: readonly number[]
  readonly walks: readonly ReportCoverage[]
  readonly notEvaluated: number
  /** Where its name leads; absent: nowhere. */
  readonly href?: string
  /** When it was scanned, ISO 8601 in UTC; absent: in the run of the report. */
  readonly scannedAt?: string
}

const mostShown = 12

/** Projects with open violations or an incomplete scan: what was not scanned comes first, then the worst. */
export function showProjects(report: Report, links?: ReportLinks): Markup {
  const rows = rowsOf(report)
  return showProjectRows(links === undefined ? rows : rows.map((row) => ({ ...row, href: links.project(row.project) })))
}

/** The same of given rows, each project once. */
export function showProjectRows(unsorted: readonly ProjectTableRow[]): Markup {
  const rows = unsorted.toSorted(
    (a, b) =>
      Number(a.extent === 'all') - Number(b.extent === 'all') ||
      compareCounts(b.open, a.open) ||
      (a.project < b.project ? -1 : 1),
  )
  const notable = rows.filter(
    (row) => row.extent !== 'all' || row.notEvaluated > 0 || [...row.open, ...row.unknown].some(Boolean),
  )
  const calm = rows.length - notable.length
  const [first, rest] = [notable.slice(0, mostShown), notable.slice(mostShown)]
  return html`${first.length === 0 ? nothing : showTable(first)}${rest.length === 0 ? nothing : foldRest(`${rest.length} more of ${count(notable.length, 'project')}`, showTable(rest))}${
    calm === 0
      ? nothing
      : html`<p class="soft">${count(calm, first.length === 0 ? 'project' : 'more project')} with a complete scan and no open violation.</p>
`
  }`
}

function rowsOf({ violations, coverage, projects }: Report): ProjectTableRow[] {
  const found = Map.groupBy(violations, ({ project }) => project)
  const walks = Map.groupBy(coverage, ({ project }) => project)
  const evaluated = new Map(projects.map((project) => [project.project, project]))
  return [...new Set([...walks.keys(), ...evaluated.keys(), ...found.keys()])].map((project) =>
    rowOf(project, walks.get(project) ?? [], found.get(project) ?? [], evaluated.get(project)),
  )
}

function rowOf(
  project: string,
  walks: readonly ReportCoverage[],
  found: readonly ReportViolation[],
  evaluated: ReportProject | undefined,
): ProjectTableRow {
  const tally = (isCounted: (violation: ReportViolation) => boolean) => (severity: Severity) =>
    found.filter((violation) => violation.severity === severity && isCounted(violation)).length
  return {
    project,
    // The policy has violations and no walks.
    extent: walks.length === 0 && evaluated === undefined ? 'all' : extentOf(walks),
    open: severities.map(tally(isOpen)),
    unknown: severities.map(tally(({ state }) => state === 'unknown')),
    walks,
    notEvaluated: Object.keys(evaluated?.not_evaluated ?? {}).length,
  }
}

function showTable(rows: readonly ProjectTableRow[]): Markup {
  const columns = [
    { title: 'Project' },
    ...severities.map((severity) => ({ title: capitalised(severity), isNumber: true })),
    { title: 'Scanned' },
  ]
  return table('Open violations by project', columns, rows.map(showRow))
}

function showRow({ project, extent, open, unknown, walks, notEvaluated, href, scannedAt }: ProjectTableRow): Markup {
  const cells = severities.map((severity, at) => showNumber(severity, open[at] ?? 0, unknown[at] ?? 0, extent))
  const name = href === undefined ? html`${project}` : html`<a href="${href}">${project}</a>`
  const when = scannedAt === undefined ? nothing : html` <time datetime="${scannedAt}">${showTime(scannedAt)}</time>`
  return html`<tr><th scope="row">${name}</th>${cells}${cell('Scanned', html`${showScan(extent, walks, notEvaluated)}${when}`)}</tr>
`
}

function showNumber(severity: Severity, open: number, unknown: number, extent: ScanExtent): Markup {
  const then = unknown === 0 ? nothing : html` <span class="soft">(${unknown} then)</span>`
  const shown = showCount(open, extent)
  const number =
    shown === '0'
      ? none
      : shown === '?'
        ? html`<span class="faint">?</span>`
        : html`<b class="${severity}">${shown}</b>`
  return cell(capitalised(severity), html`${number}${then}`, extent !== 'all' && open === 0 ? 'n unseen' : 'n')
}

function showScan(extent: ScanExtent, walks: readonly ReportCoverage[], notEvaluated: number): Markup {
  const gaps = walks.filter(isGap).map(({ listing }) => listing)
  const silent =
    notEvaluated === 0 ? nothing : html`<br><a href="#coverage">${count(notEvaluated, 'rule')} not evaluated</a>`
  if (walks.length === 0 && extent === 'all') return html`<span class="soft">not a project of a service</span>`
  if (extent === 'all') return html`complete${silent}`
  const what = extent === 'none' ? 'not scanned' : `incomplete: ${gaps.join(', ')}`
  return html`<span class="bad">? ${what}</span>${silent}`
}

function capitalised(word: string): string {
  return `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`
}

function compareCounts(a: readonly number[], b: readonly number[]): number {
  for (const [at, number] of a.entries()) if (number !== b[at]) return number - (b[at] ?? 0)
  return 0
}
