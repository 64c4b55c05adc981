import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { AuditError, messageOf } from '../model/errors.ts'

/**
 * Writes a file so that readers see the old text or the new one, never a part.
 * @throws AuditError 4 when it cannot be written
 */
export function writeFileAtomically(file: string, text: string): void {
  const draft = `${file}.${process.pid}.tmp`
  try {
    writeFileSync(draft, text, { mode: 0o600 })
    renameSync(draft, file)
  } catch (error) {
    rmSync(draft, { force: true })
    throw new AuditError(4, `cannot write the report to ${file}: ${messageOf(error)}`, {
      advice: 'the run is sealed and can be reported again',
      cause: error,
    })
  }
}
