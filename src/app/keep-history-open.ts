import type { History } from '../history/history.ts'
import type { HistoryLocation } from '../history/location.ts'
import { identityOf } from './open-history.ts'

export interface OpenedHistory {
  /**
   * The history, opened at the first call, and again when another one was put at its place.
   * @throws AuditError.failure when it cannot be used
   */
  current(): Promise<History>
  close(): Promise<void>
}

/** Keeps one connection to a history: opening one reads the file system and the schema. */
export function keepHistoryOpen(
  location: HistoryLocation,
  open: (location: HistoryLocation) => Promise<History>,
): OpenedHistory {
  let known: { readonly identity: string; readonly history: Promise<History> } | undefined
  const forget = async () => {
    const { history } = known ?? {}
    known = undefined
    await (await history?.catch(() => undefined))?.close()
  }
  return {
    async current() {
      // A history that is missing has no identity; opening it says so in a sentence.
      const identity = await identityOf(location).catch(() => '')
      if (known?.identity !== identity) {
        await forget()
        known = { identity, history: open(location) }
      }
      const opened = known.history
      try {
        return await opened
      } catch (error) {
        known = undefined
        throw error
      }
    },
    close: forget,
  }
}
