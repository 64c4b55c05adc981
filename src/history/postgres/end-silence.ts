import type { OwnClient } from './client.ts'

/** Ends connections to a server that leaves statements without an answer: a proxy or a network may drop them unsaid. */
export interface SilenceWatch {
  /** The answer to what was asked on a connection. The connection ends where none comes. */
  answer<Answer>(client: OwnClient, asked: Promise<Answer>): Promise<Answer>
  close(): void
}

const checkEveryMs = 1_000

/**
 * Ends a connection after so many milliseconds without the answer to a statement; they are asked for once a second. A
 * second or more in which this process itself did nothing counts as one.
 */
export function endSilence(mostSilenceMs: () => number): SilenceWatch {
  const waiting = new Set<{ readonly client: OwnClient; checks: number }>()
  const timer = setInterval(() => {
    const mostMs = mostSilenceMs()
    for (const wait of waiting) {
      wait.checks += 1
      if (wait.checks * checkEveryMs > mostMs) wait.client.drop(new Error(`no answer for ${mostMs / 1000} s`))
    }
  }, checkEveryMs)
  // What waits for an answer keeps the process alive by its connection.
  timer.unref()
  return {
    async answer(client, asked) {
      const wait = { client, checks: 0 }
      waiting.add(wait)
      try {
        return await asked
      } finally {
        waiting.delete(wait)
      }
    },
    close: () => clearInterval(timer),
  }
}
