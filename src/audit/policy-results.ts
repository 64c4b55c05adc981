import type { PolicyResults } from '../compliance/gather-compliance.ts'
import { silencedBy } from '../compliance/silenced-violations.ts'
import type { HistoryReader } from '../history/reader.ts'
import type { RunRecord } from '../history/records.ts'
import { readPoliciesBetween, readRunRecord } from '../history/sql/read-run.ts'
import { readResolvedBetween, readViolationsAt, readWaivedBetween } from '../history/sql/violations.ts'
import { AuditError } from '../model/errors.ts'
import { policyProject } from '../model/resource.ts'
import { composeReport } from './compose-report.ts'

export function recordedPolicyResults(history: HistoryReader): PolicyResults {
  /** A record is large, and several questions are about the same run. */
  let last: Promise<RunRecord> | undefined
  let lastRun: number | undefined
  const read = (run: number): Promise<RunRecord> => {
    if (last !== undefined && lastRun === run) return last
    lastRun = run
    last = recordOf(history, run)
    return last
  }
  return {
    async resultsOf(run) {
      const record = await read(run)
      return { report: composeReport(record), policy: record.policy, scope: record.scope }
    },
    async elsewhere(run) {
      const scanned = scannedIn(await read(run))
      return (await readViolationsAt(history, run)).filter(({ project }) => !scanned.has(project))
    },
    silenced: (run) => silencedBy(history, run),
    policiesBetween: (after, run) => readPoliciesBetween(history, after, run),
    resolvedBefore: (after, run) => readResolvedBetween(history, after, run - 1),
    waivedBetween: (after, run) => readWaivedBetween(history, after, run),
  }
}

/** What a run says something of: its projects, and the policy itself. */
export function scannedIn({ coverage, projects }: RunRecord): ReadonlySet<string> {
  return new Set([policyProject, ...coverage, ...projects].map((one) => ('name' in one ? one.name : one.project)))
}

/** @throws AuditError.failure when the run is not there */
export async function recordOf(history: HistoryReader, run: number): Promise<RunRecord> {
  const record = await readRunRecord(history, run)
  if (record === undefined) throw AuditError.failure(`run ${run} went away while it was read`)
  return record
}
