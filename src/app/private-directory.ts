import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AuditError, reasonOf } from '../model/errors.ts'

/**
 * Makes a temporary directory that only this user can read. It is removed with its content when it is disposed of, and
 * when the process ends before, also by a closed terminal.
 * @throws AuditError.usage when it cannot be made
 */
export function openPrivateDirectory(prefix: string): Disposable & { readonly path: string } {
  const path = makeDirectory(join(tmpdir(), prefix))
  const remove = () => rmSync(path, { recursive: true, force: true })
  // A second signal ends the process at once.
  process.once('exit', remove)
  process.once('SIGHUP', endByHangUp)
  return {
    path,
    [Symbol.dispose]() {
      process.off('exit', remove)
      process.off('SIGHUP', endByHangUp)
      remove()
    },
  }
}

/** By convention 128 and the signal's number. */
function endByHangUp(): never {
  process.exit(129)
}

function makeDirectory(start: string): string {
  try {
    return mkdtempSync(start)
  } catch (error) {
    throw AuditError.usage(`cannot make a temporary directory ${start}…: ${reasonOf(error)}`, {
      advice: 'name another place with TMPDIR',
      cause: error,
    })
  }
}
