import { isRepairable } from '../gateway/repair/repair.ts'
import { isBuiltInRule } from '../model/built-in-rules.ts'
import type { Report, ReportViolation } from '../model/report.ts'
import { quote } from '../model/text/neutralise.ts'
import { isOpen, isOverdue, severities } from '../model/violation.ts'
import { builtInRule } from '../rules/rules.ts'
import { scannedExtent } from './gaps.ts'
import { worstFirst } from './group-by.ts'
import { isShellSafe } from './text/commands.ts'
import { shorten, shortFingerprint } from './text/shorten.ts'

export interface Suggestion {
  readonly command: string
  readonly why: string
}

/** Commands about rules and repairs, together. */
const mostRules = 2

/**
 * Commands that lead on from this report, ready to be copied. `locating`: the options with which they read its history.
 */
export function suggestNext(report: Report, locating: string): Suggestion[] {
  const open = report.violations.filter(isOpen)
  const fresh = open.filter(({ state }) => state === 'opened')
  const important = worstFirst(fresh.length > 0 ? fresh : open)
  // What the commands are about, as long as they can be: its resource, and what else is wrong there.
  const subject = important.find(({ kind }) => kind !== 'policy')
  const repairs = suggestRestore(important, open, { subject, locating })
  return [
    ...suggestRules(important).slice(0, mostRules - repairs.length),
    ...suggestTimeline(report, subject, locating),
    ...repairs,
    ...suggestAccept(important, subject, locating),
    ...suggestList(open, locating),
    ...suggestOverdue(report, open, locating),
    ...suggestWaivers(report, open, locating),
  ]
}

function suggestRules(violations: readonly ReportViolation[]): Suggestion[] {
  const ids = [...new Set(violations.map(({ rule }) => rule))]
  return ids
    .filter((id) => isShellSafe(id) && isBuiltInRule(id))
    .map((id) => ({ command: `hookdrift rules ${id}`, why: 'what it means, and how to fix it' }))
}

/** Where no violation is open, that of something that changed. */
function suggestTimeline({ drift }: Report, subject: ReportViolation | undefined, locating: string): Suggestion[] {
  const resource = subject ?? drift.find(({ change, uid }) => change === 'modified' && isShellSafe(uid))
  if (resource === undefined || !isShellSafe(resource.uid)) return []
  return [{ command: `hookdrift timeline ${resource.uid}${locating}`, why: `the history of ${nameShortly(resource)}` }]
}

function nameShortly({ name, kind }: Pick<ReportViolation, 'name' | 'kind'>): string {
  return name === '' ? `this ${kind}` : quote(shorten(name, 30))
}

/** Without `--rule`, the command restores a resource that drifted, and fixes one that did not. */
function suggestRestore(
  important: readonly ReportViolation[],
  open: readonly ReportViolation[],
  { subject, locating }: { readonly subject: ReportViolation | undefined; readonly locating: string },
): Suggestion[] {
  const repairable = important.filter(({ kind, uid }) => isRepairable(kind) && isShellSafe(uid))
  const ofSubject = repairable.filter((violation) => subject !== undefined && isOfOneResource(violation, subject))
  const repair = findRepair(ofSubject) ?? findRepair(repairable)
  if (repair === undefined) return []
  const { uid, rule } = repair
  const isDrifted = open.some(
    (violation) => violation.uid === uid && builtInRule(violation.rule)?.isRestorable === true,
  )
  const another = ofSubject.includes(repair) ? undefined : nameShortly(repair)
  const why = isDrifted
    ? `prints the requests that put ${another ?? 'it'} back`
    : another === undefined
      ? `prints the fix of ${rule}`
      : `prints a fix for ${another}`
  return [{ command: `hookdrift restore ${uid}${locating}`, why }]
}

function isOfOneResource(a: ReportViolation, b: ReportViolation): boolean {
  return a.project === b.project && a.kind === b.kind && a.uid === b.uid
}

/**
 * One whose rule says that the resource can be put back, or else one with a ready fix. An inactive endpoint is not active
 * for long before its receiver is repaired, and the releases up to v26.6.2 have no request for it.
 */
function findRepair(violations: readonly ReportViolation[]): ReportViolation | undefined {
  return (
    violations.find(({ rule }) => builtInRule(rule)?.isRestorable === true) ??
    violations.find(({ rule }) => rule !== 'endpoint/inactive' && builtInRule(rule)?.fix !== undefined)
  )
}

/** A change that was meant is not put back. What is wrong by itself is mended or waived, however severe it is. */
function suggestAccept(
  important: readonly ReportViolation[],
  subject: ReportViolation | undefined,
  locating: string,
): Suggestion[] {
  const drift = important.filter(({ rule }) => rule.startsWith('drift/'))
  const ofSubject = drift.find((one) => subject !== undefined && isOfOneResource(one, subject))
  const change = ofSubject ?? drift[0]
  if (change === undefined) return []
  const command = `hookdrift accept ${shortFingerprint(change.fingerprint)} --reason TEXT${locating}`
  const what = ofSubject === undefined ? `the change of ${nameShortly(change)}` : 'its change'
  return [{ command, why: `if ${what} was meant` }]
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
