import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Ahead, Reply } from './reply.ts'

interface AskedAhead {
  /** Its turn has come. Rejects as the request does. */
  take(): Promise<Reply>
  /** Ends the request; its outcome is lost. Does nothing once it is taken and answered. */
  abandon(): void
}

/** Sends a request whose answer is wanted later or not at all. */
export function askAhead(ask: (ahead: Ahead) => Promise<Reply>): AskedAhead {
  const { promise: turn, resolve: come } = Promise.withResolvers<void>()
  const abandoning = new AbortController()
  const reply = ask({ turn, abandoned: abandoning.signal })
  // An abandoned request has no one to handle its error; `take` hands on the same promise with it.
  reply.catch(() => {})
  return {
    take() {
      come()
      return reply
    },
    abandon() {
      abandoning.abort()
      come()
    },
  }
}

/**
 * Waits until a request on an idle connection is written: undici checks the connection for two turns of the event loop
 * first, and taking a page may not leave the loop a turn.
 */
export async function untilWritten(): Promise<void> {
  await nextTurn()
  await nextTurn()
}
