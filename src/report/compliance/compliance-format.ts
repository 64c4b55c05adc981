import type { Compliance, ControlState } from '../../model/compliance.ts'
import { describeNotEvaluated } from '../describe-not-evaluated.ts'
import type { RenderOptions } from '../report-format.ts'

/** One way to write down what a run says of a framework's controls: a pure function of it, whole lines. */
export type ComplianceFormat = (compliance: Compliance, render: RenderOptions) => string

/** The states in words, as every format says them. */
export const stateNames = {
  not_met: 'not met',
  not_fully_looked_at: 'not fully looked at',
  met: 'met',
  not_covered: 'not covered by this tool',
} as const satisfies Record<ControlState, string>

export function countStates({ controls }: Compliance): Record<ControlState, number> {
  const counts = { not_met: 0, not_fully_looked_at: 0, met: 0, not_covered: 0 }
  for (const { state } of controls) counts[state] += 1
  return counts
}

/** That this is not what was recorded, and what could not be judged; empty where it is. */
export function describeReplay({ replayed_with: replayed }: Compliance): readonly string[] {
  if (replayed === undefined) return []
  const { policy, instead_of: before, unjudged } = replayed
  return [
    policy === before
      ? 'Replayed: judged from the history by the policy that judged then.'
      : `Replayed: as if the policy ${policy.slice(0, 12)} had judged then. The one that did was ${before.slice(0, 12)}.`,
    ...unjudged.map(describeNotEvaluated),
  ]
}

/** `2 not met, 1 not fully looked at, 3 met, 38 not covered by this tool`. */
export function describeStates(compliance: Compliance): string {
  const counts = countStates(compliance)
  const states = Object.keys(stateNames) as ControlState[]
  return states
    .filter((state) => counts[state] > 0)
    .map((state) => `${counts[state]} ${stateNames[state]}`)
    .join(', ')
}
