/**
 * Does work until it is done, the signal aborts, or an uncaught error occurs (a bug in a callback). Such an error stops
 * and fails the work; the process goes on to its next work.
 */
export async function untilCrash<Result>(
  asked: AbortSignal,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const crash = new AbortController()
  const onError = (error: unknown) => crash.abort(error instanceof Error ? error : new Error(String(error)))
  process.on('uncaughtException', onError)
  process.on('unhandledRejection', onError)
  try {
    const result = await work(AbortSignal.any([asked, crash.signal]))
    if (crash.signal.aborted) throw crash.signal.reason
    return result
  } finally {
    process.off('uncaughtException', onError)
    process.off('unhandledRejection', onError)
  }
}
