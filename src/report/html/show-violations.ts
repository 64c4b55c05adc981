import type { ReportViolation } from '../../model/report.ts'
import { showOpenTime } from '../../model/time.ts'
import { isOverdue } from '../../model/violation.ts'
import { describeDue } from '../describe-due.ts'
import { showTime } from '../text/show-time.ts'
import { findingRow } from './components/finding-row.ts'
import { rowList } from './components/fold.ts'
import type { Markup } from './markup.ts'
import { anchorOf, type ReportLinks } from './report-links.ts'

/** Violations as rows. */
export function showViolations(
  violations: readonly ReportViolation[],
  {
    at,
    isNamed,
    inFront,
    links,
  }: {
    /** The time of the run, from which ages count. */
    readonly at: string
    /** Whether each row names its severity and rule. */
    readonly isNamed: boolean
    /** How many rows are in front of the fold. */
    readonly inFront?: number
    /** Where names lead, on a page among others. */
    readonly links?: ReportLinks | undefined
  },
): Markup {
  const rows = violations.map((violation) => {
    const anchor = anchorOf('v', violation.fingerprint)
    const due = { text: describeDue(violation, at), isOverdue: isOverdue(violation, Date.parse(at)) }
    return findingRow(violation, { anchor, age: describeAge(violation, at), due, isNamed, links })
  })
  return rowList(rows, inFront)
}

export function describeAge({ state, first_seen, last_seen }: ReportViolation, at: string): string {
  const since = `since ${showTime(first_seen)}`
  if (state === 'opened') return 'new'
  if (state === 'unknown') return `${since}, last seen ${showTime(last_seen)}: unknown now`
  if (state === 'resolved') return `${since}, last seen ${showTime(last_seen)}`
  const age = Date.parse(at) - Date.parse(first_seen)
  return age >= 0 ? `${showOpenTime(age)}, ${since}` : since
}
