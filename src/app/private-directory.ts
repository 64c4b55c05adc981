import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AuditError, reasonOf, signalExits } from '../model/errors.ts'

/**
 * Makes a temporary directory that only this user can read. It is removed with its content when it is disposed of, and
 * when the process ends before, also by a signal or a closed terminal.
 * @throws AuditError.usage when it cannot be made
 */
export function openPrivateDirectory(prefix: string): Disposable & { readonly path: string } {
  const path = makeDirectory(join(tmpdir(), prefix))
  const remove = () => rmSync(path, { recursive: true, force: true })
  // A second signal ends the process at once.
  process.once('exit', remove)
  for (const [name, end] of endings) process.on(name, end)
  return {
    path,
    [Symbol.dispose]() {
      process.off('exit', remove)
      for (const [name, end] of endings) process.off(name, end)
      remove()
    },
  }
}

/** Without a handler, a signal ends the process and leaves the directory. Work that ends in order has its own. */
const endings = [
  ['SIGINT', () => endBy('SIGINT', signalExits.SIGINT)],
  ['SIGTERM', () => endBy('SIGTERM', signalExits.SIGTERM)],
  ['SIGHUP', () => endBy('SIGHUP', signalExits.SIGTERM)],
] as const

function endBy(name: NodeJS.Signals, exitCode: number): void {
  if (process.listenerCount(name) === 1) process.exit(exitCode)
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
