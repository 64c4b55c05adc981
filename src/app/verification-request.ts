import { verdictOf } from '../audit/compose-report.ts'
import type { VerificationDepth, VerificationRequest } from '../history/upkeep.ts'
import { openSecrets } from '../inventory/open-secrets.ts'

/** What verifying a history takes from above it. */
export function verificationOf(depth: VerificationDepth): VerificationRequest {
  return { depth, exitCodeOf: (record) => verdictOf(record).exit_code, openSecrets }
}
