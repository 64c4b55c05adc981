import { AuditError } from '../model/errors.ts'
import type { Log } from './log.ts'
import { systemClock } from './system.ts'

const pauseMs = 5_000

/**
 * Works with a history as soon as its server lets it: one that starts, or is upgraded, is waited for. undefined when
 * the signal aborts first.
 * @throws AuditError for all that waiting does not mend
 */
export async function awaitHistory<Result>(
  work: () => Promise<Result>,
  { log, signal }: { readonly log: Log; readonly signal: AbortSignal },
): Promise<Result | undefined> {
  let known: string | undefined
  while (!signal.aborted) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof AuditError) || !error.isPassing) throw error
      if (error.message !== known) log.warn({ error: error.message, advice: error.advice }, 'waiting for the history')
      known = error.message
      await systemClock.sleep(pauseMs, signal).catch(() => {})
    }
  }
  return undefined
}
