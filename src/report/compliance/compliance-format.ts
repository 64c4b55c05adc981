import type { Compliance, ControlState } from '../../compliance/compliance.ts'
import { describeNotEvaluated } from '../describe-not-evaluated.ts'
import type { RenderOptions } from '../report-format.ts'

/** A format of a compliance report: a pure function of it that returns whole lines. */
export type ComplianceFormat = (compliance: Compliance, render: RenderOptions) => string

/** The names of the states in every format. */
export const stateNames = {
  not_met: 'not met',
  partially_assessed: 'partially assessed',
  not_assessed: 'not assessed',
  met: 'met',
  not_covered: 'not covered by this tool',
} as const satisfies Record<ControlState, string>

export function countStates({ controls }: Compliance): Record<ControlState, number> {
  const counts = { not_met: 0, partially_assessed: 0, not_assessed: 0, met: 0, not_covered: 0 }
  for (const { state } of controls) counts[state] += 1
  return counts
}

/** Sentences that say that the report is a replay and what it cannot evaluate; empty for recorded results. */
export function describeReplay({ replayed_with: replayed }: Compliance): readonly string[] {
  if (replayed === undefined) return []
  const { policy, original_policy: original, not_evaluated } = replayed
  return [
    policy === original
      ? 'Replayed: the policy of the run, evaluated again from the history.'
      : `Replayed: as if the run had evaluated policy ${policy.slice(0, 12)}. It evaluated ${original.slice(0, 12)}.`,
    ...not_evaluated.map(describeNotEvaluated),
  ]
}

/** `2 not met, 1 partially assessed, 3 met, 38 not covered by this tool`. */
export function describeStates(compliance: Compliance): string {
  const counts = countStates(compliance)
  const states = Object.keys(stateNames) as ControlState[]
  return states
    .filter((state) => counts[state] > 0)
    .map((state) => `${counts[state]} ${stateNames[state]}`)
    .join(', ')
}
