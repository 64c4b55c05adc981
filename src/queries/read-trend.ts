import { matchesProject } from '../config/choose-projects.ts'
import type { CommittedRun, HistoryReader } from '../history/reader.ts'
import { dayMs } from '../model/clock.ts'
import { policyProject } from '../model/resource.ts'
import type { SeverityTrend, Trend, TrendWeek } from '../model/trend.ts'
import type { Answer } from '../report/answer.ts'
import { showOpenTime } from '../report/compliance/show-open-time.ts'
import { type AnswerView, limited } from '../report/show-answer.ts'
import { showTime } from '../report/text/show-time.ts'
import { count } from '../text/count.ts'
import { selectProjects, statingExtent } from './as-of.ts'
import { measureTrend } from './measure-trend.ts'

/** What a report shows of the past, and `trend` unless asked for more. */
export const trendDays = 90

export interface TrendQuery {
  /** The run with which the period ends. */
  readonly run: CommittedRun
  /** When the period begins, in milliseconds since the epoch; undefined: 90 days before the run. */
  readonly since: number | undefined
  readonly projects: readonly string[]
}

/** How violations developed up to a run; later runs do not matter. */
export async function findTrend(reader: HistoryReader, { run, since, projects }: TrendQuery): Promise<Trend> {
  const to = Date.parse(run.startedAt)
  const ended = await reader.endedRuns(Number.MAX_SAFE_INTEGER)
  const runs = ended.runs.filter(({ number, isCommitted }) => isCommitted && number <= run.number)
  const first = runs.reduce((least, { startedAt }) => Math.min(least, Date.parse(startedAt)), to)
  const from = Math.min(to, Math.max(first, since ?? to - trendDays * dayMs))
  const before = runs.find(({ startedAt }) => Date.parse(startedAt) < from)?.number ?? 0
  const spans = await reader.violationSpans(before, run.number)
  return measureTrend(
    spans.filter(({ project }) => matchesProject(project, projects)),
    runs,
    { from, to },
  )
}

/** The trend, a row for each week, oldest first. */
export async function readTrend(
  reader: HistoryReader,
  { limit, ...query }: TrendQuery & { readonly limit: number },
): Promise<Answer<TrendWeek>> {
  const { run, projects } = query
  const known = await reader.latestScans(run.number)
  const chosen = new Set(selectProjects([...known, { project: policyProject }], projects).map(({ project }) => project))
  const trend = await findTrend(reader, query)
  const { rows, omitted } = limited(trend.weeks.toReversed(), limit)
  return {
    command: 'trend',
    ...statingExtent(
      run,
      known.filter(({ project }) => chosen.has(project)),
    ),
    more: {
      period: { from: trend.from, to: trend.to },
      severities: trend.bySeverity.map(({ severity, open, oldestOpen, fixed, meanTimeToFixMs }) => ({
        ...{ severity, open, oldest_open: oldestOpen, fixed },
        mean_time_to_fix_s: meanTimeToFixMs === null ? null : Math.round(meanTimeToFixMs / 1000),
      })),
    },
    remarks: [`From ${showTime(trend.from)} to ${showTime(trend.to)}.`],
    rows: rows.reverse(),
    omitted,
    conclusion: describeSeverities(trend),
  }
}

function describeSeverities({ bySeverity, to }: Trend): string[] {
  const lines = bySeverity.filter(({ open, fixed }) => open + fixed > 0)
  return lines.map(({ severity, open, oldestOpen, fixed, meanTimeToFixMs }: SeverityTrend) => {
    const oldest =
      oldestOpen === null ? '' : `, the oldest for ${showOpenTime(Date.parse(to) - Date.parse(oldestOpen))}`
    const mean = meanTimeToFixMs === null ? '' : `, after ${showOpenTime(meanTimeToFixMs)} on average`
    return `${severity}: ${open} open${oldest}; ${count(fixed, 'violation')} fixed${mean}.`
  })
}

export const trendView: AnswerView<TrendWeek> = {
  columns: [
    { name: 'from', value: ({ from }) => from, show: ({ from }) => from.slice(0, 10) },
    { name: 'to', value: ({ to }) => to, show: ({ to }) => to.slice(0, 10) },
    { name: 'opened', value: ({ opened }) => opened, align: 'right' },
    { name: 'fixed', value: ({ fixed }) => fixed, align: 'right' },
    { name: 'removed', value: ({ removed }) => removed, align: 'right' },
    { name: 'closed', value: ({ closed }) => closed, align: 'right' },
    { name: 'open', value: ({ open }) => open, align: 'right' },
    { name: 'runs', value: ({ runs }) => runs, align: 'right' },
    { name: 'incomplete', value: ({ incomplete }) => incomplete, align: 'right' },
  ],
  nothing: 'No run has ended yet.',
}
