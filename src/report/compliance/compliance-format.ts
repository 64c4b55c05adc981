import { countEach } from '../../model/text/count.ts'
import { isSolved } from '../../model/violation.ts'
import type { RenderOptions } from '../report-format.ts'
import {
  type Compliance,
  type ControlEvidence,
  type ControlState,
  type ControlViolation,
  controlStates,
  describeBesides,
} from './compliance.ts'

/** A format of a compliance report: a pure function of it that returns whole lines. */
export type ComplianceFormat = (compliance: Compliance, render: RenderOptions) => string

/** The names of the states in every format. */
export const stateNames = {
  not_met: 'not met',
  partially_assessed: 'partially assessed',
  not_assessed: 'not assessed',
  met_with_exceptions: 'met with exceptions',
  met: 'met',
  not_covered: 'not covered by this tool',
} as const satisfies Record<ControlState, string>

export function countStates({ controls }: Compliance): Record<ControlState, number> {
  const counts = { not_met: 0, partially_assessed: 0, not_assessed: 0, met_with_exceptions: 0, met: 0, not_covered: 0 }
  for (const { state } of controls) counts[state] += 1
  return counts
}

/** `2 not met, 1 partially assessed, 3 met (2 with exemptions or observations), 38 not covered by this tool`. */
export function describeStates(compliance: Compliance): string {
  const counts = countStates(compliance)
  const qualified = compliance.controls.filter((control) => besidesOf(control) !== '').length
  return controlStates
    .filter((state) => counts[state] > 0)
    .map((state) => {
      const but = state === 'met' && qualified > 0 ? ` (${qualified} with exemptions or observations)` : ''
      return `${counts[state]} ${stateNames[state]}${but}`
    })
    .join(', ')
}

/** `met, with 2 exemptions and 1 observation`. */
export function describeState(control: ControlEvidence): string {
  return `${stateNames[control.state]}${besidesOf(control)}`
}

/** What a reader must know with the word `met`; empty for other states, whose reasons say it. */
export function besidesOf({ state, exemptions, observations }: ControlEvidence): string {
  return state !== 'met' ? '' : describeBesides({ exemptions: exemptions.length, observations })
}

/** Whether it ended because a person or the policy decided so: it is still there. */
export function isExempted({ state, resolution }: Pick<ControlViolation, 'state' | 'resolution'>): boolean {
  return state === 'resolved' && !isSolved(resolution)
}

/** The last word on each violation: what was fixed earlier in a period may be open again. */
export function latestOf({ violations }: Pick<ControlEvidence, 'violations'>): readonly ControlViolation[] {
  return [...Map.groupBy(violations, ({ fingerprint }) => fingerprint).values()].flatMap(([latest]) => latest ?? [])
}

/** Violations of a control that are gone, because they were fixed or their resource was removed. */
export function solvedOf(control: Pick<ControlEvidence, 'violations'>): readonly ControlViolation[] {
  return latestOf(control).filter(({ state, resolution }) => state === 'resolved' && isSolved(resolution))
}

/** `2 ended: 1 fixed, 1 exempted`; empty when none did. */
export function describeEnds({ violations }: Pick<ControlEvidence, 'violations'>): string {
  const ended = violations.filter(({ state }) => state === 'resolved')
  const fixed = ended.filter(({ resolution }) => resolution === 'fixed').length
  const removed = ended.filter(({ resolution }) => resolution === 'removed').length
  const counts = { fixed, removed, exempted: ended.length - fixed - removed }
  return ended.length === 0 ? '' : `${ended.length} ended: ${countEach(['fixed', 'removed', 'exempted'], counts)}`
}
