import type { HistoryLocation } from '../history/location.ts'
import { AuditError } from '../model/errors.ts'
import { spaceOf } from './open-history.ts'
import type { ProcessContext } from './process-context.ts'
import { systemClock } from './system.ts'

/** A scrape must not wait for a server that does not answer. */
const mostMs = 3_000

/** Bytes of a history with its companion files; undefined where its server does not answer. */
export async function historySize(location: HistoryLocation, env: ProcessContext['env']): Promise<number | undefined> {
  const size = spaceOf(location, env).then(({ bytes }) => bytes)
  if (location.kind === 'file') return size
  const answered = new AbortController()
  const over = systemClock.sleep(mostMs, answered.signal).catch(() => {})
  try {
    return (await Promise.race([size, over])) ?? undefined
  } catch (error) {
    if (error instanceof AuditError) return undefined
    throw error
  } finally {
    answered.abort()
    size.catch(() => {}) // Its answer is not used.
  }
}
