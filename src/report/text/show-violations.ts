import type { Report, ReportViolation } from '../../model/report.ts'
import { formatExpiry } from '../../model/time.ts'
import type { AcceptedViolation } from '../../model/violation.ts'
import { padColumns, widthOf, wrapPieces, wrapProse } from '../../text/columns.ts'
import { count } from '../../text/count.ts'
import { neutralise, quote } from '../../text/neutralise.ts'
import { acceptedBefore } from '../accepted-before.ts'
import { describeDue } from '../describe-due.ts'
import { countEndings, describeEnding, nameEnding } from '../describe-ending.ts'
import { rulesOf } from '../evaluated-rules.ts'
import { newViolations } from '../gaps.ts'
import { worstFirst } from '../group-by.ts'
import { fitEntries, type TextPage } from './page.ts'
import { shorten, shortenSeals, shortFingerprint } from './shorten.ts'
import { describeSeverities, type GroupOptions, showGroups } from './show-groups.ts'
import { showResource } from './show-resource.ts'
import { showTime } from './show-time.ts'

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
  const freshOnes = new Set(fresh)
  const others = report.violations.filter(
    (one) => !freshOnes.has(one) && one.state !== 'resolved' && one.state !== 'waived',
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
      section(describeOthers(others, fresh.length > 0 || fromCauses, page.at), others, page, (heading) => [
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
  // What a first scan of a project found is not known to have been there before.
  const others = open.some(({ state }) => state === 'opened') ? 'Also open' : 'Open before'
  const parts = [
    ...(open.length === 0 ? [] : [`${areMore ? others : 'Open'}: ${describeSeverities(open, at)}`]),
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

/** Each with its ending: fixed, or who or what ended it. */
function showEnded(ended: readonly ReportViolation[], page: TextPage, most: number): string[] {
  if (ended.length === 0) return []
  const heading = shorten(neutralise(`Ended: ${ended.length} (${countEndings(ended)})`), 600)
  const headings = wrapProse(heading, page.width).map((line) => page.paint('heading', line))
  return [
    '',
    ...headings,
    ...fitEntries(ended, page, {
      most: most - 1 - headings.length,
      show: (violation) => showOne(violation, page),
      command: `violations --resolved --since ${page.runNumber}`,
    }),
  ]
}

/** By waiver: who accepted what, until when and why, then the violations. */
function showWaived(waived: readonly ReportViolation[], page: TextPage, most: number): string[] {
  if (waived.length === 0) return []
  const groups = [...Map.groupBy(worstFirst(waived), ({ waiver }) => JSON.stringify(waiver ?? null)).values()]
  return [
    '',
    page.paint('heading', `Waived: ${count(waived.length, 'violation')}, accepted by the policy`),
    ...fitEntries(groups, page, {
      most: most - 2,
      show: (group) => [
        ...(group[0] === undefined ? [] : describeWaiver(group[0])).flatMap((text) =>
          wrapProse(text, page.width - 2).map((line) => `  ${line}`),
        ),
        ...fitEntries(group, page, {
          most: page.full ? Number.POSITIVE_INFINITY : 5,
          show: (violation) => showOne(violation, page),
          command: 'violations --waived',
        }).map((line) => `  ${line}`),
      ],
      command: 'violations --waived',
    }),
  ]
}

/** What people accepted in the history: who, when and why. */
function showAccepted(accepted: readonly AcceptedViolation[], page: TextPage, most: number): string[] {
  if (accepted.length === 0) return []
  return [
    '',
    page.paint('heading', `Accepted before: ${count(accepted.length, 'violation')}, by people`),
    ...fitEntries(accepted, page, {
      most: most - 2,
      show: ({ rule, project, name, uid, reason, by, at }) => {
        const resource = name === '' ? shorten(neutralise(uid), 64) : quote(shorten(name, 60))
        const why = shorten(neutralise(`by ${by}, ${at.slice(0, 10)}: ${reason}`), 300)
        const text = `${neutralise(rule)} of ${neutralise(project)} ${resource}, ${why}`
        return wrapProse(text, page.width - 6).map((line, number) => `${number === 0 ? '  ' : '      '}${line}`)
      },
      command: 'accept --list',
    }),
  ]
}

/** On one line where it fits. */
function showOne({ severity, rule, ...resource }: ReportViolation, page: TextPage): string[] {
  const cause = resource.resolution === null ? [] : [`(${nameEnding(resource)})`]
  const [first = '', ...rest] = wrapPieces([neutralise(rule), ...showResource(resource), ...cause], page.width - 16)
  return [
    `  ${page.paint('aside', padColumns(severity, 'critical'.length))}  ${first}`,
    ...rest.map((line) => `            ${line}`),
  ]
}

const severityColumn = 'critical'.length
const indent = ' '.repeat(severityColumn + 2)

/** A violation of an answer, on lines of its own. `at`: the time that its due date is compared with. */
export function showViolation(violation: ReportViolation, ruleColumn: number, page: TextPage, at = page.at): string[] {
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
