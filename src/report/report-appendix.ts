import { isSilent } from '../model/gap.ts'
import type { Report, ReportCoverage } from '../model/report.ts'
import { count } from '../model/text/count.ts'
import { countSeverities, isOpen, severities } from '../model/violation.ts'
import { type Block, type Inline, section, type TableBlock, text } from './document/blocks.ts'
import { extentOf, isGap, isUnseen, listingWalks, sizeOf } from './gaps.ts'
import { inTableOrder, type ProjectTableRow, projectsTable } from './projects-table.ts'
import { showTime } from './text/show-time.ts'

const mostShown = 12

/** Projects of a report with open violations or an incomplete scan, the others counted. */
export function projectsOf(report: Report): readonly Block[] {
  const rows = inTableOrder(rowsOf(report))
  const isNotable = ({ extent, notEvaluated, open, unknown }: ProjectTableRow) =>
    extent !== 'all' || notEvaluated > 0 || severities.some((severity) => open[severity] + unknown[severity] > 0)
  const notable = rows.filter(isNotable)
  // Neither the policy nor a list of projects is a project.
  const calm = rows.filter((row) => !isNotable(row) && listingWalks(row.walks).length > 0).length
  const which = count(calm, notable.length === 0 ? 'project' : 'more project')
  return [
    ...(notable.length === 0 ? [] : [projectsTable(notable, mostShown)]),
    ...(calm === 0 ? [] : [text(`${which} with a complete scan and no open violation.`, 'aside')]),
  ]
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
      omissionsAt: { anchor: 'limits' },
      hasPage: true,
    }
  })
}

/** What each walk proved: those that are not complete first. */
export function coverageOf({ coverage }: Report): readonly Block[] {
  const [missing, others] = [coverage.filter(isGap), coverage.filter((walk) => !isGap(walk))]
  return [
    ...section(4, count(missing.length, 'incomplete listing'), tableOf('Incomplete listings', missing), {
      isFolded: true,
    }),
    ...section(4, describeRead(others), tableOf('Other listings', others), { isFolded: true }),
  ]
}

/** `12 listings complete, 76 resources; 3 skipped`. */
function describeRead(walks: readonly ReportCoverage[]): string {
  const complete = walks.filter(({ status }) => status === 'complete')
  const items = listingWalks(complete).reduce((sum, walk) => sum + walk.items, 0)
  const skipped = walks.length - complete.length
  const read = `${count(complete.length, 'listing')} complete, ${count(items, 'resource')}`
  return skipped === 0 ? read : `${read}; ${skipped} skipped, which the service does not offer`
}

const numbers = ['Resources', 'Pages', 'Requests', 'Retries', 'Time']

function tableOf(name: string, walks: readonly ReportCoverage[]): readonly TableBlock[] {
  if (walks.length === 0) return []
  return [
    {
      kind: 'table',
      name,
      columns: [
        { title: 'Project' },
        { title: 'Listing' },
        { title: 'Status', kind: 'text' },
        ...numbers.map((title) => ({ title, kind: 'number' as const })),
      ],
      rows: walks.map((walk) => ({
        cells: cellsOf(walk),
        data: { project: walk.project, listing: walk.listing, status: walk.status },
      })),
    },
  ]
}

function cellsOf(walk: ReportCoverage): readonly Inline[] {
  const { project, listing, status, reason, filter, oldest_at: oldest } = walk
  const facts = [
    ...(reason === null ? [] : [reason]),
    ...(filter === null ? [] : [`only ${filter}`]),
    ...(oldest ? [`oldest read ${showTime(oldest)}`] : []),
  ]
  const said = `${isGap(walk) ? '? ' : ''}${status}`
  return [
    project,
    listing,
    [{ strong: said }, ...facts.map((fact) => `; ${fact}`)],
    isUnseen(walk) ? '?' : String(sizeOf(walk)),
    String(walk.pages),
    String(walk.requests),
    String(walk.retries),
    `${walk.duration_ms} ms`,
  ]
}
