import { describe, expect, it } from 'vitest'
import { untilCrash } from '../../src/app/end-in-order.ts'

/** As the process itself would, which a test cannot let happen. */
function crash(event: 'uncaughtException' | 'unhandledRejection', error: unknown): void {
  const [handler] = process.rawListeners(event).slice(-1)
  if (handler === undefined) throw new Error(`${event} has no listener`)
  Reflect.apply(handler, process, [error])
}

const untilStopped = (signal: AbortSignal) =>
  new Promise<string>((resolve) => signal.addEventListener('abort', () => resolve('stopped')))

describe('work that must not take the process down', () => {
  it('returns its result when it succeeds', async () => {
    expect(await untilCrash(new AbortController().signal, async () => 'done')).toBe('done')
  })

  it.each(['uncaughtException', 'unhandledRejection'] as const)(
    'is stopped by an %s and fails with that error',
    async (event) => {
      const working = untilCrash(new AbortController().signal, untilStopped)
      crash(event, new Error('a bug in a callback'))
      await expect(working).rejects.toThrow('a bug in a callback')
    },
  )

  it('stops on request without a failure', async () => {
    const stop = new AbortController()
    const working = untilCrash(stop.signal, untilStopped)
    stop.abort()
    expect(await working).toBe('stopped')
  })

  it('leaves no listener behind', async () => {
    const before = process.listenerCount('uncaughtException')
    await untilCrash(new AbortController().signal, async () => {})
    expect(process.listenerCount('uncaughtException')).toBe(before)
  })
})
