import type { OwnClient } from './client.ts'

/** Ends connections to a server that leaves statements without an answer: a proxy or a network may drop them unsaid. */
export interface SilenceWatch {
  /** The answer to what was asked on a connection. The connection ends where none comes. */
  answer<Answer>(client: OwnClient, asked: Promise<Answer>): Promise<Answer>
  close(): void
}

const lookEveryMs = 1_000

/**
 * Ends a connection after so many milliseconds without the answer to a statement; they are asked for once a second. A
 * second in which this process itself stood still counts as one.
 */
export function endSilence(mostSilenceMs: () => number): SilenceWatch {
  const waiting = new Set<{ readonly client: OwnClient; looks: number }>()
  const timer = setInterval(() => {
    const mostMs = mostSilenceMs()
    for (const wait of waiting) {
      wait.looks += 1
      if (wait.looks * lookEveryMs > mostMs) wait.client.drop(new Error(`no answer for ${mostMs / 1000} s`))
    }
  }, lookEveryMs)
  // What waits for an answer keeps the process alive by its connection.
  timer.unref()
  return {
    async answer(client, asked) {
      const wait = { client, looks: 0 }
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
