import type { CommittedRun } from '../history/sql/runs.ts'
import type { RunSchedule } from '../model/run-scope.ts'
import type { CompliancePeriod, ObservedTime, TimeGap } from './compliance.ts'

/** Both in milliseconds since the epoch. */
export interface Period {
  readonly start: number
  readonly end: number
}

type Measures = Pick<CompliancePeriod, 'longest_gap' | 'most_gap_ms' | 'gaps' | 'covered_ms' | 'evidence'>

/**
 * How well runs cover a period. The time between two runs is covered when it is not longer than `mostGapMs`; the time
 * before the first one only where an earlier run is as near; the time after the last one is not. `within`: the runs of the
 * period, at least one.
 */
export function measurePeriod(
  { start, end }: Period,
  within: readonly CommittedRun[],
  { before, mostGapMs }: { readonly before: CommittedRun | undefined; readonly mostGapMs: number },
): Measures {
  const [first, last] = [within.at(0), within.at(-1)]
  if (first === undefined || last === undefined) throw new Error('a period without a run is measured')
  const runs = within.map(({ startedAt, finishedAt }) => [Date.parse(startedAt), Date.parse(finishedAt)] as const)
  const isObservedFromStart =
    before !== undefined && Date.parse(first.startedAt) - Date.parse(before.finishedAt) <= mostGapMs
  let coveredMs = 0
  let observed = isObservedFromStart ? start : Math.max(start, Date.parse(first.startedAt))
  const from = observed
  for (const [startedAt, finishedAt] of runs) {
    coveredMs += startedAt - observed > mostGapMs ? finishedAt - startedAt : Math.max(0, finishedAt - observed)
    observed = Math.max(observed, finishedAt)
  }
  const gaps = gapsBetween([start, ...runs.map(([startedAt]) => startedAt), end])
  return {
    longest_gap: gaps.reduce((longest, gap) => (gap.ms > longest.ms ? gap : longest)),
    most_gap_ms: mostGapMs,
    gaps: gaps.filter(({ ms }) => ms > mostGapMs).length,
    covered_ms: coveredMs,
    evidence: evidenceOf({ from, to: observed, share: Math.min(1, coveredMs / (end - start)) }),
  }
}

function evidenceOf({
  from,
  to,
  share,
}: {
  readonly from: number
  readonly to: number
  readonly share: number
}): ObservedTime {
  return { from: new Date(from).toISOString(), to: new Date(to).toISOString(), share }
}

function gapsBetween(instants: readonly number[]): TimeGap[] {
  return instants.slice(1).map((to, at) => {
    const from = instants[at] ?? to
    return { from: new Date(from).toISOString(), to: new Date(to).toISOString(), ms: Math.max(0, to - from) }
  })
}

const minuteMs = 60_000
const hourMs = 60 * minuteMs

/** A day, and an hour for a run that begins late. */
const usualMs = 25 * hourMs

/**
 * The longest time without a run that leaves no gap: the longest interval of the schedules, with a twenty-fourth of it
 * for runs that begin late, at least five minutes; so a daily schedule allows 25 h, which also counts without a schedule.
 */
export function mostGapOf(schedules: readonly Pick<RunSchedule, 'intervalMs'>[]): number {
  const intervals = schedules.flatMap(({ intervalMs }) => intervalMs ?? [])
  if (intervals.length === 0) return usualMs
  const longest = Math.max(...intervals)
  return longest + Math.max(longest / 24, 5 * minuteMs)
}
