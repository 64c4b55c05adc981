import { Stop } from '../model/stop.ts'

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

/**
 * A run ends when a signal asks it to or when its time is up; it commits what it has read by then. `leftMs`: of a run
 * that began before, what is left of its time.
 */
export function boundRun(asked: AbortSignal, timeoutMs: number, leftMs = timeoutMs): Bounds {
  const stop = new AbortController()
  const cut = new AbortController()
  let grace: NodeJS.Timeout | undefined
  const end = (reason: unknown) => {
    if (stop.signal.aborted) return
    stop.abort(reason)
    grace = setTimeout(() => cut.abort(reason), graceMs).unref()
  }
  const onAsked = () => end(asked.reason)
  const deadline = setTimeout(
    () => end(new Stop('run_timeout', `the run_timeout of ${timeoutMs / 1000} s is over`)),
    Math.max(0, leftMs),
  ).unref()
  asked.addEventListener('abort', onAsked)
  if (asked.aborted) onAsked()
  return {
    signal: stop.signal,
    cut: cut.signal,
    done() {
      clearTimeout(deadline)
      clearTimeout(grace)
      asked.removeEventListener('abort', onAsked)
    },
  }
}
