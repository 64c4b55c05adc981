import { findPeriod } from '../../history/find-run.ts'
import type { HistoryReader } from '../../history/reader.ts'
import type { RecordedViolation, RunRecord } from '../../history/records.ts'
import { listAcceptances } from '../../history/sql/acceptances.ts'
import { listApprovals } from '../../history/sql/approvals.ts'
import {
  readChains,
  readPoliciesBetween,
  readRunInputs,
  requireRunRecord,
  runsWithWindows,
} from '../../history/sql/read-run.ts'
import {
  type CommittedRun,
  countIncompleteWalks,
  type EndedRun,
  listEndedRuns,
  listRuns,
} from '../../history/sql/runs.ts'
import { countScans, readLatestScans } from '../../history/sql/scans.ts'
import { readResolvedBetween, readViolationsAt, readWaivedBetween } from '../../history/sql/violations.ts'
import type { Report } from '../../model/report.ts'
import { isProjectList, policyProject, projectKey } from '../../model/resource.ts'
import type { RunSchedule, RunScope } from '../../model/run-scope.ts'
import { windowTimeOf } from '../../model/window-time.ts'
import type {
  Compliance,
  CompliancePeriod,
  ControlViolation,
  ExpectedChange,
  FormerProject,
  ObservedTime,
  Population,
  TimeGap,
} from './compliance.ts'
import { composeCompliance, type FormerAcceptance } from './compose-compliance.ts'
import type { Framework } from './framework.ts'
import { silencedBy, untilChanged } from './silenced-violations.ts'

/**
 * The controls of a framework in one run. `composeReport`: from the record of a run.
 * @throws AuditError.failure when the run is not there
 */
export async function assessRun(
  history: HistoryReader,
  framework: Framework,
  run: number,
  composeReport: ComposeReport,
): Promise<Compliance> {
  return composeCompliance({
    ...(await readResults(history, run, composeReport)),
    framework,
    expected: await readExpected(history, run - 1, run),
  })
}

type ComposeReport = (record: RunRecord) => Report

/**
 * The controls of a framework over a period: their state in its last run, violations that were resolved before that,
 * and how well the runs cover the period. `from` and `to` name runs or times; `now` is in milliseconds.
 * @throws AuditError.usage when no run was committed in the period
 */
export async function gatherCompliance(
  history: HistoryReader,
  framework: Framework,
  { now, ...period }: { readonly from: string; readonly to: string; readonly now: number },
  composeReport: ComposeReport,
): Promise<Compliance> {
  const runs = await listRuns(history)
  const { start, end, within } = findPeriod(runs, period, now)
  const [first] = within
  const last = within.at(-1) ?? first
  const after = first.number - 1
  const before = runs.findLast(({ number }) => number < first.number)
  const silencedBefore = before === undefined ? [] : await silencedBy(history, before.number)
  const results = await readResults(history, last.number, composeReport)
  const { runs: ended } = await listEndedRuns(history, Number.MAX_SAFE_INTEGER)
  return composeCompliance({
    ...results,
    framework,
    formerlySilenced: (await untilChanged(history, silencedBefore, within)).map(toReported),
    formerPolicies: (await readPoliciesBetween(history, after, last.number)).flatMap(({ lastRun, rules, policy }) => {
      const run = lastRun === last.number ? undefined : within.find(({ number }) => number === lastRun)
      return run === undefined ? [] : [{ rules, policy, until: run.started_at }]
    }),
    expected: await readExpected(history, after, last.number),
    waivedMeanwhile: await readWaivedBetween(history, after, last.number),
    formerAcceptances: await readFormerAcceptances(history, first, last),
    formerProjects: await findFormerProjects(history, { first, last, scope: results.scope }),
    population: await populationOf(history, within, { start, end, ended }),
    period: await periodOf(history, within, {
      ended,
      start,
      end,
      before,
      mostGapMs: mostGapOf(results.scope.schedules),
    }),
    resolvedBefore: (await readResolvedBetween(history, after, last.number - 1)).map(
      ({ resolved_run: _, ...violation }): ControlViolation => {
        const open_ms = Math.max(0, Date.parse(violation.resolved_at) - Date.parse(violation.first_seen))
        return { ...toReported(violation), open_ms }
      },
    ),
  })
}

/** The report of a run, what its policy leaves out, and what earlier runs say of the rest. */
async function readResults(history: HistoryReader, run: number, composeReport: ComposeReport) {
  const record = await requireRunRecord(history, run)
  const { policy, scope, coverage, projects, violations } = record
  // What is known of a service is in the record, although no walk has its name.
  const scanned = new Set([
    policyProject.name,
    ...[...coverage, ...projects, ...violations].map(({ project }) => project),
  ])
  const elsewhere = (await readViolationsAt(history, run)).filter(({ project }) => !scanned.has(project))
  return {
    report: composeReport(record),
    policy,
    scope,
    elsewhere: elsewhere.map(toReported),
    silenced: (await silencedBy(history, run)).map(toReported),
  }
}

