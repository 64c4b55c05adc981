import { findPeriod } from '../history/find-run.ts'
import type { HistoryReader } from '../history/reader.ts'
import type { RecordedViolation } from '../history/records.ts'
import { type CommittedRun, listEndedRuns, listRuns } from '../history/sql/runs.ts'
import type { ReportViolation } from '../model/report.ts'
import type { Compliance, CompliancePeriod, ControlViolation } from './compliance.ts'
import { composeCompliance } from './compose-compliance.ts'
import type { Framework } from './framework.ts'
import { measurePeriod, mostGapOf, type Period } from './measure-period.ts'
import type { PolicyResults } from './policy-results.ts'

/** The controls of a framework in one run. @throws AuditError.failure when the run is not there */
export async function assessRun(framework: Framework, run: number, policyResults: PolicyResults): Promise<Compliance> {
  return composeCompliance({
    ...(await policyResults.resultsOf(run)),
    framework,
    elsewhere: (await policyResults.elsewhere(run)).map(toReported),
    silenced: (await policyResults.silenced(run)).map(toReported),
  })
}

/**
 * The controls of a framework over a period: their state in its last run, violations that were resolved before that,
 * and how well the runs cover the period. `from` and `to` name runs or times; `now` is in milliseconds.
 * @throws AuditError.usage when no run was committed in the period
 */
export async function gatherCompliance(
  history: HistoryReader,
  framework: Framework,
  { now, ...period }: { readonly from: string; readonly to: string; readonly now: number },
  policyResults: PolicyResults,
): Promise<Compliance> {
  const runs = await listRuns(history)
  const { start, end } = findPeriod(runs, period, now)
  const within = runs.filter(({ finishedAt }) => Date.parse(finishedAt) >= start && Date.parse(finishedAt) <= end)
  const [first, last] = [within.at(0), within.at(-1)]
  if (first === undefined || last === undefined) throw new Error('findPeriod let an empty period pass')
  const resolved = await policyResults.resolvedBefore(first.number - 1, last.number)
  const results = await policyResults.resultsOf(last.number)
  const before = runs.findLast(({ number }) => number < first.number)
  return composeCompliance({
    ...results,
    framework,
    elsewhere: (await policyResults.elsewhere(last.number)).map(toReported),
    silenced: (await policyResults.silenced(last.number)).map(toReported),
    formerPolicies: (await policyResults.policiesBetween(first.number - 1, last.number)).flatMap(
      ({ lastRun, policy }) => {
        const run = lastRun === last.number ? undefined : within.find(({ number }) => number === lastRun)
        return run === undefined ? [] : [{ policy, until: run.startedAt }]
      },
    ),
    waivedMeanwhile: await policyResults.waivedBetween(first.number - 1, last.number),
    period: await periodOf(history, within, { start, end, before, mostGapMs: mostGapOf(results.scope.schedules) }),
    resolvedBefore: resolved.map(({ run: _, resolvedAt, ...violation }): ControlViolation => {
      const open_ms = Date.parse(resolvedAt) - Date.parse(violation.firstSeen)
      return { ...toReported(violation), resolved_at: resolvedAt, open_ms }
    }),
  })
}

/** As reports show it; what was due when is a matter of the run that reported it. */
function toReported({ firstSeen, lastSeen, waiver, ...violation }: RecordedViolation): ReportViolation {
  const { fingerprint, rule, severity, state, resolution, endedBy, project, kind, uid, name, owner = null } = violation
  const { path, message } = violation
  return {
    fingerprint,
    rule,
    severity,
    state,
    resolution,
    ended_by: endedBy,
    project,
    kind,
    uid,
    name,
    owner,
    path,
    message,
    first_seen: firstSeen,
    last_seen: lastSeen,
    due_at: null,
    ...(waiver === undefined ? {} : { waiver }),
  }
}

async function periodOf(
  history: HistoryReader,
  within: readonly CommittedRun[],
  { start, end, before, mostGapMs }: Period & { readonly before: CommittedRun | undefined; readonly mostGapMs: number },
): Promise<CompliancePeriod> {
  const ended = (await listEndedRuns(history, Number.MAX_SAFE_INTEGER)).runs
  const met = ended.filter(({ finishedAt }) => Date.parse(finishedAt) >= start && Date.parse(finishedAt) <= end)
  return {
    from: new Date(start).toISOString(),
    to: new Date(end).toISOString(),
    runs: within.length,
    interrupted: met.filter(({ isCommitted }) => !isCommitted).length,
    incomplete: met
      .filter(({ isCommitted, incomplete }) => isCommitted && incomplete > 0)
      .map(({ number, startedAt, incomplete }) => ({ run: number, at: startedAt, walks: incomplete }))
      .reverse(),
    ...measurePeriod({ start, end }, within, { before, mostGapMs }),
  }
}
