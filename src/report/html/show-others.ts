import type { Report, ReportViolation } from '../../model/report.ts'
import { count } from '../../text/count.ts'
import { acceptedBefore } from '../accepted-before.ts'
import { type EndingName, endingNames, nameEnding } from '../describe-ending.ts'
import { acceptedRow } from './components/finding-row.ts'
import { fold, rowList } from './components/fold.ts'
import { html, type Markup } from './markup.ts'
import type { PageSection } from './render-page.ts'
import { showViolations } from './show-violations.ts'

/** Violations that are not open, a section for each state. */
export function showOthers(report: Report): PageSection[] {
  const { violations, run } = report
  const accepted = acceptedBefore(report)
  const inState = (name: ReportViolation['state']) => violations.filter(({ state }) => state === name)
  const rows = (found: readonly ReportViolation[]) => showViolations(found, { at: run.started_at, isNamed: true })
  const [unknown, waived, resolved] = [inState('unknown'), inState('waived'), inState('resolved')]
  const sections: PageSection[] = [
    {
      id: 'unknown',
      title: 'Unknown',
      note: 'Open when last seen, and not checked by this run.',
      content: rows(unknown),
      count: unknown.length,
    },
    {
      id: 'waived',
      title: 'Waived',
      note: 'Accepted by the policy until a date.',
      content: rows(waived),
      count: waived.length,
    },
    {
      id: 'accepted',
      title: 'Accepted before',
      note: 'Accepted by people, until they revoke it. No run counts these.',
      content: rowList(accepted.map((acceptance) => acceptedRow(acceptance, 'accepted'))),
      count: accepted.length,
    },
    { id: 'ended', title: 'Ended', content: showEnded(resolved, rows), count: resolved.length },
  ]
  return sections.filter((section) => section.count !== 0)
}

const titles = {
  fixed: 'Fixed',
  removed: 'Removed with their resource',
  approved: 'Approved with a baseline',
  accepted: 'Accepted by people',
  'switched off': 'Switched off by the policy',
  'no longer required': 'No longer required by the policy',
  expired: 'Expired: reported for as long as the policy asks',
  ended: 'Cause not recorded',
} as const satisfies Record<EndingName, string>

/** Violations that ended, by how: those that are gone first. */
function showEnded(ended: readonly ReportViolation[], rows: (found: readonly ReportViolation[]) => Markup): Markup {
  const groups = Map.groupBy(ended, nameEnding)
  return html`${endingNames.flatMap((name) => {
    const found = groups.get(name) ?? []
    return found.length === 0
      ? []
      : [fold(html`${titles[name]}: ${count(found.length, 'violation')}`, rows(found), true)]
  })}`
}
