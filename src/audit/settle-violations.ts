import type { ActiveViolation, Draft, NewViolation } from '../history/history.ts'
import type { Kind, ProjectRef } from '../model/resource.ts'
import { type Finding, fingerprintOf, isAtLeast, type Waiver } from '../model/violation.ts'
import type { PolicyEvaluator } from '../policy/evaluator.ts'
import type { Rule } from '../rules/engine/rule.ts'

/**
 * Confirms what stood and is found again, opens what is new. What stood and was not found is left for the end.
 * Where a rule did not see all that it needs, what stood keeps its words: half a look finds fewer accomplices.
 */
export async function reconcileFindings(
  draft: Draft,
  project: ProjectRef,
  findings: readonly Finding[],
  sawAll: (rule: string) => boolean = () => true,
): Promise<void> {
  for (const [kind, ofKind] of Map.groupBy(findings, ({ kind }) => kind)) {
    const uids = [...new Set(ofKind.map(({ uid }) => uid))]
    const standing = await draft.activeViolations(project, kind, uids)
    const byPlace = new Map(standing.map((violation) => [placeOf(violation), violation]))
    const confirmed: number[] = []
    const violations: NewViolation[] = []
    const settled = new Set<string>()
    for (const finding of ofKind) {
      const place = placeOf(finding)
      if (settled.has(place)) continue
      settled.add(place)
      const known = byPlace.get(place)
      const worded = known === undefined || sawAll(finding.rule) ? finding : keepWorseSeverity(finding, known)
      if (known !== undefined && saysTheSame(known, worded)) confirmed.push(known.id)
      else violations.push(open(project, worded, known))
    }
    await draft.stageViolations(project, { confirmed, violations })
  }
}

export interface ResolutionCriteria<Violation extends Finding = ActiveViolation> {
  readonly evaluator: PolicyEvaluator
  /**
   * Whether a kind was seen well enough for the silence of a rule of this scope to mean something: as far as it was
   * asked for, all there is in the project, all there is anywhere.
   */
  readonly isComplete: Readonly<Record<Rule['scope'], (kind: Kind) => boolean>>
  /** Whether what a violation is about stands and could not be looked at. */
  readonly isUnobserved: (violation: Violation) => boolean
}

/**
 * What stood and was not found again is resolved where the look was good enough to say so, or where the policy does
 * not ask any more. Elsewhere it is unknown: carried, with the run that last saw it and, if it was waived then, with
 * that waiver. Whether it still holds is decided when it is seen again.
 */
export async function resolveUnconfirmed(draft: Draft, project: ProjectRef, ending: ResolutionCriteria): Promise<void> {
  const resolved: number[] = []
  const violations: NewViolation[] = []
  const lastRun = await draft.lastScannedRun(project)
  const failed = ending.evaluator.failuresIn(project)
  for (const standing of await draft.unconfirmedViolations(project)) {
    if (!failed.has(standing.rule) && isResolved(standing, ending)) resolved.push(standing.id)
    else if (standing.state !== 'unknown') {
      violations.push({ ...standing, state: 'unknown', lastRun, replaces: standing.id })
    }
  }
  await draft.endViolations(resolved)
  await draft.stageViolations(project, { confirmed: [], violations })
}

/** Whether the look was good enough to say that what was not found again is gone. */
export function isResolved<Violation extends Finding>(
  violation: Violation,
  { evaluator, isComplete, isUnobserved }: ResolutionCriteria<Violation>,
): boolean {
  const needs = evaluator.needsOf(violation.rule)
  if (needs === undefined) return true
  if (isUnobserved(violation)) return false
  // A rule that compares resources of several kinds says of each what its own walk showed.
  if (needs.scope === 'drift') return isComplete.drift(violation.kind)
  return needs.kinds.every(isComplete[needs.scope])
}

function placeOf({ rule, uid, path }: Finding): string {
  return `${rule}\n${path}\n${uid}`
}

/** A partial scan may under-report: the more severe of the old and the new message stays. */
export function keepWorseSeverity(finding: Finding, { severity, message }: Finding): Finding {
  return isAtLeast(severity, finding.severity) ? { ...finding, severity, message } : finding
}

function saysTheSame(known: ActiveViolation, finding: Finding): boolean {
  return (
    known.state === stateOf(finding) &&
    known.severity === finding.severity &&
    known.message === finding.message &&
    known.name === finding.name &&
    isSameWaiver(known.waiver, finding.waiver)
  )
}

function stateOf({ waiver }: Finding): 'open' | 'waived' {
  return waiver === undefined ? 'open' : 'waived'
}

function isSameWaiver(a: Waiver | undefined, b: Waiver | undefined): boolean {
  return a?.owner === b?.owner && a?.reason === b?.reason && a?.expires === b?.expires && a?.ticket === b?.ticket
}

function open(project: ProjectRef, finding: Finding, known: ActiveViolation | undefined): NewViolation {
  return {
    ...finding,
    fingerprint: known?.fingerprint ?? fingerprintOf(project, finding),
    state: stateOf(finding),
    waiver: finding.waiver,
    firstRun: known?.firstRun,
    lastRun: undefined,
    replaces: known?.id,
  }
}
