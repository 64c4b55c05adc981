import type { PolicyResults } from '../compliance/policy-results.ts'
import type { HistoryReader } from '../history/reader.ts'
import type { RunRecord } from '../history/records.ts'
import { AuditError } from '../model/errors.ts'
import { composeReport } from './compose-report.ts'

export function recordedPolicyResults(history: HistoryReader): PolicyResults {
  return {
    resultsOf: async (run) => ({ report: composeReport(await recordOf(history, run)) }),
    resolvedBefore: (after, run) => history.resolvedBetween(after, run - 1),
    waivedBetween: (after, run) => history.waivedBetween(after, run),
  }
}

/** @throws AuditError.failure when the run is not there */
export async function recordOf(history: HistoryReader, run: number): Promise<RunRecord> {
  const record = await history.readRun(run)
  if (record === undefined) throw AuditError.failure(`run ${run} went away while it was read`)
  return record
}
