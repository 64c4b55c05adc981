import type { ReportCoverage } from '../model/report.ts'
import { count, countEach } from '../model/text/count.ts'
import { type Severity, severities } from '../model/violation.ts'
import type { Inline, LinkTarget, TableBlock } from './document/blocks.ts'
import { isGap, type ScanExtent, showCount } from './gaps.ts'
import { showTime } from './text/show-time.ts'

export interface ProjectTableRow {
  readonly project: string
  readonly extent: ScanExtent
  readonly open: Readonly<Record<Severity, number>>
  /** Violations that were open when they were last seen. */
  readonly unknown: Readonly<Record<Severity, number>>
  readonly walks: readonly ReportCoverage[]
  readonly notEvaluated: number
  /** Where it is said what was not evaluated. */
  readonly omissionsAt: LinkTarget
  /** Whether it has a page; a project that was never scanned has none. */
  readonly hasPage: boolean
  /** Where its open violations of a severity, or those that are unknown, are listed; absent: nowhere. */
  readonly listOf?: (severity: Severity, state: 'open' | 'unknown') => string
  /** When it was scanned, ISO 8601 in UTC; null: never; absent: in the run of the report. */
  readonly scannedAt?: string | null
  /** Since when no scan was complete. */
  readonly incompleteSince?: string | null
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

/** Projects with their open violations by severity, and how much of each was scanned. `most`: shown before a fold. */
export function projectsTable(rows: readonly ProjectTableRow[], most?: number): TableBlock {
  return {
    kind: 'table',
    name: 'Projects',
    noun: 'project',
    columns: [
      { title: 'Project' },
      ...severities.map((title) => ({ title, kind: 'number' as const })),
      { title: 'Scanned' },
    ],
    rows: rows.map((row) => ({
      cells: [nameOf(row), ...severities.map((severity) => numberOf(severity, row)), scanOf(row)],
      data: { project: row.project },
    })),
    ...(most !== undefined && { most }),
  }
}

function nameOf({ project, hasPage }: ProjectTableRow): Inline {
  return hasPage ? { text: project, to: { project } } : project
}

/** In brackets next to a number: those that were open when last seen are not among it. */
function numberOf(severity: Severity, { open, unknown, extent, listOf }: ProjectTableRow): Inline {
  const [number, lost] = [open[severity], unknown[severity]]
  const shown = showCount(number, extent)
  const said = lost === 0 ? shown : `${shown} ${shown === '?' ? `${lost} then` : `(${lost} then)`}`
  if (number + lost === 0 || listOf === undefined) return said
  return { text: said, to: { href: listOf(severity, number === 0 ? 'unknown' : 'open') } }
}

function scanOf({ extent, walks, scannedAt, incompleteSince, ...row }: ProjectTableRow): Inline {
  if (scannedAt === null) return 'never'
  if (walks.length === 0 && extent === 'all') return 'not a project of a service'
  const when = scannedAt === undefined ? [] : [{ instant: scannedAt }, ' ']
  const silent =
    row.notEvaluated === 0
      ? []
      : [', ', { text: `${count(row.notEvaluated, 'rule')} not evaluated`, to: row.omissionsAt }]
  if (extent === 'all') return [...when, 'complete', ...silent]
  const gaps = walks.filter(isGap).map(({ listing }) => listing)
  const what = extent === 'none' ? 'not scanned' : `incomplete: ${gaps.join(', ')}`
  const since = incompleteSince ? `, not completely since ${showTime(incompleteSince)}` : ''
  const lost = countEach(severities, row.unknown)
  return [...when, { strong: `? ${what}${since}${lost === '' ? '' : ` (${lost} then)`}` }, ...silent]
}
