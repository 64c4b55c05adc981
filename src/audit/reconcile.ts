import { type EndedBy, type Ending, fixed, removed } from '../model/ending.ts'
import { type Kind, resourceKey } from '../model/resource.ts'
import { type Finding, isAtLeast, type Waiver } from '../model/violation.ts'
import type { RuleNeeds } from '../policy/policy.ts'
import type { RuleSwitch } from '../policy/rule-switch.ts'
import type { Rule } from '../rules/engine/rule.ts'
import { byPolicy } from './policy-endings.ts'

/** A violation that was not resolved when the run began. */
export interface ReconcilableViolation extends Finding {
  readonly state: 'open' | 'unknown' | 'waived'
}

/** A finding and its name within a project. */
export interface KeyedFinding {
  readonly key: string
  readonly finding: Finding
}

/** What decides what the silence of a rule means, as far as a scan shows. */
export interface ScanCriteria {
  /** Of the rules that the policy has on. */
  readonly needs: RuleNeeds
  /**
   * Whether a kind was seen well enough for the silence of a rule of this scope to mean something: as far as it was
   * asked for, all there is in the project, all there is anywhere.
   */
  readonly isComplete: Readonly<Record<Rule['scope'], (kind: Kind) => boolean>>
  /** Whether a rule failed: its silence means nothing. */
  hasFailed(rule: string): boolean
  /** Whether a rule across resources could not read all of them. */
  isInDoubt(rule: string): boolean
  /** Whether what a violation is about still exists and was not seen, or could not be evaluated. */
  isUnobserved(violation: Finding): boolean
  /** Violations that end with any scan, by key, and why. */
  readonly endings: ReadonlyMap<string, Ending>
  /** Whether the resource was removed. */
  isRemoved(violation: Finding): boolean
  /** The approval of a state of the project that has what the violation is about. */
  approvedBy?(violation: Finding): EndedBy | undefined
  /** How one ended that is not mended although its rule, which is on, is silent; undefined: it is mended. */
  endingOf?(violation: Finding): Ending | undefined
}

/** With what only the resources and the policy of the run show. */
export interface Criteria extends ScanCriteria {
  /** Whether the policy has the rule on for what a violation is about, and what in it decides that. */
  switchOf(violation: Finding): RuleSwitch
}

export interface ConfirmedViolation<Violation> {
  readonly violation: Violation
  /** As it is said from now on. */
  readonly finding: Finding
  /** Whether nothing about it differs from what the history says. */
  readonly isUnchanged: boolean
}

export interface EndedViolation<Violation> {
  readonly violation: Violation
  readonly ending: Ending
}

export interface Reconciliation<Violation> {
  /** Found again. */
  readonly confirmed: readonly ConfirmedViolation<Violation>[]
  readonly opened: readonly KeyedFinding[]
  /** Ended, and why. */
  readonly resolved: readonly EndedViolation<Violation>[]
  /** Not found again, and whether they still hold cannot be said. */
  readonly unknown: readonly Violation[]
}

/** The same rule at the same path of the same resource: however a finding is worded or rated, it is the same one. */
export function keyed(finding: Finding): KeyedFinding {
  return { finding, key: keyOf(finding) }
}

export function keyOf(finding: Pick<Finding, 'rule' | 'path' | 'kind' | 'uid'>): string {
  return `${finding.rule}\n${finding.path}\n${resourceKey(finding)}`
}

export function byKey<Violation extends Finding>(violations: Iterable<Violation>): ReadonlyMap<string, Violation> {
  return new Map(Array.from(violations, (violation) => [keyOf(violation), violation]))
}

/**
 * Decides what becomes of the active violations of a project, and what is new. `active`: by key; of several findings
 * with one key the first counts.
 */
