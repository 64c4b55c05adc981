import type { ControlEvidence } from '../../compliance/compliance.ts'
import { bareReason, serviceOf } from '../describe-failures.ts'

export type EvidenceGap = ControlEvidence['coverage']['gaps'][number]

/** Walks that are missing alike: one cause is one message. */
export interface GapGroup {
  /** `acme/shipping endpoints, sources; acme/orders endpoints`. */
  readonly where: string
  readonly status: EvidenceGap['status']
  readonly reason: string
}

/** Groups walks by their service and by why they are missing; one that is alone keeps its whole reason. */
export function groupGaps(gaps: readonly EvidenceGap[]): readonly GapGroup[] {
  return [
    ...Map.groupBy(gaps, (gap) => JSON.stringify([serviceOf(gap), gap.status, bareReason(gap)])).values(),
  ].flatMap(([first, ...more]) => {
    if (first === undefined) return []
    const reason = more.length === 0 ? (first.reason ?? 'no reason given') : bareReason(first)
    return [{ where: nameGaps([first, ...more]), status: first.status, reason }]
  })
}

/** `acme/shipping endpoints, sources; acme/orders endpoints`. */
export function nameGaps(gaps: readonly EvidenceGap[]): string {
  return [...Map.groupBy(gaps, ({ project }) => project)]
    .map(([project, alike]) => `${project} ${alike.map(({ listing }) => listing).join(', ')}`)
    .join('; ')
}
