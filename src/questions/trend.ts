import { z } from 'zod'
import { matchesProject } from '../config/choose-projects.ts'
import { findRun } from '../history/find-run.ts'
import type { HistoryReader } from '../history/reader.ts'
import { readNotesBetween } from '../history/sql/notes.ts'
import { type CommittedRun, countIncompleteWalks, type EndedRun, listEndedRuns, listRuns } from '../history/sql/runs.ts'
import { readLatestScans } from '../history/sql/scans.ts'
import { visitSpans } from '../history/sql/visit-spans.ts'
import { AuditError } from '../model/errors.ts'
import type { Note } from '../model/note.ts'
import { schemas } from '../model/report.ts'
import { policyProject } from '../model/resource.ts'
import { listOf } from '../model/schema.ts'
import { count } from '../model/text/count.ts'
import type { Column } from '../model/text/table.ts'
import { dayMs, isoTime, readPastTime, showOpenTime } from '../model/time.ts'
import {
  openTimes,
  severityTrends,
  type Trend,
  type TrendDay,
  type TrendWeek,
  trendDay,
  trendWeeks,
} from '../model/trend.ts'
import { severities } from '../model/violation.ts'
import { type Answer, type AnswerForm, type AnswerView, aboutScans, limited } from '../report/answer.ts'
import { describeNote } from '../report/describe-notes.ts'
import type { Block } from '../report/document/blocks.ts'
import { showTime } from '../report/text/show-time.ts'
import { selectScans, statingExtent } from './as-of.ts'
import { startTrend } from './measure-trend.ts'
import { parameter, projectParameter, question, runNamed, runOrTime } from './question.ts'

export const trendForm: AnswerForm = {
  name: 'trend',
  version: 2,
  about: aboutScans,
  row: trendDay,
  more: {
    period: z
      .object({ from: schemas.time, to: schemas.time })
      .describe('It begins with the first run of the history, if that is later than what was asked for.'),
    severities: severityTrends,
    weeks: trendWeeks,
    notes: listOf(schemas.note).describe('What people did in the period, the latest first.'),
    mean_time_to_fix_ms: openTimes.mean_time_to_fix_ms,
    oldest: openTimes.oldest,
  },
}

export const trend = question({
  form: trendForm,
  parameters: {
    since: parameter(
      '--since <run|time>',
      'beginning of the period; a duration counts back from its last run',
      z.string().default('90d'),
    ),
    run: parameter('--run <run>', `last run of the period: ${runOrTime}`, z.string().default('latest')),
    project: projectParameter,
  },
  isOfRun: true,
  async read(history, { since: start, run: named, project: projects }, { format, limit: most }) {
    const run = await runNamed(history, named)
    const since = sinceOf(start, run, await listRuns(history))
    // A text has all weeks: the limit is for days.
    const limit = format === 'text' ? Number.POSITIVE_INFINITY : most
    const { answer, weeks } = await readTrend(history, { run, projects, since, limit })
    return { answer, view: trendViewOf(weeks) }
  },
})

/** A duration counts back from the run, so that the answer about a run is the same tomorrow. */
function sinceOf(since: string, { started_at }: CommittedRun, runs: readonly CommittedRun[]): number {
  const end = Date.parse(started_at)
  const start = readPastTime(since, end)?.start ?? Date.parse(findRun(runs, since, end).started_at)
  if (start < end) return start
  throw AuditError.usage(`--since ${since} is not before the run, which began at ${started_at}`)
}

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
export async function findTrend(reader: HistoryReader, query: TrendQuery): Promise<Trend> {
  const { run, since, projects } = query
  const to = Date.parse(run.started_at)
  const runs = (await runsSince(reader, since ?? to - trendDays * dayMs)).filter(
    ({ number, isCommitted }) => isCommitted && number <= run.number,
  )
  const first = runs.reduce((least, { started_at }) => Math.min(least, Date.parse(started_at)), to)
  const from = Math.min(to, Math.max(first, since ?? to - trendDays * dayMs))
  const before = runs.find(({ started_at }) => Date.parse(started_at) < from)?.number ?? 0
  const trend = startTrend(await runsOf(reader, runs, query), { from, to })
  await visitSpans(reader, before, run.number, (span) => {
    if (matchesProject(span.project, projects)) trend.add(span)
  })
  const notes = await readNotesBetween(reader, isoTime(from), isoTime(to))
  const isChosen = (note: Note) =>
    note.projects.length === 0 || note.projects.some((name) => matchesProject(name, projects))
  return { ...trend.conclude(), notes: notes.filter(isChosen) }
}

