import { isCoverageComplete } from '../model/coverage.ts'
import type { EvaluatedRule, ReportProject } from '../model/evaluation.ts'
import type { NoticeCode } from '../model/notice.ts'
import type { Report, ReportCoverage, ReportViolation } from '../model/report.ts'
import { isListing } from '../model/resource.ts'
import { count } from '../model/text/count.ts'
import { walksFor } from '../model/walks-for.ts'

/** The walks that should be complete and are not. */
export function gapsOf(coverage: Report['coverage']): readonly ReportCoverage[] {
  return coverage.filter(isGap)
}

export function isGap({ status }: Pick<ReportCoverage, 'status'>): boolean {
  return status !== 'complete' && status !== 'skipped'
}

/** The walks that a rule needs and that are skipped or not complete: the rule may have missed violations there. */
export function gapsFor<Walk extends Pick<ReportCoverage, 'listing' | 'status'>>(
  { needs }: Pick<EvaluatedRule, 'needs'>,
  walks: readonly Walk[],
): readonly Walk[] {
  return walksFor(needs, walks).filter(({ status }) => status !== 'complete')
}

/** The walks that list resources of projects: neither lists of projects nor filter rows, which belong to subscriptions. */
export function listingWalks<Walk extends { readonly listing?: ReportCoverage['listing'] }>(
  coverage: readonly Walk[],
): readonly Walk[] {
  return coverage.filter(({ listing }) => listing === undefined || isListing(listing))
}

/** Whether a walk showed nothing, so that how many items there are is unknown. Filter rows have no pages. */
export function isUnseen({ status, pages, of }: Pick<ReportCoverage, 'status' | 'pages' | 'of'>): boolean {
  return status !== 'complete' && pages === 0 && of === undefined
}

/** `41`, or `2 of 11`: subscriptions whose filter rows a run read, of those that it listed. */
export function sizeOf({ items, of }: Pick<ReportCoverage, 'items' | 'of'>): number | string {
  return of === undefined ? items : `${items} of ${of}`
}

/** What a walk saw: `3 items in 1 page`, or `filter rows of 5 of 40 subscriptions`, which have no pages. */
export function describeSeen({ items, pages, of }: Pick<ReportCoverage, 'items' | 'pages' | 'of'>): string {
  if (of !== undefined) return `filter rows of ${items} of ${count(of, 'subscription')}`
  return `${count(items, 'resource')} in ${count(pages, 'page')}`
}

/** How much of a project was scanned: all of it, something, or nothing. */
export type ScanExtent = 'all' | 'some' | 'none'

/** No walk at all: nothing was scanned, for readers of some projects too, none of which the run scanned. */
export function extentOf(walks: readonly ReportCoverage[]): ScanExtent {
  if (walks.length === 0) return 'none'
  const tried = walks.filter(({ status }) => status !== 'skipped')
  if (!tried.some(isGap)) return 'all'
  return tried.every((walk) => isGap(walk) && walk.pages === 0) ? 'none' : 'some'
}

/** How much of it could be checked: what was scanned leaves out `unknown` violations that were open before. */
export function checkedExtent(walks: readonly ReportCoverage[], unknown: number): ScanExtent {
  const extent = extentOf(walks)
  return extent === 'all' && unknown > 0 ? 'some' : extent
}

/** A count of open violations where some, all or nothing was scanned: what was not scanned may hide more. */
export function showCount(number: number, extent: ScanExtent): string {
  if (extent === 'all') return String(number)
  return number === 0 ? '?' : `${number}+`
}

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
