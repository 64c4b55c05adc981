import { statSync } from 'node:fs'
import type { History } from '../history/history.ts'
import { openExistingHistory } from '../history/sqlite/sqlite-history.ts'
import { thisProcess } from './system.ts'

interface HistoryCheck {
  /** Sentences that say why the history cannot be used; empty when it can. */
  troubles(file: string): Promise<readonly string[]>
  close(): Promise<void>
}

/**
 * Checks the history on one connection: opening one reads the file system and the schema, which takes too long on the
 * event loop of a running audit. A file that was replaced or failed is opened again.
 */
export function openHistoryCheck(open: (file: string) => History = (file) => openExistingHistory(file, thisProcess)) {
  let known: { readonly identity: string; readonly history: History } | undefined
  const forget = async () => {
    const { history } = known ?? {}
    known = undefined
    await history?.close()
  }
  return {
    async troubles(file) {
      try {
        const { dev, ino } = statSync(file)
        const identity = JSON.stringify([file, dev, ino])
        if (known?.identity !== identity) {
          await forget()
          known = { identity, history: open(file) }
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
  } satisfies HistoryCheck
}
