import type { History } from '../history/history.ts'
import type { HistoryLocation } from '../history/location.ts'
import { identityOf } from './open-history.ts'

interface HistoryCheck {
  /** Sentences that say why the history cannot be used; empty when it can. */
  troubles(location: HistoryLocation): Promise<readonly string[]>
  close(): Promise<void>
}

/**
 * Checks the history on one connection: opening one reads the file system and the schema, which takes too long on the
 * event loop of a running audit. A history that was replaced or failed is opened again.
 */
export function openHistoryCheck(open: (location: HistoryLocation) => Promise<History>): HistoryCheck {
  let known: { readonly identity: string; readonly history: History } | undefined
  const forget = async () => {
    const { history } = known ?? {}
    known = undefined
    await history?.close()
  }
  return {
    async troubles(location) {
      try {
        const identity = await identityOf(location)
        if (known?.identity !== identity) {
          await forget()
          known = { identity, history: await open(location) }
        }
        await known.history.endedRuns(1)
        return []
      } catch {
        await forget().catch(() => {})
        // Anyone who can connect may read this, so it does not name the path; the next run's error does, in the log.
        return ['the history cannot be used']
      }
    },
    close: forget,
  }
}
