import { formatExpiry } from '../../model/format-expiry.ts'
import type { ReportViolation, Verdict } from '../../model/report.ts'
import { severities } from '../../model/violation.ts'
import { padColumns, widthOf, wrapPieces, wrapProse } from '../../text/columns.ts'
import { count, countEach } from '../../text/count.ts'
import { neutralise } from '../../text/neutralise.ts'
import { firstEntries, showEntries, type TextPage } from './page.ts'
import { shorten, shortenSeals } from './shorten.ts'
import { showResource } from './show-resource.ts'
import { showTime } from './show-time.ts'

/** Open and unknown violations, worst first, then resolved ones, then waived ones with their waivers. */
export function showViolations(violations: readonly ReportViolation[], verdict: Verdict, page: TextPage): string[] {
  const active = worstFirst(violations.filter(({ state }) => state !== 'resolved' && state !== 'waived'))
  const waived = worstFirst(violations.filter(({ state }) => state === 'waived'))
  const resolved = violations.filter(({ state }) => state === 'resolved')
  return ['', ...showActive(active, verdict, page), ...showResolved(resolved, page), ...showWaived(waived, page)]
}

const severityColumn = 'critical'.length
const indent = ' '.repeat(severityColumn + 2)
const widestRule = 40

function worstFirst(violations: readonly ReportViolation[]): ReportViolation[] {
  return severities.flatMap((severity) => violations.filter((violation) => violation.severity === severity))
}

function showActive(active: readonly ReportViolation[], verdict: Verdict, page: TextPage): string[] {
  if (active.length === 0) return [page.coverageComplete ? 'No open violation.' : 'No open violation in what was seen.']
  return [page.paint('heading', `Violations: ${describeCounts(verdict)}`), ...showEach(active, page)]
}

function showWaived(waived: readonly ReportViolation[], page: TextPage): string[] {
  if (waived.length === 0) return []
  const heading = `Waived: ${count(waived.length, 'violation')}, accepted by the policy`
  return ['', page.paint('heading', heading), ...showEach(waived, page)]
}

function showEach(violations: readonly ReportViolation[], page: TextPage): string[] {
  const rules = firstEntries(violations, page).map(({ rule }) => widthOf(neutralise(rule)))
  const column = Math.max(0, ...rules.filter((width) => width <= widestRule))
  return showEntries(violations, page, (violation) => ['', ...showViolation(violation, column, page)])
}

function describeCounts({ violations, unknown }: Verdict): string {
  const open = countEach(severities, violations)
  const parts = [open === '' ? 'none open' : open, ...(unknown === 0 ? [] : [`${unknown} unknown`])]
  return parts.join('; ')
}

export function showViolation(violation: ReportViolation, ruleColumn: number, page: TextPage): string[] {
  const severity = page.paint(violation.severity, violation.severity.padEnd(severityColumn))
  const [message] = shortenSeals(violation.message)
  const where = violation.path === '' ? [] : [`at ${shorten(neutralise(violation.path), 120)}`]
  const width = page.width - indent.length
  return [
    `${severity}  ${padColumns(neutralise(violation.rule), ruleColumn)}  ${describeState(violation)}`,
    ...wrapProse(shorten(neutralise(message), 600), width).map((line) => `${indent}${line}`),
    ...wrapPieces([...showResource(violation), ...where], width).map((line) => page.paint('aside', `${indent}${line}`)),
    ...describeWaiver(violation).flatMap((text) => wrapProse(text, width).map((line) => `${indent}${line}`)),
  ]
}

function describeWaiver({ waiver }: ReportViolation): string[] {
  if (waiver === undefined) return []
  const { owner, reason, expires, ticket } = waiver
  const until = neutralise(formatExpiry(expires))
  const followedUp = ticket === undefined ? '' : ` (${neutralise(ticket)})`
  return [shorten(`accepted by ${neutralise(owner)} until ${until}${followedUp}: ${neutralise(reason)}`, 600)]
}

function describeState({ state, first_seen, last_seen }: ReportViolation): string {
  if (state === 'opened') return 'new'
  if (state === 'resolved') return `until ${showTime(last_seen)}`
  if (state === 'waived') return `waived, since ${showTime(first_seen)}`
  return state === 'unknown' ? `unknown, last seen ${showTime(last_seen)}` : `since ${showTime(first_seen)}`
}

function showResolved(resolved: readonly ReportViolation[], page: TextPage): string[] {
  if (resolved.length === 0) return []
  const showOne = ({ severity, rule, ...resource }: ReportViolation) => {
    const pieces = [`${neutralise(rule)} `, ...showResource(resource)]
    const [first = '', ...rest] = wrapPieces(pieces, page.width - indent.length)
    return [
      `${page.paint('aside', severity.padEnd(severityColumn))}  ${first}`,
      ...rest.map((line) => `${indent}${line}`),
    ]
  }
  return ['', page.paint('heading', `Resolved: ${resolved.length}`), '', ...showEntries(resolved, page, showOne)]
}