export function reconcile<Violation extends ReconcilableViolation>(
  active: ReadonlyMap<string, Violation>,
  findings: Iterable<KeyedFinding>,
  criteria: Criteria,
): Reconciliation<Violation> {
  const confirmed: ConfirmedViolation<Violation>[] = []
  const opened: KeyedFinding[] = []
  const resolved: EndedViolation<Violation>[] = []
  const unknown: Violation[] = []
  const fingerprints = new Set<string>()
  for (const each of findings) {
    const { key, finding } = each
    if (fingerprints.has(key)) continue
    fingerprints.add(key)
    const violation = active.get(key)
    if (violation === undefined) {
      opened.push(each)
      continue
    }
    const rated = sawAll(finding.rule, criteria) ? finding : keepWorseSeverity(finding, violation)
    const { severity, waiver } = violation
    const worded = finding.isTentative === true ? { ...rated, severity, waiver } : rated
    confirmed.push({ violation, finding: worded, isUnchanged: saysTheSame(violation, worded) })
  }
  for (const [key, violation] of active) {
    if (fingerprints.has(key)) continue
    const ending = criteria.endings.get(key) ?? decideSilence(violation, criteria)
    if (ending === undefined) unknown.push(violation)
    else resolved.push({ violation, ending })
  }
  return { confirmed, opened, resolved, unknown }
}

export function stateOf({ waiver }: Finding): 'open' | 'waived' {
  return waiver === undefined ? 'open' : 'waived'
}

/** Whether the scan was good enough to say that what was not found again is gone, or that the policy no longer asks. */
function hasEnded(violation: Finding, criteria: Criteria): boolean {
  const needs = criteria.needs.get(violation.rule)
  // Of what is gone, only a comparison with an approved state has more to say.
  if (needs !== undefined && needs.scope !== 'drift' && criteria.isRemoved(violation)) return true
  if (criteria.hasFailed(violation.rule)) return false
  if (needs === undefined) return true
  if (criteria.isUnobserved(violation)) return false
  // A rule that compares resources of several kinds says of each what its own walk showed.
  if (needs.scope === 'drift') return criteria.isComplete.drift(violation.kind)
  return needs.kinds.every(criteria.isComplete[needs.scope])
}

/** What the silence of a rule that is on says of a finding: how it ended; undefined: nothing. */
export function decideSilence(finding: Finding, criteria: Criteria): Ending | undefined {
  return hasEnded(finding, criteria) ? endingOf(finding, criteria) : undefined
}

/**
 * What the policy has off for the resource now is not mended, regardless of what else changed in it. Nor is what a rule
 * about one resource no longer finds because the policy asks for less.
 */
function endingOf(violation: Finding, criteria: Criteria): Ending {
  const needs = criteria.needs.get(violation.rule)
  if (needs === undefined) return byPolicy(criteria.switchOf(violation))
  const approval = criteria.approvedBy?.(violation)
  if (approval !== undefined) return { resolution: 'accepted', ended_by: approval }
  if (criteria.isRemoved(violation)) return removed
  const decided = criteria.switchOf(violation)
  if (decided.isOff) return byPolicy(decided)
  return criteria.endingOf?.(violation) ?? fixed
}

/** Whether a rule across resources saw all that it needs. */
function sawAll(rule: string, { needs, isComplete, isInDoubt }: Criteria): boolean {
  const { scope = 'resource', kinds = [] } = needs.get(rule) ?? {}
  if (scope !== 'project' && scope !== 'fleet') return true
  return !isInDoubt(rule) && kinds.every(isComplete[scope])
}

/** A partial scan may find fewer of the resources that a violation names: it keeps the worse of its words. */
function keepWorseSeverity(finding: Finding, { severity, message }: Finding): Finding {
  return isAtLeast(severity, finding.severity) ? { ...finding, severity, message } : finding
}

function saysTheSame(violation: ReconcilableViolation, finding: Finding): boolean {
  return (
    violation.state === stateOf(finding) &&
    violation.severity === finding.severity &&
    violation.message === finding.message &&
    violation.name === finding.name &&
    isSameWaiver(violation.waiver, finding.waiver)
  )
}

function isSameWaiver(a: Waiver | undefined, b: Waiver | undefined): boolean {
  return a?.owner === b?.owner && a?.reason === b?.reason && a?.expires === b?.expires && a?.ticket === b?.ticket
}
