import { composeReport } from '../../src/audit/compose-report.ts'
import { type ReplayRequest, replayPolicy } from '../../src/audit/replay/replay-policy.ts'
import type { HistoryReader } from '../../src/history/reader.ts'
import { requireRunRecord } from '../../src/history/sql/read-run.ts'
import { historyInMemory } from '../../src/history/sqlite/history-in-memory.ts'
import type { Report } from '../../src/model/report.ts'
import { everyViolation, readViolations } from '../../src/questions/violations.ts'

/** Replays runs with a policy: what each of them would have reported, and all violations that ended. */
export async function replayRuns(history: HistoryReader, { policy, runs }: Omit<ReplayRequest, 'clock'>) {
  const memory = historyInMemory()
  try {
    const replay = await replayPolicy(history, memory, { policy, runs, clock: () => 0 })
    const run = runs.at(-1)
    if (run === undefined) throw new Error('there is no run')
    const states = new Set(['resolved'] as const)
    const limit = Number.POSITIVE_INFINITY
    const { rows: ended } = await readViolations(memory, { ...everyViolation, run, states, rule: undefined, limit })
    const reports: Report[] = []
    for (const { number } of runs) reports.push(composeReport(await requireRunRecord(memory, number)))
    return { ...replay, ended, reports, violations: replay.report.violations }
  } finally {
    await memory.close()
  }
}
