import { setTimeout as sleep } from 'node:timers/promises'
import type { History } from '../history/history.ts'
import type { HistoryLocation } from '../history/location.ts'
import { listEndedRuns } from '../history/sql/runs.ts'
import { keepHistoryOpen } from './keep-history-open.ts'

interface HistoryCheck {
  /** Sentences that say why the history cannot be used; empty when it can. */
  troubles(location: HistoryLocation): Promise<readonly string[]>
  close(): Promise<void>
}

/** Who asks waits no longer: a server may not answer at all. */
const patienceMs = 5_000

/** Checks the history on one connection. One that was replaced or failed is opened again. */
export function openHistoryCheck(
  open: (location: HistoryLocation) => Promise<History>,
  waitMs = patienceMs,
): HistoryCheck {
  const kept = keepHistoryOpen(open)
  const isUsable = async (location: HistoryLocation) => {
    try {
      await listEndedRuns(await kept.at(location), 1)
      return true
    } catch {
      await kept.close().catch(() => {})
      return false
    }
  }
  return {
    async troubles(location) {
      const answered = new AbortController()
      const isLate = sleep(waitMs, false, { signal: answered.signal }).catch(() => false)
      const isFine = await Promise.race([isUsable(location), isLate])
      answered.abort()
      // Anyone who can connect may read this, so it does not name the path; the next run's error does, in the log.
      return isFine ? [] : ['the history cannot be used']
    },
    close: kept.close,
  }
}
