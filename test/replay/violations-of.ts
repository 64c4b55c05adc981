import type { RecordedViolation } from '../../src/history/records.ts'
import { inReportOrder } from '../../src/history/report-order.ts'
import type { CommittedRun } from '../../src/history/sql/runs.ts'
import { lifetimeRecord } from '../../src/replay/replay-draft.ts'
import type { Replay } from '../../src/replay/replay-policy.ts'

/** What the last run of a replay would have recorded: what is active, and what it found gone; in the order of reports. */
export function violationsOf({ active, ended }: Replay, run: CommittedRun): readonly RecordedViolation[] {
  const gone = ended.filter((violation) => violation.gone === run)
  return [...active, ...gone].map((violation) => lifetimeRecord(violation, run)).sort(inReportOrder)
}
