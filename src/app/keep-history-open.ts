import { setTimeout as sleep } from 'node:timers/promises'
import type { History } from '../history/history.ts'
import type { HistoryLocation } from '../history/location.ts'
import { listEndedRuns } from '../history/sql/runs.ts'
import { identityOf } from './open-history.ts'

export interface OpenedHistory {
  /**
   * The history of a location, opened at the first call, and again when another one was put at its location.
   * @throws AuditError.failure when it cannot be used
   */
  at(location: HistoryLocation): Promise<History>
  /** Closes it; the next call opens it again. */
  close(): Promise<void>
}

/** Longer than any answer is made: who reads a history while it is replaced goes on with it. */
const lingerMs = 150_000

interface HistoryConnection {
  readonly identity: string
  readonly history: Promise<History>
}

/** Keeps one connection to a history: opening one reads the file system and the schema. */
export function keepHistoryOpen(open: (location: HistoryLocation) => Promise<History>): OpenedHistory {
  let current: HistoryConnection | undefined
  /** The one that was replaced last, until it is closed: no more, because one may be in memory as a whole. */
  let former: { readonly opened: HistoryConnection; readonly timer: NodeJS.Timeout } | undefined
  const close = async (opened: HistoryConnection | undefined) => {
    await (await opened?.history.catch(() => undefined))?.close()
  }
  const closeFormer = async () => {
    clearTimeout(former?.timer)
    const { opened } = former ?? {}
    former = undefined
    await close(opened)
  }
  const closeLater = (opened: HistoryConnection) => {
    // No answer reads it any longer.
    const timer = setTimeout(() => void closeFormer().catch(() => {}), lingerMs).unref()
    former = { opened, timer }
  }
  return {
    async at(location) {
      // A history that is missing has no identity; opening it says so in a sentence.
      const identity = await identityOf(location).catch(() => '')
      const replaced = current
      if (replaced?.identity === identity) return replaced.history
      // At once: a call that comes meanwhile takes this one.
      const opened = { identity, history: open(location) }
      current = opened
      const closed = closeFormer()
      if (replaced !== undefined) closeLater(replaced)
      await closed
      try {
        return await opened.history
      } catch (error) {
        if (current === opened) current = undefined
        throw error
      }
    },
    async close() {
      const last = current
      current = undefined
      await closeFormer()
      await close(last)
    },
  }
}

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
  const openedHistory = keepHistoryOpen(open)
  const isUsable = async (location: HistoryLocation) => {
    try {
      await listEndedRuns(await openedHistory.at(location), 1)
      return true
    } catch {
      await openedHistory.close().catch(() => {})
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
    close: openedHistory.close,
  }
}
