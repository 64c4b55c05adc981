import { isOwnRule } from '../../model/own-rules.ts'
import type { Report, ReportViolation } from '../../model/report.ts'
import { isOpen, isOverdue, severities } from '../../model/violation.ts'
import { isRepairable } from '../../repair/repair.ts'
import { ownRule } from '../../rules/rules.ts'
import { padColumns, widthOf } from '../../text/columns.ts'
import { quote } from '../../text/neutralise.ts'
import { worstFirst } from '../group-by.ts'
import { scannedExtent } from '../scanned-extent.ts'
import type { TextPage } from './page.ts'
import { isShellSafe } from './shell-word.ts'
import { shorten, shortFingerprint } from './shorten.ts'

interface Suggestion {
  readonly command: string
  readonly why: string
}

/** Commands that lead on from this report, ready to be copied. None where no command can read its history. */
export function showWhatNext(report: Report, page: TextPage): string[] {
  const { locating } = page
  if (locating === null) return []
  const suggestions = suggest(report, locating)
  if (suggestions.length === 0) return []
  const widest = Math.max(...suggestions.map(({ command }) => widthOf(command)))
  const lines = suggestions.map(({ command, why }) => {
    const line = `  ${padColumns(command, widest)}  ${page.paint('aside', why)}`
    return 4 + widest + widthOf(why) <= page.width ? line : `  ${command}`
  })
  return ['', page.paint('heading', 'What next'), '', ...lines]
}

/** Commands about rules and repairs, together. */
const mostRules = 2

function suggest(report: Report, locating: string): Suggestion[] {
  const open = report.violations.filter(isOpen)
  const fresh = open.filter(({ state }) => state === 'opened')
  const important = worstFirst(fresh.length > 0 ? fresh : open)
  const repairs = suggestRestore(important, open, locating)
  return [
    ...suggestRules(important).slice(0, mostRules - repairs.length),
    ...suggestTimeline(report, important, locating),
    ...repairs,
    ...suggestAccept(important, locating),
    ...suggestList(open, locating),
    ...suggestOverdue(report, open, locating),
    ...suggestWaivers(report, open, locating),
  ]
}

function suggestRules(violations: readonly ReportViolation[]): Suggestion[] {
  const ids = [...new Set(violations.map(({ rule }) => rule))]
  return ids
    .filter((id) => isShellSafe(id) && isOwnRule(id))
    .map((id) => ({ command: `hookdrift rules ${id}`, why: 'what it means, and how to fix it' }))
}

function suggestTimeline({ drift }: Report, important: readonly ReportViolation[], locating: string): Suggestion[] {
  const modified = drift.find(({ change, uid }) => change === 'modified' && isShellSafe(uid))
  const resource = modified ?? important.find(({ kind, uid }) => kind !== 'policy' && isShellSafe(uid))
  if (resource === undefined) return []
  const { name, uid, kind } = resource
  const named = name === '' ? `this ${kind}` : quote(shorten(name, 30))
  return [{ command: `hookdrift timeline ${uid}${locating}`, why: `the history of ${named}` }]
}

/** Without `--rule`, the command restores a resource that drifted, and fixes one that did not. */
function suggestRestore(
  important: readonly ReportViolation[],
  open: readonly ReportViolation[],
  locating: string,
): Suggestion[] {
  const repairable = important.filter(({ kind, uid }) => isRepairable(kind) && isShellSafe(uid))
  const found =
    repairable.find(({ rule }) => ownRule(rule)?.isRestorable === true) ??
    repairable.find(({ rule }) => ownRule(rule)?.fix !== undefined)
  if (found === undefined) return []
  const { uid, rule } = found
  const isDrifted = open.some((violation) => violation.uid === uid && ownRule(violation.rule)?.isRestorable === true)
  const why = isDrifted ? 'prints the requests that put it back' : `prints the fix of ${rule}`
  return [{ command: `hookdrift restore ${uid}${locating}`, why }]
}

/** A change that was meant is not put back. */
function suggestAccept(important: readonly ReportViolation[], locating: string): Suggestion[] {
  const [first] = important.filter(({ kind }) => kind !== 'policy')
  if (first === undefined) return []
  const command = `hookdrift accept ${shortFingerprint(first.fingerprint)} --reason TEXT${locating}`
  return [{ command, why: 'accepts the worst of them, with this value' }]
}

function suggestList(open: readonly ReportViolation[], locating: string): Suggestion[] {
  const worst = severities.find((severity) => open.some((violation) => violation.severity === severity))
  if (worst === undefined) return []
  const least = worst === 'critical' && open.some(({ severity }) => severity === 'high') ? 'high' : worst
  const filter = least === 'info' ? '' : ` --severity ${least}`
  return [{ command: `hookdrift violations --open${filter}${locating}`, why: 'each with its message and owner' }]
}

function suggestOverdue({ run }: Report, open: readonly ReportViolation[], locating: string): Suggestion[] {
  if (!open.some((violation) => isOverdue(violation, Date.parse(run.started_at)))) return []
  return [{ command: `hookdrift violations --overdue --sort due${locating}`, why: 'what is past its due date' }]
}

/** Who begins with many violations accepts them first and fails on new ones. */
function suggestWaivers(
  { coverage, projects }: Report,
  open: readonly ReportViolation[],
  locating: string,
): Suggestion[] {
  if (open.length === 0 || scannedExtent(coverage, projects) !== 'first') return []
  return [
    { command: `hookdrift waivers draft --owner NAME --expires DATE${locating}`, why: 'accepts what is open today' },
  ]
}