/** As reports show it; what was due when is a matter of the run that reported it. */
function toReported<Violation extends RecordedViolation>(violation: Violation) {
  return { ...violation, due_at: null }
}

/** Changes of runs after `after`, up to `upTo`, that may have been made in change windows; the latest first. */
async function readExpected(history: HistoryReader, after: number, upTo: number): Promise<readonly ExpectedChange[]> {
  const expected: ExpectedChange[] = []
  for (const run of (await runsWithWindows(history, after, upTo)).toReversed()) {
    const { changes, projects } = (await readRunInputs(history, run)) ?? { changes: [], projects: [] }
    const windowsOf = new Map(projects.map(({ project, windows }) => [project, windows]))
    for (const { project, kind, uid, name, change, between } of changes) {
      const time = windowTimeOf(windowsOf.get(project), between)
      if (time === undefined) continue
      expected.push({ run, project, kind, uid, name, change, between, window: time.name, ticket: time.ticket })
    }
  }
  return expected
}

/** All runs, changes and approvals: an auditor samples from them. */
async function populationOf(
  history: HistoryReader,
  within: readonly [CommittedRun, ...CommittedRun[]],
  { start, end, ended }: Period & { readonly ended: readonly EndedRun[] },
): Promise<Population> {
  const [first] = within
  const byNumber = new Map(ended.map((run) => [run.number, run]))
  const chains = await readChains(history, first.number, within.at(-1)?.number ?? first.number)
  const changes: Population['changes'][number][] = []
  for (const { number } of within) {
    if (byNumber.get(number)?.changes === 0) continue
    const found = (await readRunInputs(history, number))?.changes ?? []
    changes.push(...found.map((change) => ({ ...change, run: number })))
  }
  const isWithin = ({ at }: { readonly at: string }) => Date.parse(at) >= start && Date.parse(at) <= end
  return {
    runs: within.map(({ number, started_at }) => ({
      run: number,
      started_at,
      incomplete: byNumber.get(number)?.incomplete ?? 0,
      chain: chains.get(number) ?? null,
    })),
    changes,
    approvals: (await listApprovals(history))
      .filter(isWithin)
      .map(({ project, run = null, at, by, osUser = null, note }) => {
        return { project: project.name, run, at, by, os_user: osUser, note: note ?? null }
      }),
  }
}

/** Acceptances that a person revoked, or a run ended, after the start of one run and by that of another. */
async function readFormerAcceptances(
  history: HistoryReader,
  first: CommittedRun,
  last: CommittedRun,
): Promise<readonly FormerAcceptance[]> {
  const acceptances = await listAcceptances(history)
  return acceptances.flatMap(({ project: { name: project }, revoked, ended, ...acceptance }) => {
    const until = revoked?.at ?? ended?.at
    const isWithin = until !== undefined && until > first.started_at && until <= last.started_at
    return isWithin && acceptance.acceptedIn !== null
      ? [{ ...acceptance, project, severity: null, message: '', until }]
      : []
  })
}

/**
 * How well runs cover a period. The time between two runs is covered when it is not longer than `mostGapMs`; the time
 * before the first one only where an earlier run is as near; the time after the last one is not. `within`: the runs of the
 * period.
 */
export function measurePeriod(
  { start, end }: Period,
  within: readonly [CommittedRun, ...CommittedRun[]],
  {
    before,
    mostGapMs,
    incomplete,
    scans,
  }: {
    readonly before: CommittedRun | undefined
    readonly mostGapMs: number
    /** Numbers of runs with a walk that was not complete. */
    readonly incomplete: ReadonlySet<number>
    /** For each project, from when on it was to be scanned, and when it was so completely; in milliseconds. */
    readonly scans: readonly (readonly number[])[]
  },
): Measures {
  const [first] = within
  const runs = within.map(({ started_at, finished_at }) => [Date.parse(started_at), Date.parse(finished_at)] as const)
  const isObservedFromStart =
    before !== undefined && Date.parse(first.started_at) - Date.parse(before.finished_at) <= mostGapMs
  let coveredMs = 0
  let observed = isObservedFromStart ? start : Math.max(start, Date.parse(first.started_at))
  const from = observed
  for (const [startedAt, finishedAt] of runs) {
    coveredMs += startedAt - observed > mostGapMs ? finishedAt - startedAt : Math.max(0, finishedAt - observed)
    observed = Math.max(observed, finishedAt)
  }
  const gaps = gapsBetween([start, ...runs.map(([startedAt]) => startedAt), end])
  const complete = within.filter(({ number }) => !incomplete.has(number)).map(startOf)
  return {
    longest_gap: longestOf(gaps),
    longest_incomplete: longestOf(
      [[start, ...complete], ...scans].flatMap((instants) => gapsBetween([...instants, end])),
    ),
    most_gap_ms: mostGapMs,
    gaps: gaps.filter(({ ms }) => ms > mostGapMs).length,
    covered_ms: coveredMs,
    evidence: evidenceOf({ from, to: observed, share: Math.min(1, coveredMs / (end - start)) }),
  }
}

