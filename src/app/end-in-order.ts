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

/** Returns undefined where the work stops by throwing the signal's reason. */
export async function unlessStopped<T>(signal: AbortSignal, work: Promise<T>): Promise<T | undefined> {
  try {
    return await work
  } catch (error) {
    if (signal.aborted && error === signal.reason) return undefined
    throw error
  }
}

/**
 * A run ends when a signal asks it to or when its time is up; it commits what it has read by then. `leftMs`: of a run
 * that began before, what is left of its time.
 */
export function boundRun(stopSignal: AbortSignal, timeoutMs: number, leftMs = timeoutMs): Bounds {
  const stop = new AbortController()
  const cut = new AbortController()
  let grace: NodeJS.Timeout | undefined
  const end = (reason: unknown) => {
    if (stop.signal.aborted) return
    stop.abort(reason)
    grace = setTimeout(() => cut.abort(reason), graceMs).unref()
  }
  const onStop = () => end(stopSignal.reason)
  const deadline = setTimeout(
    () => end(new Stop('run_timeout', `the run_timeout of ${timeoutMs / 1000} s is over`)),
    Math.max(0, leftMs),
  ).unref()
  stopSignal.addEventListener('abort', onStop)
  if (stopSignal.aborted) onStop()
  return {
    signal: stop.signal,
    cut: cut.signal,
    done() {
      clearTimeout(deadline)
      clearTimeout(grace)
      stopSignal.removeEventListener('abort', onStop)
    },
  }
}

/** Closes what was deferred, the last first, also after one that fails. (`AsyncDisposableStack` is not in Node 22.) */
export function openStack() {
  const closes: (() => unknown)[] = []
  const closeAll = async (): Promise<void> => {
    const close = closes.pop()
    if (close === undefined) return
    try {
      await close()
    } finally {
      await closeAll()
    }
  }
  return { defer: (close: () => unknown) => void closes.push(close), [Symbol.asyncDispose]: closeAll }
}

/**
 * Does work until it is done, the signal aborts, or an uncaught error occurs (a bug in a callback). Such an error stops
 * and fails the work; the process goes on to its next work.
 */
export async function untilCrash<Result>(
  stopSignal: AbortSignal,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const crash = new AbortController()
  const onError = (error: unknown) => crash.abort(error instanceof Error ? error : new Error(String(error)))
  process.on('uncaughtException', onError)
  process.on('unhandledRejection', onError)
  try {
    const result = await work(AbortSignal.any([stopSignal, crash.signal]))
    if (crash.signal.aborted) throw crash.signal.reason
    return result
  } finally {
    process.off('uncaughtException', onError)
    process.off('unhandledRejection', onError)
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

/** How long requests may go on after a stop: enough for a page, and the run still commits within ten seconds. */
const graceMs = 5_000

/** What bounds a run in time. */
interface Bounds {
  /** Aborted: no new request starts. */
  readonly signal: AbortSignal
  /** Aborted: requests under way are broken off. */
  readonly cut: AbortSignal
  /** The run has ended. */
  done(): void
}
