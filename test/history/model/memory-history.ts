import { type Acceptance, isInForce } from '../../../src/history/acceptances.ts'
import type { History } from '../../../src/history/history.ts'
import { leaseTaken } from '../../../src/history/lease-owner.ts'
import { isLeaseLive, type LocalProcess } from '../../../src/history/sqlite/lease.ts'
import { memoryApprovals } from './memory-approvals.ts'
import { MemoryDraft } from './memory-draft.ts'
import { emptyOutbox, memoryOutbox } from './memory-outbox.ts'
import { memoryReader } from './memory-reader.ts'
import { type Memory, noRows, type RunRow } from './memory-rows.ts'

/** The history of one process, gone with it: for tests, and to keep the contract honest. */
export function openMemoryHistory(owner: LocalProcess, memory: Memory = emptyMemory()): History {
  const refuseWhileLeased = () => {
    const { lease } = memory
    if (lease !== undefined && isLeaseLive(lease, owner)) throw leaseTaken(lease, owner.now(), 'this history')
  }
  return {
    ...memoryReader(memory),
    ...memoryApprovals(memory, refuseWhileLeased),
    acceptances: async () => memory.rows.acceptances,
    async accept(added) {
      refuseWhileLeased()
      const first = memory.rows.acceptances.length + 1
      const fresh = added.map((acceptance, at) => ({
        ...acceptance,
        id: first + at,
        revoked: undefined,
        ended: undefined,
      }))
      memory.rows = { ...memory.rows, acceptances: [...memory.rows.acceptances, ...fresh] }
    },
    async revokeAcceptances(ids, revoked) {
      refuseWhileLeased()
      const revoke = (row: Acceptance) => (ids.includes(row.id) && isInForce(row) ? { ...row, revoked } : row)
      memory.rows = { ...memory.rows, acceptances: memory.rows.acceptances.map(revoke) }
    },
    ...memoryOutbox(memory.outbox, owner),
    async begin(start) {
      refuseWhileLeased()
      const { lease, rows } = memory
      const now = new Date(owner.now()).toISOString()
      const { host, bootId, pid } = owner
      const token = (lease?.token ?? 0) + 1
      memory.lease = { token, host, bootId, pid, takenAt: now, heartbeatAt: now }
      // What a killed run drafted went with its draft.
      const killed = rows.runs.filter(({ state }) => state === 'running').map(({ number }) => number)
      const close = (run: RunRow): RunRow =>
        run.state === 'running' ? { ...run, state: 'interrupted', finishedAt: start.startedAt } : run
      const run: RunRow = { ...start, number: rows.runs.length + 1, state: 'running', finishedAt: '' }
      memory.rows = { ...rows, runs: [...rows.runs.map(close), run] }
      return new MemoryDraft(memory, owner, { run, token, interrupted: killed })
    },
  }
}

export function emptyMemory(): Memory {
  return {
    rows: noRows,
    lease: undefined,
    lastId: 0,
    unnotified: new Map(),
    outbox: emptyOutbox(),
    readings: new Map(),
  }
}