function longestOf(gaps: readonly TimeGap[]): TimeGap {
  return gaps.reduce((longest, gap) => (gap.ms > longest.ms ? gap : longest))
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

async function periodOf(
  history: HistoryReader,
  within: readonly [CommittedRun, ...CommittedRun[]],
  {
    start,
    end,
    ended: all,
    before,
    mostGapMs,
  }: Period & {
    readonly ended: readonly EndedRun[]
    readonly before: CommittedRun | undefined
    readonly mostGapMs: number
  },
): Promise<CompliancePeriod> {
  const ended = all.filter(({ state }) => state !== 'pruned')
  const met = ended.filter(({ finished_at }) => Date.parse(finished_at) >= start && Date.parse(finished_at) <= end)
  const withGaps = met.filter(({ isCommitted, incomplete }) => isCommitted && incomplete > 0)
  const incomplete = new Set(withGaps.map(({ number }) => number))
  const [first] = within
  const last = within.at(-1) ?? first
  const left = ended.filter(({ number }) => number >= first.number && number <= last.number)
  return {
    from: new Date(start).toISOString(),
    to: new Date(end).toISOString(),
    runs: within.length,
    interrupted: met.filter(({ isCommitted }) => !isCommitted).length,
    pruned: last.number - first.number + 1 - left.length,
    incomplete: withGaps
      .map(({ number, started_at, incomplete }) => ({ run: number, at: started_at, walks: incomplete }))
      .reverse(),
    ...measurePeriod({ start, end }, within, {
      before,
      mostGapMs,
      incomplete,
      scans: await readCompleteScanTimes(history, within, { start, before }),
    }),
  }
}

/**
 * Other runs of the period may have scanned some projects only. Of each project of the last run: the start of the period,
 * or of its first scan, and of the runs that scanned it completely.
 */
async function readCompleteScanTimes(
  history: HistoryReader,
  within: readonly [CommittedRun, ...CommittedRun[]],
  { start, before }: { readonly start: number; readonly before: CommittedRun | undefined },
): Promise<readonly (readonly number[])[]> {
  const [first] = within
  const last = within.at(-1) ?? first
  const knownBefore = new Set(
    before === undefined
      ? []
      : (await readLatestScans(history, before.number)).map(({ project }) => projectKey(project)),
  )
  const times: number[][] = []
  const scanCounts = await countScans(history, first.number, last.number)
  for (const { project, run } of await readLatestScans(history, last.number)) {
    if (run.number !== last.number || isProjectList(project)) continue
    // What every run scanned has no longer gap than the runs themselves.
    if (scanCounts.get(projectKey(project)) === within.length) continue
    const incompleteWalks = await countIncompleteWalks(history, [project], first.number, last.number)
    const scans = within.filter(({ number }) => incompleteWalks.has(number))
    const complete = scans.filter(({ number }) => incompleteWalks.get(number) === 0)
    const since = knownBefore.has(projectKey(project)) ? [start] : scans.slice(0, 1).map(startOf)
    times.push([...since, ...complete.map(startOf)])
  }
  return times
}

/**
 * Projects of earlier runs that the last one did not know. A run that scans nothing of a service does not read its list,
 * and then knows only the projects that the configuration names.
 */
async function findFormerProjects(
  history: HistoryReader,
  { first, last, scope }: { readonly first: CommittedRun; readonly last: CommittedRun; readonly scope: RunScope },
): Promise<readonly FormerProject[]> {
  // An older release recorded no scope.
  if (scope.gateways.length === 0) return []
  const scans = await readLatestScans(history, last.number)
  const listed = new Set(
    scans.flatMap(({ project, run }) => (isProjectList(project) && run.number === last.number ? project.service : [])),
  )
  const unread = scope.gateways.filter(({ service, projects }) => projects !== 'named' && !listed.has(service))
  const unreadServices = new Set(unread.map(({ service }) => service))
  return scans.flatMap(({ project, run }) => {
    const isOfPeriod = run.number >= first.number && run.number < last.number
    const mayBeKnown = scope.unscanned.includes(project.name) || unreadServices.has(project.service)
    return isOfPeriod && !isProjectList(project) && !mayBeKnown
      ? [{ project: project.name, run: run.number, at: run.started_at }]
      : []
  })
}

function startOf({ started_at }: CommittedRun): number {
  return Date.parse(started_at)
}

/** Both in milliseconds since the epoch. */
interface Period {
  readonly start: number
  readonly end: number
}

type Measures = Pick<
  CompliancePeriod,
  'longest_gap' | 'longest_incomplete' | 'most_gap_ms' | 'gaps' | 'covered_ms' | 'evidence'
>

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
