import { toReportCause } from '../audit/compose-report.ts'
import { matchesProject } from '../config/choose-projects.ts'
import { causesIn } from '../history/cause.ts'
import type { HistoryReader } from '../history/reader.ts'
import { readCausesAt } from '../history/sql/causes.ts'
import type { CommittedRun } from '../history/sql/runs.ts'
import { readLatestScans } from '../history/sql/scans.ts'
import { type ReportCause, schemas } from '../model/report.ts'
import type { Kind } from '../model/resource.ts'
import { type Answer, type AnswerForm, type AnswerView, aboutScans, limited } from '../report/answer.ts'
import { describeCause, describeFollowing } from '../report/describe-cause.ts'
import { list } from '../report/document/blocks.ts'
import { causeItem } from '../report/report-items.ts'
import { selectProjects, statingExtent } from './as-of.ts'
import { kindParameter, projectParameter, question, runNamed, runParameter } from './question.ts'

export const causesForm: AnswerForm = {
  name: 'causes',
  version: 2,
  command: 'violations --by-cause',
  about: aboutScans,
  row: schemas.cause,
}

export const causes = question({
  form: causesForm,
  parameters: { run: runParameter, project: projectParameter, kind: kindParameter },
  isOfRun: true,
  async read(history, { run: named, project: projects, kind }, { limit }) {
    const run = await runNamed(history, named)
    return { answer: await readCauses(history, { run, projects, kind, limit }), view: causesView }
  },
})

interface CausesQuery {
  readonly run: CommittedRun
  /** Patterns with `*`; all when empty. */
  readonly projects: readonly string[]
  readonly kind: Kind | undefined
  readonly limit: number
}

/** What the run found that changed alike or in one update, and what is open of earlier causes: the worst first. */
export async function readCauses(
  reader: HistoryReader,
  { run, projects, kind, limit }: CausesQuery,
): Promise<Answer<ReportCause>> {
  const scans = selectProjects(await readLatestScans(reader, run.number), projects)
  const all = await readCausesAt(reader, run.number)
  const chosen = causesIn(all, (project) => matchesProject(project, projects))
  const rows = chosen.filter((cause) => kind === undefined || cause.kind === kind).map(toReportCause)
  return { form: causesForm, ...statingExtent(run, scans), ...limited(rows, limit) }
}

export const causesView: AnswerView<ReportCause> = {
  columns: [
    { name: 'id', only: 'csv' },
    'severity',
    { name: 'cause', only: 'text', show: describeCause },
    ...(['change', 'kind', 'path', 'before', 'after'] as const).map((name) => ({ name, only: 'csv' as const })),
    { name: 'resources', only: 'csv' },
    { name: 'first_run', link: 'run' },
    { name: 'projects', link: 'project' },
    { name: 'owners', link: 'owner' },
    ...(['violations', 'rules', 'affected'] as const).map((name) => ({ name, only: 'csv' as const })),
    { name: 'following', only: 'text', show: describeFollowing },
    { name: 'put back', only: 'text', show: ({ id }) => `\`hookdrift restore --cause ${id}\`` },
    { name: 'what it cost', only: 'text', link: 'impact', show: ({ id }) => `hookdrift impact ${id}` },
    { name: 'fields', only: 'csv' },
  ],
  blocks: ({ rows }, { runNumber: run, commandFor }) =>
    list(
      'cause',
      rows.map((cause) => causeItem(cause, { run, commandFor })),
    ),
  nothing: 'No open violations share a cause.',
}
