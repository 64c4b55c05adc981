import type { History } from '../history/history.ts'
import type { HistoryLocation } from '../history/location.ts'
import { keepHistoryOpen } from './keep-history-open.ts'

interface HistoryCheck {
  /** Sentences that say why the history cannot be used; empty when it can. */
  troubles(location: HistoryLocation): Promise<readonly string[]>
  close(): Promise<void>
}

/** Checks the history on one connection. One that was replaced or failed is opened again. */
export function openHistoryCheck(open: (location: HistoryLocation) => Promise<History>): HistoryCheck {
  const kept = keepHistoryOpen(open)
  return {
    async troubles(location) {
      try {
        await (await kept.at(location)).endedRuns(1)
        return []
      } catch {
        await kept.close().catch(() => {})
        // Anyone who can connect may read this, so it does not name the path; the next run's error does, in the log.
        return ['the history cannot be used']
      }
    },
    close: kept.close,
  }
}
