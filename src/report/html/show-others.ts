import type { Report, ReportViolation } from '../../model/report.ts'
import type { Resolution } from '../../model/violation.ts'
import { count } from '../../text/count.ts'
import { acceptedRow } from './components/finding-row.ts'
import { fold, rowList } from './components/fold.ts'
import { html, type Markup } from './markup.ts'
import type { PageSection } from './render-page.ts'
import { showViolations } from './show-violations.ts'

/** Violations that are not open, a section for each state. */
export function showOthers({ violations, accepted, run }: Report): PageSection[] {
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
      title: 'Accepted',
      note: 'Accepted by people, until they revoke it. No run reports these.',
      content: rowList(accepted.map((acceptance) => acceptedRow(acceptance, 'accepted'))),
      count: accepted.length,
    },
    { id: 'resolved', title: 'Resolved', content: showResolved(resolved, rows), count: resolved.length },
  ]
  return sections.filter((section) => section.count !== 0)
}

const causes = [
  ['fixed', 'Fixed'],
  ['removed', 'Gone with their resource'],
  [null, 'Cause not recorded'],
  ['policy', 'No longer asked for by the policy'],
  ['accepted', 'Accepted'],
  ['expired', 'Reported for as long as the policy asks'],
] as const satisfies readonly (readonly [Resolution | null, string])[]

/** Resolved violations by cause, fixed and removed ones first. What only the policy changed is one line and a fold. */
function showResolved(
  resolved: readonly ReportViolation[],
  rows: (found: readonly ReportViolation[]) => Markup,
): Markup {
  const groups = causes.flatMap(([cause, title]) => {
    const found = resolved.filter(({ resolution }) => resolution === cause)
    if (found.length === 0) return []
    const summary = html`${title}: ${count(found.length, 'violation')}`
    return [fold(summary, rows(found), cause !== 'policy' && cause !== 'expired')]
  })
  return html`${groups}`
}
