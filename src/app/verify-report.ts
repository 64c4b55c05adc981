import { readPublicKey } from '../attestation/keys.ts'
import { type AskHistory, type AttestationCheck, verifyAttestation } from '../attestation/verify-attestation.ts'
import { composeReport } from '../audit/compose-report.ts'
import { chainOf } from '../history/sqlite/chain/chain-of.ts'
import { openToExamine } from '../history/sqlite/open-to-examine.ts'
import { verifyHistory } from '../history/sqlite/verify/verify-history.ts'
import { openSecrets } from '../inventory/open-secrets.ts'
import { AuditError, reasonOf } from '../model/errors.ts'
import { readRegularFile } from './read-text-file.ts'

export interface AttestedFiles {
  /** Paths as the user gave them. */
  readonly report: string
  readonly attestation: string
  readonly key: string
  /** Absolute; undefined where no history is named or configured. */
  readonly history: string | undefined
}

/**
 * Verifies an attestation against a report, a key and, where there is one, the history.
 * @throws AuditError.usage when a file cannot be read
 */
export function verifyReport(
  { report, attestation, key, history }: AttestedFiles,
  pathOf: (path: string) => string,
): AttestationCheck[] {
  const read = (what: string, file: string) => readNamed(what, pathOf(file))
  const publicKey = readPublicKey(read('key', key).toString(), key)
  const ask = history === undefined ? undefined : askOf(history)
  return verifyAttestation(read('report', report), read('attestation', attestation).toString(), publicKey, ask)
}

function askOf(file: string): AskHistory {
  return (run) => {
    try {
      return examine(file, run)
    } catch (error) {
      // A history too damaged to open fails the check.
      if (error instanceof AuditError) return { fault: error.message }
      throw error
    }
  }
}

function examine(file: string, run: number): ReturnType<AskHistory> {
  const db = openToExamine(file)
  try {
    const exitCodeOf = (record: Parameters<typeof composeReport>[0]) => composeReport(record).verdict.exit_code
    const { ok, checks } = verifyHistory(db, { depth: 'plain', exitCodeOf, openSecrets })
    const fault = checks.find((check) => !check.ok)
    return ok ? chainOf(db, run) : { fault: `${fault?.id}: ${fault?.detail}` }
  } finally {
    db.close()
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
