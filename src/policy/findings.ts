import { withoutMarks } from '../model/exact-number.ts'
import type { Kind, ProjectRef, Resource } from '../model/resource.ts'
import type { Finding } from '../model/violation.ts'
import type { RuleFinding } from '../rules/engine/rule.ts'
import type { ActiveRule } from './policy.ts'
import type { Labels } from './selector.ts'
import { type PolicyWaiver, waiverAmong } from './waiver.ts'

/** Waivers by their indexes in the policy's list. */
export type WaiverIndexes = readonly number[]

/** Waivers for violations of some rules. */
export function coveringWaivers(waivers: readonly PolicyWaiver[], rules: readonly string[]): WaiverIndexes {
  return waivers.flatMap(({ covers }, index) => (rules.some((rule) => covers(rule)) ? [index] : []))
}

/** The waivers that match a resource, also for findings that come after it has left memory. */
export function matchingWaivers(
  waivers: readonly PolicyWaiver[],
  among: WaiverIndexes,
  { project, labels, resource }: { readonly project: ProjectRef; readonly labels: Labels; readonly resource: Resource },
): WaiverIndexes {
  return among.filter((index) => waivers[index]?.accepts(project, labels, resource))
}

/**
 * A finding about a resource that some waivers match, with the one that is active at `now`, if any. `used`: the waivers
 * that match the finding, also expired ones.
 */
export function waiveUnder(
  waivers: readonly PolicyWaiver[],
  accepting: WaiverIndexes,
  finding: Finding,
  now: number,
): { readonly finding: Finding; readonly used: WaiverIndexes } {
  const used = accepting.filter((index) => waivers[index]?.covers(finding.rule))
  const waiver = waiverAmong(
    used.flatMap((index) => waivers[index] ?? []),
    now,
  )
  return { finding: waiver === undefined ? finding : { ...finding, waiver: waiver.terms }, used }
}

/** Makes a finding of what a rule returned: adds the rule, the policy's severity and the resource. */
export function stamp(
  { rule, severity }: ActiveRule,
  { kind, uid, name }: { readonly kind: Kind; readonly uid: string; readonly name: string },
  problem: RuleFinding,
): Finding {
  return {
    rule: rule.id,
    severity: severity ?? problem.severity ?? rule.severity,
    kind,
    uid,
    name,
    path: problem.path,
    message: withoutMarks(problem.message),
  }
}
