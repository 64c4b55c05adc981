import type { EvaluatedRule } from '../../model/evaluation.ts'
import type { ReportCoverage, ReportProject, ReportViolation } from '../../model/report.ts'
import { formatExpiry } from '../../model/time.ts'
import { isOpen, type Waiver } from '../../model/violation.ts'
import { count } from '../../text/count.ts'
import { cut } from '../../text/neutralise.ts'
import { describeDue } from '../describe-due.ts'
import { describeEnding, nameEnding } from '../describe-ending.ts'
import { countEvaluated } from '../evaluated-rules.ts'
import { gapsFor } from '../gaps.ts'
import { type Case, testCase } from './case.ts'
import { element, text } from './xml.ts'

/** A rule in a project: what it evaluated there and its violations. */
export interface RuleCaseInput {
  readonly project: string
  readonly rule: EvaluatedRule
  readonly violations: readonly ReportViolation[]
  readonly walks: readonly ReportCoverage[]
  /** undefined for runs older than this record. */
  readonly stats: ReportProject | undefined
  /** When the run began: ISO 8601 in UTC. */
  readonly at: string
}

/** Fails for violations that fail the run; is skipped for unknown and waived ones; passes otherwise. */
export function ruleCase(input: RuleCaseInput, fails: (violation: ReportViolation) => boolean): Case {
  const { project, rule, violations, at } = input
  const failing = violations.filter(fails)
  const [worst] = failing
  const others = violations
    .filter((violation) => !failing.includes(violation))
    .flatMap((violation) => describeWithWaiver(violation, at))
  const output = element('system-out', {}, text([describeEvaluated(input), ...others]))
  const name = { classname: project, name: rule.id }
  if (worst !== undefined) {
    const message = `${count(failing.length, 'open violation')}, the worst ${worst.severity}: ${rule.title}`
    const failure = element(
      'failure',
      { message, type: worst.severity },
      text(failing.map((violation) => describeViolation(violation, at))),
    )
    return testCase('failed', name, [failure, output])
  }
  const skipped = whySkipped(input)
  if (skipped === undefined) return testCase('passed', name, [output])
  return testCase('skipped', name, [element('skipped', { message: skipped }), output])
}

/** undefined when the rule evaluated everything and only milder violations are open. */
function whySkipped({ rule, violations, walks, stats }: RuleCaseInput): string | undefined {
  const reasons = gapsFor(rule, walks).map(({ listing, status }) => `the walk of ${listing} is ${status}`)
  const unknown = violations.filter(({ state }) => state === 'unknown')
  if (unknown.length > 0) reasons.unshift(`${count(unknown.length, 'violation')} not checked`)
  const notEvaluated = stats?.not_evaluated[rule.id]
  if (notEvaluated !== undefined) reasons.push(notEvaluated)
  // No walk covers probes: where none ran, the result is unknown.
  else if (rule.kind === 'probe' && stats !== undefined && countEvaluated(rule, stats) === 0)
    reasons.push('no probe ran')
  if (reasons.length > 0) return `unknown: ${reasons.join('; ')}`
  const waived = violations.filter(({ state }) => state === 'waived')
  if (waived.length === 0 || violations.some(isOpen)) return undefined
  return [...new Set(waived.map(({ waiver }) => (waiver === undefined ? 'waived' : describeWaiver(waiver))))].join('; ')
}

function describeEvaluated({ rule, stats }: RuleCaseInput): string {
  return stats === undefined
    ? 'the run has no record of what it evaluated'
    : `evaluated ${count(countEvaluated(rule, stats), rule.kind)}`
}

/** Severity, uid, message, state and due date. */
function describeViolation(violation: ReportViolation, at: string): string {
  const { severity, uid, message, state, first_seen, last_seen } = violation
  const since = state === 'continuing' ? ` since ${first_seen}` : state === 'unknown' ? `, last seen ${last_seen}` : ''
  const due = describeDue(violation, at)
  const word = state === 'resolved' ? nameEnding(violation) : state
  return `${severity} ${cut(uid, 200)} ${cut(message)} (${word}${since}${due === '' ? '' : `, ${due}`})`
}

function describeWithWaiver(violation: ReportViolation, at: string): string[] {
  const { waiver, ended_by: by } = violation
  return [
    describeViolation(violation, at),
    ...(waiver === undefined ? [] : [`  ${describeWaiver(waiver)}`]),
    ...(by === null ? [] : [`  ${cut(describeEnding(violation), 1200)}`]),
  ]
}

function describeWaiver({ owner, reason, expires, ticket }: Waiver): string {
  const inTicket = ticket === undefined ? '' : ` (${cut(ticket, 200)})`
  return `waived by ${cut(owner, 200)} until ${formatExpiry(expires)}: ${cut(reason, 1000)}${inTicket}`
}
