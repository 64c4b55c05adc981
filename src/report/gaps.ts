import type { Report, ReportCoverage, ReportRule } from '../model/report.ts'
import { walksFor } from '../model/walks-for.ts'

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
