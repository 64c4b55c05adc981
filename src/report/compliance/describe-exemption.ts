import { describeDecision, describePosition } from '../describe-ending.ts'
import type { ControlEvidence, Exemption } from './compliance.ts'

/** That a person gave no reason is said to an auditor. */
export function describeExemption(exemption: Exemption): string {
  const { by, reason } = exemption
  return describeDecision({ ...exemption, reason: by === null ? reason : (reason ?? 'no reason given') })
}

/** Where it is written or followed up: `policy.yaml:12, PAY-1`. */
export function describeSource(exemption: Exemption): string {
  const { ticket, kind, run } = exemption
  const said = [
    ...(kind === 'baseline' ? [run === undefined ? 'baseline from files' : `baseline of run ${run}`] : []),
    describePosition(exemption),
    ticket,
  ]
  return said.filter((one) => one !== undefined).join(', ')
}

/** Exemptions of one rule that were decided together: a waiver of many violations is one decision. */
export interface ExemptionGroup {
  readonly exemption: Exemption
  /** What is exempt, in the order of the report; empty for a rule. */
  readonly resources: readonly NonNullable<Exemption['resource']>[]
  /** The controls that it concerns, in the order of the framework. */
  readonly controls: readonly string[]
}

/** All exemptions of a report, each once. */
export function groupExemptions(controls: readonly ControlEvidence[]): readonly ExemptionGroup[] {
  const all = controls.flatMap(({ id, exemptions }) => exemptions.map((exemption) => ({ id, exemption })))
  const groups = Map.groupBy(all, ({ exemption }) => JSON.stringify([exemption.rule, describeExemption(exemption)]))
  return [...groups.values()].flatMap((alike) => {
    const [first] = alike
    if (first === undefined) return []
    const byViolation = new Map(alike.map(({ exemption }) => [exemption.fingerprint, exemption.resource]))
    return [
      {
        exemption: first.exemption,
        resources: [...byViolation.values()].flatMap((resource) => resource ?? []),
        controls: [...new Set(alike.map(({ id }) => id))],
      },
    ]
  })
}
