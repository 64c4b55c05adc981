import type { Report, ReportViolation } from '../../model/report.ts'
import { wrapProse } from '../../text/columns.ts'
import { acceptedBefore } from '../accepted-before.ts'
import { rulesOf } from '../evaluated-rules.ts'
import { newViolations } from '../scanned-extent.ts'
import type { TextPage } from './page.ts'
import { showAccepted, showEnded, showWaived } from './show-ended.ts'
import { describeSeverities, type GroupOptions, showGroups } from './show-groups.ts'

/** Shows one section in at most so many lines. */
export type ShowSection = (most: number) => string[]

/** The sections about violations: new ones, other active ones, ended, waived and accepted ones. */
export function violationSections(
  report: Report,
  page: TextPage,
): Record<'fresh' | 'others' | 'resolved' | 'waived' | 'accepted', ShowSection> {
  const ofState = (state: ReportViolation['state']) => report.violations.filter((one) => one.state === state)
  const fresh = newViolations(report)
  const fromCauses = !page.full && report.causes.length > 0
  const known = new Set(fresh)
  const others = report.violations.filter(
    (one) => !known.has(one) && one.state !== 'resolved' && one.state !== 'waived',
  )
  const rules = new Map(rulesOf(report).map((rule) => [rule.id, rule]))
  const groupOptions: Omit<GroupOptions, 'most' | 'describe'> = { rules, explained: new Set() }
  return {
    fresh: (most) =>
      section(
        `${fromCauses ? 'New, besides these causes' : 'New'}: ${describeSeverities(fresh, page.at)}`,
        fresh,
        page,
        (heading) => [...heading, ...showGroups(fresh, page, { ...groupOptions, describe: () => '', most: most - 2 })],
      ),
    others: (most) =>
      section(describeOthers(others, fresh.length > 0, page.at), others, page, (heading) => [
        ...heading,
        ...showGroups(others, page, { ...groupOptions, describe: describeAge, most: most - 2 }),
      ]),
    resolved: (most) => showEnded(ofState('resolved'), page, most),
    waived: (most) => showWaived(ofState('waived'), page, most),
    accepted: (most) => showAccepted(acceptedBefore(report), page, most),
  }
}

function section<Entry>(
  title: string,
  entries: readonly Entry[],
  page: TextPage,
  show: (heading: readonly string[]) => string[],
): string[] {
  return entries.length === 0
    ? []
    : ['', ...show(wrapProse(title, page.width).map((line) => page.paint('heading', line)))]
}

function describeOthers(violations: readonly ReportViolation[], areMore: boolean, at: string): string {
  const unknown = violations.filter(({ state }) => state === 'unknown')
  const open = violations.filter(({ state }) => state !== 'unknown')
  const parts = [
    ...(open.length === 0 ? [] : [`${areMore ? 'Open before' : 'Open'}: ${describeSeverities(open, at)}`]),
    ...(unknown.length === 0
      ? []
      : [`Unknown, because the scan did not check them: ${describeSeverities(unknown, at)}`]),
  ]
  return parts.join('. ')
}

function describeAge({ state, first_seen, last_seen }: ReportViolation): string {
  if (state === 'opened') return ''
  return state === 'unknown' ? `last seen ${last_seen.slice(0, 10)}` : `since ${first_seen.slice(0, 10)}`
}
