import type { EvaluatedRule } from '../model/evaluation.ts'
import type { Report, ReportCoverage } from '../model/report.ts'
import { isListing } from '../model/resource.ts'
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
