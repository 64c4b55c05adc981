import type { ExpectedChange } from '../compliance/compliance.ts'
import type { PolicyResults } from '../compliance/gather-compliance.ts'
import { silencedBy, untilChanged } from '../compliance/silenced-violations.ts'
import type { HistoryReader } from '../history/reader.ts'
import type { RecordedChange, RunRecord } from '../history/records.ts'
import { listAcceptances } from '../history/sql/acceptances.ts'
import { readPoliciesBetween, readRunInputs, readRunRecord, runsWithWindows } from '../history/sql/read-run.ts'
import { readResolvedBetween, readViolationsAt, readWaivedBetween } from '../history/sql/violations.ts'
import { AuditError } from '../model/errors.ts'
import { policyProject } from '../model/resource.ts'
import { type WindowTime, windowTimeOf } from '../model/window-time.ts'
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
    silencedBefore: async (before, runs) => untilChanged(history, await silencedBy(history, before), runs),
    policiesBetween: (after, run) => readPoliciesBetween(history, after, run),
    resolvedBefore: (after, run) => readResolvedBetween(history, after, run - 1),
    async expectedBetween(after, run) {
      const runs = await runsWithWindows(history, after, run)
      return expectedOf(history, runs, ({ project }, projects) => projects.get(project) ?? [])
    },
    waivedBetween: (after, run) => readWaivedBetween(history, after, run),
    acceptancesEndedBetween: async (first, last) =>
      (await listAcceptances(history)).flatMap(({ project: { name: project }, revoked, ended, ...acceptance }) => {
        const until = revoked?.at ?? ended?.at
        const isWithin = until !== undefined && until > first.started_at && until <= last.started_at
        return isWithin && acceptance.acceptedIn !== null
          ? [{ ...acceptance, project, severity: null, message: '', until }]
          : []
      }),
  }
}

/** Changes of some runs that may have been made in change windows, the latest first. `windowsFor`: by project, those recorded. */
export async function expectedOf(
  history: HistoryReader,
  runs: readonly number[],
  windowsFor: (change: RecordedChange, recorded: ReadonlyMap<string, readonly WindowTime[]>) => readonly WindowTime[],
): Promise<readonly ExpectedChange[]> {
  const expected: ExpectedChange[] = []
  for (const run of runs.toReversed()) {
    const { changes, projects } = (await readRunInputs(history, run)) ?? { changes: [], projects: [] }
    const recorded = new Map(projects.map(({ project, windows = [] }) => [project, windows]))
    for (const change of changes) {
      const time = windowTimeOf(windowsFor(change, recorded), change.between)
      if (time === undefined) continue
      const { project, kind, uid, name, change: type, between } = change
      expected.push({ run, project, kind, uid, name, change: type, between, window: time.name, ticket: time.ticket })
    }
  }
  return expected
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
