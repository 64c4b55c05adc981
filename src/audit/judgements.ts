import type { HistoryReader, ResolvedViolation, WaivedViolation } from '../history/reader.ts'
import type { RunRecord } from '../history/records.ts'
import type { ReplayedWith } from '../model/compliance.ts'
import { AuditError } from '../model/errors.ts'
import type { Report } from '../model/report.ts'
import { composeReport } from './compose-report.ts'

/** What was found in past runs: as it was recorded, or as another policy would have. */
export interface Judgements {
  /** What a run says. */
  judge(run: number): Promise<{ readonly report: Report; readonly replayedWith?: ReplayedWith }>
  /** What was resolved in runs after `after`, before `run`: the latest first. */
  resolvedBefore(after: number, run: number): Promise<readonly ResolvedViolation[]>
  /** What was accepted in runs after `after`, up to `run`. */
  waivedBetween(after: number, run: number): Promise<readonly WaivedViolation[]>
}

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
