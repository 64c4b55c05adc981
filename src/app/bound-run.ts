import { Stop } from '../model/stop.ts'

/** Requests under way at a stop may end by themselves so long: enough for a page, and for a seal within ten seconds. */
const graceMs = 5_000

/** What bounds a run in time. */
interface Bounds {
  /** No new request from here on. */
  readonly signal: AbortSignal
  /** What is under way is broken off. */
  readonly cut: AbortSignal
  /** The run has ended. */
  done(): void
}

/** A run ends when it is asked to or when its time is up; what it has seen by then is sealed. */
export function boundRun(asked: AbortSignal, timeoutMs: number): Bounds {
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
    timeoutMs,
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
