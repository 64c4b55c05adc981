import type { Clock } from '../model/time.ts'

export interface Deliveries {
  readonly clock: Clock
  /** Delivers due messages. */
  readonly deliver: (signal: AbortSignal) => Promise<void>
  /** Called with an error that is not a receiver's: the history is unusable, or a bug. */
  readonly failed: (error: unknown) => void
}

/** The interval between two checks for messages that are due again. */
const everyMs = 10_000

/** Delivers at once, after each run, and regularly in between, until it is stopped. */
export function openDeliveries({ clock, deliver, failed }: Deliveries) {
  let wakeUp = () => {}
  let isAsked = true
  return {
    /** A run has ended: there may be new messages. */
    wake(): void {
      isAsked = true
      wakeUp()
    },
    async keep(signal: AbortSignal): Promise<void> {
      signal.addEventListener('abort', () => wakeUp())
      while (!signal.aborted) {
        isAsked = false
        try {
          await deliver(signal)
        } catch (error) {
          failed(error)
        }
        await rest(signal)
      }
    },
  }

  async function rest(signal: AbortSignal): Promise<void> {
    const nap = new AbortController()
    wakeUp = () => nap.abort()
    if (signal.aborted || isAsked) return
    try {
      await clock.sleep(everyMs, nap.signal)
    } catch (error) {
      if (!nap.signal.aborted) throw error
    }
  }
}
