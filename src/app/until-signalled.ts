import { closeSync, openSync } from 'node:fs'
import { signalExits } from '../model/errors.ts'
import { Stop } from '../model/stop.ts'

/**
 * Works until it is done or a signal stops it: the first SIGINT or SIGTERM asks the work to end in order, a second one
 * ends the process at once. SIGHUP calls `onHangUp`; without one, and from a terminal that closed, it stops as SIGTERM does.
 */
export async function untilSignalled<T>(
  work: (signal: AbortSignal) => Promise<T>,
  onHangUp?: () => void,
): Promise<{ readonly result: T; readonly exitCode: number | undefined }> {
  const stop = new AbortController()
  let exitCode: number | undefined
  const stopOn = (name: keyof typeof signalExits) => () => {
    if (exitCode !== undefined) process.exit(signalExits[name])
    exitCode = signalExits[name]
    stop.abort(new Stop(name === 'SIGINT' ? 'sigint' : 'sigterm', name))
  }
  const stopOnHangUp = () => {
    // A closing terminal sends it twice: from the kernel, and from its shell.
    if (exitCode !== undefined) return
    exitCode = signalExits.SIGTERM
    stop.abort(new Stop('sigterm', 'SIGHUP'))
  }
  const handlers = [
    ['SIGINT', stopOn('SIGINT')],
    ['SIGTERM', stopOn('SIGTERM')],
    ['SIGHUP', () => (onHangUp === undefined || isTerminalClosed() ? stopOnHangUp() : onHangUp())],
  ] as const
  for (const [name, handler] of handlers) process.on(name, handler)
  try {
    return { result: await work(stop.signal), exitCode }
  } finally {
    for (const [name, handler] of handlers) process.off(name, handler)
  }
}

/** Whether the terminal is gone that this process was started on. */
function isTerminalClosed(): boolean {
  if (process.stderr.isTTY !== true) return false
  try {
    closeSync(openSync('/dev/tty', 'r'))
    return false
  } catch {
    return true
  }
}

/** Returns undefined where the work stops by throwing the signal's reason. */
export async function unlessStopped<T>(signal: AbortSignal, work: Promise<T>): Promise<T | undefined> {
  try {
    return await work
  } catch (error) {
    if (signal.aborted && error === signal.reason) return undefined
    throw error
  }
}
