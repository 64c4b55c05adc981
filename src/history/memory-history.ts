import type { Draft, History, RunRecord, RunStart, SealedRun } from './history.ts'
import { type Holder, isHeld, leaseHeld } from './holder.ts'
import { MemoryDraft } from './memory-draft.ts'
import { type Memory, noRows, type RunRow, readRows } from './memory-rows.ts'

/** The history of one process, gone with it: for tests, and to keep the contract honest. */
export function openMemoryHistory(holder: Holder, memory: Memory = emptyMemory()): History {
  return new MemoryHistory(holder, memory)
}

export function emptyMemory(): Memory {
  return { rows: noRows, lease: undefined, lastId: 0 }
}

class MemoryHistory implements History {
  readonly #holder: Holder
  readonly #memory: Memory

  constructor(holder: Holder, memory: Memory) {
    this.#holder = holder
    this.#memory = memory
  }

  async begin(start: RunStart): Promise<Draft> {
    const { lease, rows } = this.#memory
    if (lease !== undefined && isHeld(lease, this.#holder)) throw leaseHeld(lease, this.#holder, 'this history')
    const now = new Date(this.#holder.now()).toISOString()
    const { host, bootId, pid } = this.#holder
    const token = (lease?.token ?? 0) + 1
    this.#memory.lease = { token, host, bootId, pid, takenAt: now, heartbeatAt: now }
    // What a killed run drafted went with its draft.
    const killed = rows.runs.filter(({ state }) => state === 'running').map(({ number }) => number)
    const close = (run: RunRow): RunRow =>
      run.state === 'running' ? { ...run, state: 'interrupted', finishedAt: start.startedAt } : run
    const run: RunRow = { ...start, number: rows.runs.length + 1, state: 'running', finishedAt: '' }
    this.#memory.rows = { ...rows, runs: [...rows.runs.map(close), run] }
    return new MemoryDraft(this.#memory, this.#holder, { run, token, interrupted: killed })
  }

  async latestRun(): Promise<number | undefined> {
    return this.#memory.rows.runs.findLast(({ state }) => state === 'sealed')?.number
  }

  async runs(): Promise<readonly SealedRun[]> {
    const sealed = this.#memory.rows.runs.filter(({ state }) => state === 'sealed')
    return sealed.map(({ number, startedAt, finishedAt }) => ({ number, startedAt, finishedAt }))
  }

  async readRun(number: number): Promise<RunRecord | undefined> {
    const run = this.#memory.rows.runs[number - 1]
    return run?.state === 'sealed' ? readRows(this.#memory.rows, run) : undefined
  }

  async close(): Promise<void> {}
}
