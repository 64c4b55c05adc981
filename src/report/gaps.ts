import type { EvaluatedRule } from '../model/evaluation.ts'
import type { Report, ReportCoverage } from '../model/report.ts'
import { isListing } from '../model/resource.ts'
import { walksFor } from '../model/walks-for.ts'
import { count } from '../text/count.ts'

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
  return `${count(items, 'item')} in ${count(pages, 'page')}`
}
