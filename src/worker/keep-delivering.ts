import type { Clock } from '../model/clock.ts'

export interface Deliveries {
  readonly clock: Clock
  /** Delivers what is due. */
  readonly deliver: (signal: AbortSignal) => Promise<void>
  /** An error that no receiver can be blamed for: the history cannot be used, or a bug. */
  readonly failed: (error: unknown) => void
}

/** Between runs it is looked so often for what has to be tried again. */
const everyMs = 10_000

/** Delivers at once, after each run, and again and again in between, until it is stopped. */
export function openDeliveries({ clock, deliver, failed }: Deliveries) {
  let wakeUp = () => {}
  let isAsked = true
  return {
    /** A run has ended: there may be something to tell. */
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
