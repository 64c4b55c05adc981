import type { FailedReply } from './reply.ts'

/** What a service has said of the keys of a run. */
interface KeyVerdicts {
  isAccepted(key: string): boolean
  /**
   * Whether it was accepted for this project. A report says so, and must not depend on which other projects the same
   * process asked for first.
   */
  isAcceptedFor(key: string, projectUid: string): boolean
  accept(key: string, projectUid: string): void
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
  const accepted = new Map<string, Set<string>>()
  const refused = new Map<string, FailedReply>()
  const firstAnswers = new Map<string, Promise<void>>()
  return {
    isAccepted: (key) => accepted.has(key),
    isAcceptedFor: (key, projectUid) => accepted.get(key)?.has(projectUid) ?? false,
    accept(key, projectUid) {
      accepted.set(key, (accepted.get(key) ?? new Set()).add(projectUid))
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
