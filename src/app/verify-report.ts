import { readPublicKey } from '../attestation/keys.ts'
import { type AskHistory, type AttestationCheck, verifyAttestation } from '../attestation/verify-attestation.ts'
import { verdictOf } from '../audit/compose-report.ts'
import type { HistoryUpkeep, VerificationDepth, VerificationRequest } from '../history/upkeep.ts'
import { openSecrets } from '../inventory/open-secrets.ts'
import { AuditError, reasonOf } from '../model/errors.ts'
import { readRegularFile } from './read-text-file.ts'

export interface AttestedFiles {
  /** Paths as the user gave them. */
  readonly report: string
  readonly attestation: string
  readonly key: string
}

/** What verifying a history takes from above it. */
export function verificationOf(depth: VerificationDepth): VerificationRequest {
  return { depth, exitCodeOf: (record) => verdictOf(record).exit_code, openSecrets }
}

/**
 * Verifies an attestation against a report, a key and, where there is one, the history.
 * @throws AuditError.usage when a file cannot be read
 */
export async function verifyReport(
  { report, attestation, key }: AttestedFiles,
  upkeep: HistoryUpkeep | undefined,
  { depth, pathOf }: { readonly depth: VerificationDepth; readonly pathOf: (path: string) => string },
): Promise<AttestationCheck[]> {
  const read = (what: string, file: string) => readNamed(what, pathOf(file))
  const publicKey = readPublicKey(read('key', key).toString(), key)
  const ask = upkeep === undefined ? undefined : (run: number) => examine(upkeep, run, depth)
  return verifyAttestation(read('report', report), read('attestation', attestation).toString(), publicKey, ask)
}

async function examine(upkeep: HistoryUpkeep, run: number, depth: VerificationDepth): ReturnType<AskHistory> {
  try {
    const { ok, checks, run: last } = await upkeep.verify(verificationOf(depth))
    const fault = checks.find((check) => check.ok === false)
    return ok ? { chain: await upkeep.chainOf(run), last: last?.number } : { fault: `${fault?.id}: ${fault?.detail}` }
  } catch (error) {
    // A history too damaged to open fails the check.
    if (error instanceof AuditError) return { fault: error.message }
    throw error
  }
}

/** A report may be large, and its digest needs all of it. */
const mostBytes = 1024 * 1024 * 1024

function readNamed(what: string, file: string): Buffer {
  try {
    return readRegularFile(file, mostBytes)
  } catch (error) {
    throw AuditError.usage(`cannot read the ${what} ${file}: ${reasonOf(error)}`)
  }
}
