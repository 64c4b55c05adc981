import type { HistoryReader } from '../history/reader.ts'
import type { CommittedRun } from '../history/sql/runs.ts'
import { readLatestScans } from '../history/sql/scans.ts'
import { schemas } from '../model/report.ts'
import { type Answer, type AnswerForm, type AnswerView, aboutScans, limited } from '../report/answer.ts'
import { isGap, isUnseen, sizeOf } from '../report/gaps.ts'
import { showTime } from '../report/text/show-time.ts'
import { selectProjects, statingExtent, toCoverage } from './as-of.ts'
import { given, parameter, projectParameter, question, runNamed, runParameter } from './question.ts'

const row = schemas.scannedCoverage.extend({ at: schemas.time.describe('When that run began.') })

export const coverageForm: AnswerForm = {
  name: 'coverage',
  version: 2,
  command: 'status --listings',
  about: aboutScans,
  row,
}

export const coverage = question({
  form: coverageForm,
  parameters: {
    incomplete: parameter('--incomplete', 'only listings that should be complete and are not', given),
    run: runParameter,
    project: projectParameter,
  },
  isOfRun: true,
  async read(history, { incomplete = false, run: named, project: projects }, { limit }) {
    const run = await runNamed(history, named)
    return { answer: await readCoverage(history, run, { incomplete, projects, limit }), view: coverageView }
  },
})

interface CoverageQuery {
  readonly incomplete: boolean
  readonly projects: readonly string[]
  readonly limit: number
}

async function readCoverage(reader: HistoryReader, run: CommittedRun, query: CoverageQuery) {
  const scans = selectProjects(await readLatestScans(reader, run.number), query.projects)
  const walks = scans.flatMap((scan) => toCoverage(scan).map((walk) => ({ ...walk, at: scan.run.started_at })))
  const rows = query.incomplete ? walks.filter(isGap) : walks
  const answer: Answer<(typeof rows)[number]> = {
    form: coverageForm,
    ...statingExtent(run, scans),
    ...limited(rows, query.limit),
  }
  return answer
}

const coverageView: AnswerView<Awaited<ReturnType<typeof readCoverage>>['rows'][number]> = {
  columns: [
    { name: 'project', breaks: true, link: 'project' },
    'listing',
    'status',
    { name: 'cause', only: 'csv' },
    { name: 'run', align: 'right', link: 'run' },
    { name: 'at', show: ({ at }) => showTime(at) },
    { name: 'items', value: (walk) => (isUnseen(walk) ? null : walk.items), only: 'csv' },
    {
      name: 'resources',
      only: 'text',
      show: (walk) => (isUnseen(walk) ? '?' : String(sizeOf(walk))),
      align: 'right',
    },
    { name: 'of', only: 'csv' },
    { name: 'reason', only: 'csv' },
  ],
  below: ({ cause, reason }) => (reason === null ? undefined : `${cause}: ${reason}`),
  nothing: 'No walk to show: none is incomplete, or no project was scanned yet.',
}
