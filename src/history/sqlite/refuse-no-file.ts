import { statSync } from 'node:fs'
import { AuditError } from '../../model/errors.ts'

/**
 * Refuses pipes and devices: opening a pipe blocks, and a database must not overwrite a device.
 * @throws AuditError.failure when the path is neither a file nor a directory nor free
 */
export function refuseNoFile(file: string): void {
  const stats = statSync(file, { throwIfNoEntry: false })
  // Opening a directory fails with a better message.
  if (stats === undefined || stats.isFile() || stats.isDirectory()) return
  throw AuditError.failure(`cannot open the history ${file}: it is not a regular file`, {
    advice: 'name another with --history; it is unchanged',
  })
}
