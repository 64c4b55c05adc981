import { z } from 'zod'
import type { HistoryReader } from '../history/reader.ts'
import { type CommittedRun, findLastRun, listEndedRuns } from '../history/sql/runs.ts'
import { readLatestScans } from '../history/sql/scans.ts'
import { schemas } from '../model/report.ts'
import { count } from '../model/text/count.ts'
import { type Answer, type AnswerForm, type AnswerView, aboutScans } from '../report/answer.ts'
import { showDuration, showTime } from '../report/text/show-time.ts'
import { statingExtent } from './as-of.ts'
import { parameter, question, runNamed, runOrTime } from './question.ts'

const runEntry = z.object({
  number: schemas.count,
  started_at: schemas.time,
  finished_at: schemas.time,
  state: z.enum(['committed', 'interrupted', 'pruned']).describe('Of a pruned run, the numbers are of what is left.'),
  exit_code: schemas.verdict.shape.exit_code
    .nullable()
    .describe('null for a run that is not committed, and for readers of some projects.'),
  walks: schemas.count,
  incomplete: schemas.count,
  changes: schemas.count,
  opened: schemas.count.describe('Violations that the run opened.'),
})
export type RunEntry = z.infer<typeof runEntry>

export const runsForm: AnswerForm = {
  name: 'runs',
  version: 3,
  about: aboutScans,
  row: runEntry,
}

export const runs = question({
  form: runsForm,
  parameters: { run: parameter('--run <run|time>', `only runs up to this one: ${runOrTime}`, z.string().optional()) },
  isOfRun: false,
  async read(history, { run }, { limit }) {
    const upTo = run === undefined ? undefined : await runNamed(history, run)
    return { answer: await readRuns(history, { limit, upTo }), view: runsView }
  },
})

/**
 * The runs that ended, newest first: also interrupted ones, of which nothing else is stored, and pruned ones that stay
 * listed. `upTo`: none after this one.
 */
export async function readRuns(
  reader: HistoryReader,
  { limit, upTo }: { readonly limit: number; readonly upTo: CommittedRun | undefined },
): Promise<Answer<RunEntry>> {
  const isBounded = Number.isFinite(limit) && upTo === undefined
  const ended = await listEndedRuns(reader, isBounded ? limit : Number.MAX_SAFE_INTEGER)
  const later = upTo === undefined ? 0 : ended.runs.filter(({ number }) => number > upTo.number).length
  const runs = ended.runs.slice(later, later + limit)
  const total = ended.total - later
  const last = upTo ?? runs.find(({ isCommitted }) => isCommitted) ?? (await findLastRun(reader))
  return {
    form: runsForm,
    ...(last === undefined ? { run: null } : statingExtent(last, await readLatestScans(reader, last.number))),
    rows: runs.map(({ number, started_at, finished_at, state, exitCode, walks, incomplete, changes, opened }) => ({
      number,
      started_at,
      finished_at,
      state,
      exit_code: exitCode,
      walks,
      incomplete,
      changes,
      opened,
    })),
    omitted: total - runs.length,
  }
}

export const runsView: AnswerView<RunEntry> = {
  columns: [
    { name: 'number', align: 'right', link: 'run' },
    { name: 'started_at', show: (row) => showTime(row.started_at) },
    { name: 'finished_at', only: 'csv' },
    { name: 'took', show: (row) => showDuration(row.started_at, row.finished_at), only: 'text' },
    { name: 'state', only: 'csv' },
    { name: 'exit_code', align: 'right' },
    { name: 'walks', align: 'right' },
    { name: 'incomplete', only: 'csv' },
    { name: 'changes', align: 'right' },
    { name: 'opened', align: 'right', link: 'opened' },
  ],
  below: describeGap,
  nothing: 'No run has ended yet.',
}

/** What became of a run that is not committed. */
export const lostOf = {
  interrupted: 'interrupted: nothing of it is kept',
  pruned: 'pruned: only what violations name is kept',
} as const

function describeGap({ state, walks, incomplete }: RunEntry): string | undefined {
  if (state !== 'committed') return lostOf[state]
  return incomplete === 0 ? undefined : `${incomplete} of ${count(walks, 'listing')} incomplete`
}
