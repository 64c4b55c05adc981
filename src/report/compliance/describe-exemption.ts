import type { ControlEvidence, Exemption, ExemptionKind } from '../../compliance/compliance.ts'
import { formatExpiry } from '../../model/time.ts'
import { showTime } from '../text/show-time.ts'

/** What was done with a violation or a rule, in every format. */
export const exemptionNames = {
  waiver: 'waived',
  acceptance: 'accepted',
  baseline: 'approved with a baseline',
  override: 'overridden',
  rule_off: 'switched off',
  expiry: 'ended by its time limit',
} as const satisfies Record<ExemptionKind, string>

/** `approved with a baseline by eve, 2026-11-24 15:13 UTC: looks fine (baseline of run 5)`. */
export function describeExemption(exemption: Exemption): string {
  const { kind, by, at, until, reason, match } = exemption
  const isOfPolicy = kind === 'override' || kind === 'rule_off'
  const who = by === null ? (isOfPolicy ? ' by the policy' : '') : ` by ${by}`
  const what = isOfPolicy ? ` for ${match ?? (exemption.resource === null ? 'every resource' : 'this resource')}` : ''
  const when = at === null ? '' : `, ${showTime(at)}`
  const end = until === null ? '' : ` until ${formatExpiry(until)}`
  // A policy has no member for a reason: that none is given is said of people.
  const why = reason === null ? (isOfPolicy ? '' : ', no reason given') : `: ${reason}`
  const from = describeSource(exemption)
  return `${exemptionNames[kind]}${who}${what}${when}${end}${why}${from === '' ? '' : ` (${from})`}`
}

/** Where it is written or followed up: `policy.yaml:12, PAY-1`. */
export function describeSource({ configured_at, ticket, kind, run }: Exemption): string {
  const said = [
    ...(kind === 'baseline' ? [run === undefined ? 'baseline from files' : `baseline of run ${run}`] : []),
    ...(configured_at === null ? [] : [`${configured_at.file}:${configured_at.line}`]),
    ...(ticket === undefined ? [] : [ticket]),
  ]
  return said.join(', ')
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
