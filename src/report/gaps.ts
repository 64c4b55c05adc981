import type { Report, ReportCoverage, ReportRule } from '../model/report.ts'
import type { Kind, Listing } from '../model/resource.ts'

/** The walks that were to be complete and were not. */
export function gapsOf(coverage: Report['coverage']): readonly ReportCoverage[] {
  return coverage.filter(isGap)
}

export function isGap({ status }: Pick<ReportCoverage, 'status'>): boolean {
  return status !== 'complete' && status !== 'skipped'
}

/** Those of a project's walks that leave the silence of a rule without meaning, not offered or not complete. */
export function gapsFor({ needs }: ReportRule, walks: readonly ReportCoverage[]): readonly ReportCoverage[] {
  return walksFor(needs, walks).filter(({ status }) => status !== 'complete')
}

/** Those of a project's walks that show all there is of some kinds. */
export function walksFor(kinds: Iterable<Kind>, walks: readonly ReportCoverage[]): readonly ReportCoverage[] {
  const listings = new Set([...kinds].map((kind) => listingOf(kind, walks)))
  return walks.filter(({ listing }) => listings.has(listing))
}

/** Where all there is of a kind is listed; sources, where the service does not list them, come with subscriptions. */
function listingOf(kind: Kind, walks: readonly ReportCoverage[]): Listing | undefined {
  switch (kind) {
    case 'project':
      return 'project'
    case 'endpoint':
      return 'endpoints'
    case 'subscription':
    case 'device':
      return 'subscriptions'
    case 'source':
      return walks.some(({ listing, status }) => listing === 'sources' && status !== 'skipped')
        ? 'sources'
        : 'subscriptions'
    case 'probe':
    case 'policy':
      return undefined
  }
}
