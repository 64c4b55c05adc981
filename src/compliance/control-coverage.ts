import type { Report, ReportCoverage } from '../model/report.ts'
import type { Kind } from '../model/resource.ts'
import { walksFor } from '../model/walks-for.ts'
import type { ControlCoverage } from './compliance.ts'

/** How well the run observed the kinds that a control's rules evaluate. */
export function coverageOf(kinds: ReadonlySet<Kind>, { coverage }: Pick<Report, 'coverage'>): ControlCoverage {
  const byProject = [...Map.groupBy(coverage, ({ project }) => project)]
  // Of projects that a list did not show, nothing is known, for any rule.
  const lists = kinds.size === 0 ? [] : coverage.filter((walk) => walk.listing === 'projects' && isGap(walk))
  const shown = [...lists, ...byProject.flatMap(([, walks]) => walksFor(kinds, walks))]
  return {
    walks: shown.length,
    complete: shown.length - shown.filter(isGap).length,
    pages: sum(shown.map(({ pages }) => pages)),
    items: sum(shown.map(({ items }) => items)),
    duration_ms: sum(shown.map(({ duration_ms }) => duration_ms)),
    gaps: [
      ...shown.filter(isGap).map(({ project, listing, status, reason }) => ({ project, listing, status, reason })),
      ...(kinds.has('project') ? byProject.flatMap(([project, walks]) => notRequested(project, walks)) : []),
    ],
  }
}

/**
 * A project whose settings the configuration does not request: rules about them evaluate nothing. A service's list of
 * projects is not one of them: it has no settings.
 */
function notRequested(project: string, walks: readonly ReportCoverage[]): ControlCoverage['gaps'] {
  if (walks.some(({ listing }) => listing === 'project' || listing === 'projects')) return []
  return [{ project, listing: 'project', status: 'skipped', reason: 'the configuration does not request it' }]
}

function isGap({ status }: ReportCoverage): boolean {
  return status !== 'complete'
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
