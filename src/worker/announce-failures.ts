import { AuditError } from '../model/errors.ts'
import type { WorkerObserver } from './keep-schedule.ts'

interface FailureAnnouncer {
  /** Queues a notification about the worker itself. */
  readonly announce: (type: 'worker.failed' | 'worker.recovered', text: string) => Promise<void>
  /** There may be something to deliver. */
  readonly wake: () => void
  /** A notification could not be queued. */
  readonly lost: (error: unknown) => void
}

/** Announces the first of several failures in a row, and the success that ends them. */
export function announceFailures<Result>({ announce, wake, lost }: FailureAnnouncer): WorkerObserver<Result> {
  let isFailing = false
  const queue = async (type: 'worker.failed' | 'worker.recovered', text: string) => {
    try {
      await announce(type, text)
    } catch (error) {
      lost(error)
    } finally {
      wake()
    }
  }
  return {
    planned: () => {},
    skipped: () => {},
    started: () => {},
    async ended(schedule) {
      if (isFailing) await queue('worker.recovered', `a run of ${schedule} succeeded again`)
      isFailing = false
      wake()
    },
    failed(schedule, error) {
      if (isFailing) return
      isFailing = true
      // The message of a bug may quote anything.
      const why = error instanceof AuditError ? error.message : 'a bug; the log has it'
      void queue('worker.failed', `a run of ${schedule} ended with an error: ${why}`)
    },
  }
}
