import type { ReportViolation } from '../../model/report.ts'
import { formatExpiry } from '../../model/time.ts'
import { padColumns, widthOf, wrapPieces, wrapProse } from '../../text/columns.ts'
import { neutralise } from '../../text/neutralise.ts'
import { describeDue } from '../describe-due.ts'
import { describeEnding } from '../describe-ending.ts'
import type { TextPage } from './page.ts'
import { shorten, shortenSeals, shortFingerprint } from './shorten.ts'
import { showResource } from './show-resource.ts'
import { showTime } from './show-time.ts'

const severityColumn = 'critical'.length
const indent = ' '.repeat(severityColumn + 2)

/** A violation of an answer, on lines of its own. `at`: the time that its due date is compared with. */
export function showViolation(violation: ReportViolation, ruleColumn: number, page: TextPage, at = ''): string[] {
  const severity = page.paint(violation.severity, violation.severity.padEnd(severityColumn))
  const [message] = shortenSeals(violation.message)
  const where = violation.path === '' ? [] : [`at ${shorten(neutralise(violation.path), 120)}`]
  const whose = violation.owner === null ? [] : [`owner ${shorten(neutralise(violation.owner), 60)}`]
  const named = violation.fingerprint === '' ? [] : [`fingerprint ${shortFingerprint(violation.fingerprint)}`]
  const width = page.width - indent.length
  const due = at === '' ? '' : describeDue(violation, at)
  const rule = neutralise(violation.rule)
  const state = `${describeState(violation)}${due === '' ? '' : `, ${due}`}`
  const isShort = indent.length + Math.max(ruleColumn, widthOf(rule)) + 2 + widthOf(state) <= page.width
  return [
    ...(isShort
      ? [`${severity}  ${padColumns(rule, ruleColumn)}  ${state}`]
      : [`${severity}  ${rule}`, ...wrapProse(state, width).map((line) => `${indent}${line}`)]),
    ...wrapProse(shorten(neutralise(message), 600), width).map((line) => `${indent}${line}`),
    ...wrapPieces([...showResource(violation), ...where, ...whose, ...named], width).map((line) =>
      page.paint('aside', `${indent}${line}`),
    ),
    ...describeWaiver(violation).flatMap((text) => wrapProse(text, width).map((line) => `${indent}${line}`)),
  ]
}

/** Who accepted it, until when and why. */
function describeWaiver({ waiver }: ReportViolation): string[] {
  if (waiver === undefined) return []
  const { owner, reason, expires, ticket } = waiver
  const until = neutralise(formatExpiry(expires))
  const followedUp = ticket === undefined ? '' : ` (${neutralise(ticket)})`
  return [shorten(`accepted by ${neutralise(owner)} until ${until}${followedUp}: ${neutralise(reason)}`, 600)]
}

function describeState(violation: ReportViolation): string {
  const { state, first_seen, last_seen, resolution } = violation
  if (state === 'opened') return 'new'
  if (state === 'resolved') {
    const how = shorten(neutralise(describeEnding(violation)), 600)
    return `${resolution === null ? '' : `${how}, `}last seen ${showTime(last_seen)}`
  }
  if (state === 'waived') return `waived, since ${showTime(first_seen)}`
  return state === 'unknown' ? `unknown, last seen ${showTime(last_seen)}` : `since ${showTime(first_seen)}`
}
