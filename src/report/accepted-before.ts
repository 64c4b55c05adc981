import type { Report } from '../model/report.ts'
import type { AcceptedViolation } from '../model/violation.ts'

/** What people accepted and what this run does not list among the violations that ended: each is said once. */
export function acceptedBefore({ accepted, violations }: Pick<Report, 'accepted' | 'violations'>): AcceptedViolation[] {
  const ended = new Set(
    violations.flatMap(({ fingerprint, resolution }) => (resolution === 'accepted' ? [fingerprint] : [])),
  )
  return accepted.filter(({ fingerprint }) => !ended.has(fingerprint))
}
