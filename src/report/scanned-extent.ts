import { isCoverageComplete } from '../model/coverage.ts'
import type { ReportProject } from '../model/evaluation.ts'
import type { NoticeCode } from '../model/notice.ts'
import type { Report, ReportCoverage, ReportViolation } from '../model/report.ts'
import { count } from '../text/count.ts'
import { listingWalks } from './gaps.ts'

type ScannedWalk = Pick<ReportCoverage, 'project' | 'status' | 'pages'> & {
  readonly listing?: ReportCoverage['listing']
}

/**
 * What a run can say about drift: `nothing` was scanned, everything it scanned was scanned for the `first` time, or it
 * was `compared` with earlier scans.
 */
export type ScannedExtent = 'nothing' | 'first' | 'compared'

export function scannedExtent(
  coverage: readonly ScannedWalk[],
  projects: readonly Pick<ReportProject, 'project' | 'not_compared'>[] = [],
): ScannedExtent {
  const walks = coverage.filter(({ status }) => status !== 'skipped')
  const scanned = listingWalks(walks).filter(({ status, pages }) => status === 'complete' || pages > 0)
  if (coverage.length === 0 || (walks.length > 0 && scanned.length === 0)) return 'nothing'
  const isFirst = firstWalks(projects)
  return scanned.length > 0 && scanned.every(isFirst) ? 'first' : 'compared'
}

const uncompared: ReadonlySet<NoticeCode> = new Set(['seal_key_changed', 'normal_form_changed'])

/** Whether all that was scanned before was compared with it: secrets under another key are not. */
export function isAllCompared(notices: readonly { readonly code: NoticeCode }[]): boolean {
  return !notices.some(({ code }) => uncompared.has(code))
}

/** The sentence for a report without drift. It never says "nothing changed" about what was not scanned or compared. */
export function describeNoDrift(report: Pick<Report, 'coverage' | 'projects' | 'notices'>): string {
  const extent = scannedExtent(report.coverage, report.projects)
  if (extent === 'nothing') return 'Drift is unknown: nothing was scanned.'
  if (extent === 'first') return ''
  if (!isAllCompared(report.notices)) return 'Nothing changed since the last complete scan, in what could be compared.'
  const limits = isCoverageComplete(report.coverage) ? '' : ', in what was scanned'
  return `Nothing changed since the last complete scan${limits}.`
}

/** Which projects the run scanned for the first time, and what that means; empty when there are none. */
export function describeFirstScans({ coverage, projects }: Pick<Report, 'coverage' | 'projects'>): string {
  const first = firstScannedProjects({ coverage, projects })
  const recorded = projects.filter(({ project }) => first.has(project))
  if (recorded.length === 0) return ''
  const resources = recorded
    .flatMap((project) => Object.values(project.resources))
    .reduce((sum, number) => sum + number, 0)
  const names = recorded.map(({ project }) => project)
  const isAll = scannedExtent(coverage, projects) === 'first'
  const whose = isAll ? '' : ` of ${names.length > 3 ? count(names.length, 'project') : names.join(', ')}`
  return `First scan${whose}: ${count(resources, 'resource')} recorded. From now on changes are reported.`
}

/** Names of the projects of which everything was scanned for the first time: there, every violation is new. */
export function firstScannedProjects({ coverage, projects }: Pick<Report, 'coverage' | 'projects'>): Set<string> {
  const byProject = Map.groupBy(coverage, ({ project }) => project)
  return new Set(
    projects.flatMap(({ project }) =>
      scannedExtent(byProject.get(project) ?? [], projects) === 'first' ? [project] : [],
    ),
  )
}

/** Whether everything that the run scanned was scanned for the first time: there was nothing to compare with. */
export function isFirstScan({ run, coverage, projects }: Pick<Report, 'run' | 'coverage' | 'projects'>): boolean {
  return run.number === 1 || scannedExtent(coverage, projects) === 'first'
}

/**
 * Violations that this run opened. In a project that was never scanned before everything is new, so none of its
 * violations is singled out.
 */
export function newViolations(report: Report): readonly ReportViolation[] {
  if (isFirstScan(report)) return []
  const first = firstScannedProjects(report)
  return report.violations.filter(({ state, project }) => state === 'opened' && !first.has(project))
}

function firstWalks(
  projects: readonly Pick<ReportProject, 'project' | 'not_compared'>[],
): (walk: ScannedWalk) => boolean {
  const first = new Map(projects.map(({ project, not_compared = [] }) => [project, new Set<string>(not_compared)]))
  return ({ project, listing }) => listing !== undefined && first.get(project)?.has(listing) === true
}
