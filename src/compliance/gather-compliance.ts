import { findPeriod } from '../history/find-run.ts'
import type { CommittedRun, HistoryReader } from '../history/reader.ts'
import type { Compliance, CompliancePeriod, ControlViolation } from './compliance.ts'
import { composeCompliance } from './compose-compliance.ts'
import type { Framework } from './framework.ts'
import type { PolicyResults } from './policy-results.ts'

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
  const runs = await history.runs()
  const { start, end } = findPeriod(runs, period, now)
  const within = runs.filter(({ finishedAt }) => Date.parse(finishedAt) >= start && Date.parse(finishedAt) <= end)
  const [first, last] = [within.at(0), within.at(-1)]
  if (first === undefined || last === undefined) throw new Error('findPeriod let an empty period pass')
  const resolved = await policyResults.resolvedBefore(first.number - 1, last.number)
  return composeCompliance({
    ...(await policyResults.resultsOf(last.number)),
    framework,
    waivedMeanwhile: await policyResults.waivedBetween(first.number - 1, last.number),
    period: await periodOf(history, within, start, end),
    resolvedBefore: resolved.map(
      ({ run: _, resolvedAt, firstSeen, lastSeen, endedBy, ...violation }): ControlViolation => ({
        ...violation,
        owner: violation.owner ?? null,
        ended_by: endedBy,
        first_seen: firstSeen,
        last_seen: lastSeen,
        due_at: null,
        resolved_at: resolvedAt,
        open_ms: Date.parse(resolvedAt) - Date.parse(firstSeen),
      }),
    ),
  })
}

async function periodOf(
  history: HistoryReader,
  within: readonly CommittedRun[],
  start: number,
  end: number,
): Promise<CompliancePeriod> {
  const ended = (await history.endedRuns(Number.MAX_SAFE_INTEGER)).runs
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
    longest_gap: longestGap([start, ...within.map(({ startedAt }) => Date.parse(startedAt)), end]),
  }
}

function longestGap(instants: readonly number[]): CompliancePeriod['longest_gap'] {
  let [from = 0, to = 0] = instants
  for (const [at, instant] of instants.entries()) {
    const next = instants[at + 1]
    if (next !== undefined && next - instant > to - from) [from, to] = [instant, next]
  }
  return { from: new Date(from).toISOString(), to: new Date(to).toISOString(), ms: to - from }
}
