import type { Judgements } from '../compliance/judgements.ts'
import type { RunRecord } from '../history/history.ts'
import type { HistoryReader } from '../history/reader.ts'
import { AuditError } from '../model/errors.ts'
import { composeReport } from './compose-report.ts'

export function recordedJudgements(history: HistoryReader): Judgements {
  return {
    judge: async (run) => ({ report: composeReport(await recordOf(history, run)) }),
    resolvedBefore: (after, run) => history.resolvedBetween(after, run - 1),
    waivedBetween: (after, run) => history.waivedBetween(after, run),
  }
}

/** @throws AuditError 4 when the run is not there */
export async function recordOf(history: HistoryReader, run: number): Promise<RunRecord> {
  const record = await history.readRun(run)
  if (record === undefined) throw new AuditError(4, `run ${run} went away while it was read`)
  return record
}
