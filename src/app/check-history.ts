import { statSync } from 'node:fs'
import type { History } from '../history/history.ts'
import { openExistingHistory } from '../history/sqlite/sqlite-history.ts'
import { thisProcess } from './system.ts'

interface HistoryCheck {
  /** Why the history cannot be used, in words; empty when it can. */
  troubles(file: string): Promise<readonly string[]>
  close(): Promise<void>
}

/**
 * Tries the history whenever it is asked, on one connection: opening one looks at the file system and the schema, too much
 * for the event loop of a running audit. A file that was replaced, or failed, is opened again.
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
        // Its path is not for everyone who asks; the next run's error names it in the log.
        return ['the history cannot be used']
      }
    },
    close: forget,
  } satisfies HistoryCheck
}
