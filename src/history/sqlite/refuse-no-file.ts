import { statSync } from 'node:fs'
import { AuditError } from '../../model/errors.ts'

/**
 * A pipe would keep whoever opens it waiting, and a device is nothing to write a database over.
 * @throws AuditError 4 when something is there that is no file
 */
export function refuseNoFile(file: string): void {
  if (statSync(file, { throwIfNoEntry: false })?.isFile() !== false) return
  throw new AuditError(
    4,
    `cannot open the history ${file}: it is not a regular file (a directory, a pipe or a device)`,
    {
      advice: 'name another with --history; it was left as it is',
    },
  )
}