/** The runs that scanned one of these projects, by the names that they have now, with what was incomplete of these. */
async function runsOf(
  reader: HistoryReader,
  runs: readonly EndedRun[],
  { run, projects }: TrendQuery,
): Promise<readonly EndedRun[]> {
  const first = runs.at(-1)
  if (projects.length === 0 || first === undefined) return runs
  const scans = [...(await readLatestScans(reader, run.number)), { project: policyProject }]
  const chosen = scans.map(({ project }) => project).filter(({ name }) => matchesProject(name, projects))
  const incomplete = await countIncompleteWalks(reader, chosen, first.number, run.number)
  return runs.flatMap((one) => {
    const own = incomplete.get(one.number)
    return own === undefined ? [] : [{ ...one, incomplete: own }]
  })
}

/** Ended runs, newest first, as far back as one before a time: there may be millions. */
async function runsSince(reader: HistoryReader, time: number): Promise<readonly EndedRun[]> {
  for (let most = 1000; ; most *= 8) {
    const { runs, total } = await listEndedRuns(reader, most)
    const isReached = runs.some(({ started_at, isCommitted }) => isCommitted && Date.parse(started_at) < time)
    if (isReached || total <= most) return runs
  }
}

/** The trend, a row for each day, oldest first. Texts show weeks. */
export async function readTrend(
  reader: HistoryReader,
  { limit, ...query }: TrendQuery & { readonly limit: number },
): Promise<{ readonly answer: Answer<TrendDay>; readonly weeks: readonly TrendWeek[] }> {
  const { run, projects } = query
  const scans = selectScans(await readLatestScans(reader, run.number), projects)
  const trend = await findTrend(reader, query)
  const { rows, omitted } = limited(trend.days.toReversed(), limit)
  const answer: Answer<TrendDay> = {
    form: trendForm,
    ...statingExtent(run, scans),
    more: {
      period: { from: trend.from, to: trend.to },
      mean_time_to_fix_ms: trend.all.mean_time_to_fix_ms,
      oldest: trend.all.oldest,
      severities: trend.bySeverity,
      weeks: trend.weeks,
      notes: trend.notes,
    },
    remarks: [`From ${showTime(trend.from)} to ${showTime(trend.to)}.`],
    rows: rows.reverse(),
    omitted,
    conclusion: [...describeSeverities(trend), ...describeNoted(trend.notes)],
  }
  return { answer, weeks: trend.weeks }
}

function describeSeverities({ bySeverity, to }: Trend): string[] {
  const lines = bySeverity.filter(({ open, fixed }) => open + fixed > 0)
  return lines.map(({ severity, open, oldest: since, fixed, mean_time_to_fix_ms }) => {
    const oldest = since === null ? '' : `, the oldest for ${showOpenTime(Date.parse(to) - Date.parse(since))}`
    const mean = mean_time_to_fix_ms === null ? '' : `, after ${showOpenTime(mean_time_to_fix_ms)} on average`
    return `${severity}: ${open} open${oldest}; ${count(fixed, 'violation')} fixed${mean}.`
  })
}

const mostNotes = 20

/** A line for each note, with its time. */
function describeNoted(notes: readonly Note[]): string[] {
  if (notes.length === 0) return []
  const named = notes.slice(0, mostNotes)
  const omitted = notes.length - named.length
  return [
    'Noted:',
    ...named.map((note) => `${showTime(note.at)} ${describeNote(note)}`),
    ...(omitted === 0 ? [] : [`… and ${omitted} more; hookdrift note --list shows all`]),
  ]
}

function weekTable(weeks: readonly TrendWeek[]): Block {
  const numbers = ['opened', 'fixed', 'removed', 'closed', 'waived', 'open', 'runs', 'incomplete'] as const
  return {
    kind: 'table',
    name: 'weeks',
    columns: [{ title: 'From' }, { title: 'To' }, ...numbers.map((title) => ({ title, kind: 'number' as const }))],
    rows: weeks.map(({ from, to, ...week }) => {
      return { cells: [from.slice(0, 10), to.slice(0, 10), ...numbers.map((name) => String(week[name]))] }
    }),
  }
}

/** The table of an answer has a line for each week: of days, a quarter would not fit on a screen. */
export function trendViewOf(weeks: readonly TrendWeek[]): AnswerView<TrendDay> {
  return {
    columns: [
      'date',
      'opened',
      'fixed',
      'removed',
      'closed',
      'waived',
      ...severities.map(
        (severity): Column<TrendDay> => ({ name: `open_${severity}`, value: ({ open }) => open[severity] }),
      ),
      'runs',
      'incomplete',
    ],
    blocks: () => [weekTable(weeks)],
    nothing: 'No run has ended yet.',
  }
}
