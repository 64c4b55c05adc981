import { randomBytes } from 'node:crypto'
import { existsSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { AuditError, reasonOf } from '../model/errors.ts'

/**
 * Writes a file so that readers see the old text or the new one, never a part. What is no file, such as `/dev/stdout`
 * or a named pipe, is written to and never replaced; neither is a symbolic link.
 * @throws AuditError 4 when it cannot be written
 */
export function writeFileAtomically(file: string, text: string): void {
  let draft: string | undefined
  try {
    if (isNoFile(file)) {
      writeFileSync(file, text)
      return
    }
    const target = existsSync(file) ? realpathSync(file) : file
    // In a directory of everybody's, a name that can be guessed may be somebody's link to a file of ours.
    draft = `${target}.${randomBytes(6).toString('hex')}.tmp`
    writeFileSync(draft, text, { mode: 0o600, flag: 'wx' })
    renameSync(draft, target)
  } catch (error) {
    if (draft !== undefined) rmSync(draft, { force: true })
    throw new AuditError(4, `cannot write the report to ${file}: ${reasonOf(error)}`, {
      advice: 'the run is sealed and can be reported again',
      cause: error,
    })
  }
}

/** A device, a pipe, a directory. */
export function isNoFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === false
}
