import type { FailedReply } from './reply.ts'

/** What a service has said of the keys of a run. */
interface KeyVerdicts {
  isAccepted(key: string): boolean
  accept(key: string): void
  /** How the key was refused in the end; undefined as long as it was not. */
  refusalOf(key: string): FailedReply | undefined
  refuse(key: string, reply: FailedReply): void
  /**
   * Lets the first request with a key go ahead alone: if the key is refused, no other needs to be sent. Resolves with
   * a function to call when the first answer is there; for later requests it does nothing.
   */
  goAhead(key: string): Promise<() => void>
}

export function createKeyVerdicts(): KeyVerdicts {
  const accepted = new Set<string>()
  const refused = new Map<string, FailedReply>()
  const firstAnswers = new Map<string, Promise<void>>()
  return {
    isAccepted: (key) => accepted.has(key),
    accept(key) {
      accepted.add(key)
      refused.delete(key)
    },
    refusalOf: (key) => refused.get(key),
    refuse: (key, reply) => void refused.set(key, reply),
    async goAhead(key) {
      const first = firstAnswers.get(key)
      if (first === undefined) {
        const { promise, resolve } = Promise.withResolvers<void>()
        firstAnswers.set(key, promise)
        return resolve
      }
      await first
      return () => {}
    },
  }
}
