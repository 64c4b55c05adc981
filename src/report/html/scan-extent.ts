import { countUnsureRules } from '../../model/gap.ts'
import type { Report, ReportCoverage } from '../../model/report.ts'
import { isGap } from '../gaps.ts'

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

/** How much of it a run could check: its rules may have missed something in what was scanned. */
export function checkedExtentOf(report: Pick<Report, 'coverage' | 'gaps' | 'verdict'>): ScanExtent {
  return checkedExtent(report.coverage, report.verdict.unknown + countUnsureRules(report.gaps))
}

/** A count of open violations where some, all or nothing was scanned: what was not scanned may hide more. */
export function showCount(number: number, extent: ScanExtent): string {
  if (extent === 'all') return String(number)
  return number === 0 ? '?' : `${number}+`
}
