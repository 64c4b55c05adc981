import type { LocalProcess } from '../../src/history/sqlite/lease.ts'

/** A process on a machine of the test's. It beats while it is awake; once dead, it is gone. */
export interface Process extends LocalProcess {
  kill(): void
  pause(): void
}

/** Machines with one clock, which stops until it is moved. */
export class Machines {
  #nowMs = Date.parse('2026-03-01T00:00:00.000Z')
  readonly #processes: { host: string; pid: number; state: 'awake' | 'paused' | 'dead'; beats: Set<() => unknown> }[] =
    []

  process(pid: number, host = 'alpha'): Process {
    const own = { host, pid, state: 'awake' as 'awake' | 'paused' | 'dead', beats: new Set<() => unknown>() }
    this.#processes.push(own)
    return {
      host,
      bootId: `boot of ${host}`,
      pid,
      isAlive: (other) => this.#processes.some((it) => it.host === host && it.pid === other && it.state !== 'dead'),
      now: () => this.#nowMs,
      every: (_ms, call) => {
        own.beats.add(call)
        return () => own.beats.delete(call)
      },
      kill: () => {
        own.state = 'dead'
      },
      pause: () => {
        own.state = 'paused'
      },
    }
  }

  /** Lets seconds pass; processes that are awake beat at their end. Resolves when their beats have arrived. */
  async pass(seconds: number): Promise<void> {
    this.#nowMs += seconds * 1000
    const awake = this.#processes.filter(({ state }) => state === 'awake')
    await Promise.all(awake.flatMap(({ beats }) => [...beats].map((beat) => beat())))
  }
}
