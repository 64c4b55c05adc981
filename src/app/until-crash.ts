/**
 * Does a piece of work that ends when it is asked to, and when an error comes up that nobody waits for (a bug in a
 * callback): then it is told to stop, and fails with that error, while the process goes on to its next work.
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
