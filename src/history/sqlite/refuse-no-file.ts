import { statSync } from 'node:fs'
import { AuditError } from '../../model/errors.ts'

/**
 * A pipe would keep whoever opens it waiting, and a device is nothing to write a database over.
 * @throws AuditError.failure when something is there that is no file
 */
export function refuseNoFile(file: string): void {
  const stats = statSync(file, { throwIfNoEntry: false })
  // What opens it says best that it is a directory.
  if (stats === undefined || stats.isFile() || stats.isDirectory()) return
  throw AuditError.failure(`cannot open the history ${file}: it is no regular file`, {
    advice: 'name another with --history; it was left as it is',
  })
}
