import type { ReportCoverage } from '../../model/report.ts'
import { count } from '../../text/count.ts'
import { isGap } from '../gaps.ts'
import { type Case, testCase } from './case.ts'
import { element, text } from './xml.ts'

/** The case of a walk: an error when it was not complete. */
export function walkCase(walk: ReportCoverage): Case {
  const { project, listing, status, reason, filter, items, pages, duration_ms } = walk
  const name = { classname: project, name: `walk ${listing}`, time: (duration_ms / 1000).toFixed(3) }
  const narrowed = filter === null ? '' : `, only those with ${filter}`
  const output = element('system-out', {}, text([`${count(items, 'item')} in ${count(pages, 'page')}${narrowed}`]))
  if (status === 'skipped') return testCase('skipped', name, [element('skipped', { message: reason ?? '' }), output])
  if (!isGap(walk)) return testCase('passed', name, [output])
  return testCase('error', name, [element('error', { message: `${status}: ${reason}`, type: status }), output])
}
