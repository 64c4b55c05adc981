import { statSync } from 'node:fs'
import { AuditError } from '../../model/errors.ts'

/**
 * Refuses pipes and devices: opening a pipe blocks, and a database must not overwrite a device.
 * @throws AuditError.failure when the path is neither a file nor a directory nor free
 */
export function refuseSpecialFile(file: string): void {
  const stats = statSync(file, { throwIfNoEntry: false })
  // Opening a directory fails with a better message.
  if (stats === undefined || stats.isFile() || stats.isDirectory()) return
  throw AuditError.failure(`cannot open the history ${file}: it is not a regular file`, {
    advice: 'name another file; this one is unchanged',
  })
}

/** @throws AuditError.failure when nothing has the path */
export function refuseMissing(file: string): void {
  if (statSync(file, { throwIfNoEntry: false }) !== undefined) return
  throw AuditError.failure(`there is no history at ${file}`, {
    advice: 'run an audit first, or name another history',
  })
}
