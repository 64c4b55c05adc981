import { z } from 'zod'
import { matchesProject } from '../config/choose-projects.ts'
import { type Approval, activeApprovals } from '../history/approvals.ts'
import type { HistoryReader } from '../history/reader.ts'
import { type CommittedRun, findLastRun } from '../history/sql/runs.ts'
import { readLatestScans } from '../history/sql/scans.ts'
import { schemas } from '../model/report.ts'
import { listOf } from '../model/schema.ts'
import { count } from '../model/text/count.ts'
import { type AnswerForm, type AnswerView, aboutHistory, limited } from '../report/answer.ts'
import { showTime } from '../report/text/show-time.ts'
import { selectProjects, toAnswerRun } from './as-of.ts'
import {
  given,
  parameter,
  projectParameter,
  type QuestionReply,
  question,
  signedParameter,
  signedRun,
} from './question.ts'
import { approvalsAsOf } from './signed-as-of.ts'

const baselineRow = z.object({
  project: schemas.project,
  run: z.int().min(0).nullable().describe('null when the state came from files.'),
  approved_at: schemas.time,
  approved_by: z.string(),
  note: z.string(),
  state: z
    .enum(['active', 'superseded', 'revoked', 'confirmation'])
    .describe('A confirmation was made while the same state was approved: it changed nothing.'),
  revoked_at: schemas.time.nullable(),
  revoked_by: z.string().nullable(),
  os_user: z
    .string()
    .nullable()
    .describe('Which user of the operating system wrote it; null where it was not recorded.'),
  amendments: listOf(z.object({ kind: schemas.kind, uid: z.string(), run: z.int().min(0), at: schemas.time })).describe(
    'Resources that were approved by themselves, as of other runs.',
  ),
})
export type BaselineRow = z.infer<typeof baselineRow>

export const baselineForm: AnswerForm = {
  name: 'baseline',
  version: 3,
  command: 'baseline show',
  about: aboutHistory,
  row: baselineRow,
}

export const baselines = question({
  form: baselineForm,
  parameters: {
    project: projectParameter,
    all: parameter('--all', 'include superseded and revoked baselines, and confirmations', given),
    run: signedParameter,
  },
  isOfRun: false,
  async read(history, { run: named, ...chosen }, { limit }) {
    const run = await signedRun(history, named)
    return readBaselines(history, { ...chosen, run, limit, approvals: await approvalsAsOf(history, run) })
  },
})

interface BaselinesQuery {
  /** By whose end they were approved; undefined: all of them. */
  readonly run: CommittedRun | undefined
  /** By then. */
  readonly approvals: readonly Approval[]
  readonly project: readonly string[]
  /** Also superseded and revoked ones. */
  readonly all?: true | undefined
  readonly limit: number
}

/**
 * The approved baselines by project, newest first.
 * @throws AuditError.usage when no project matches
 */
export async function readBaselines(
  history: HistoryReader,
  { run, approvals, project: projects, all, limit }: BaselinesQuery,
): Promise<QuestionReply<BaselineRow>> {
  const last = run ?? (await findLastRun(history))
  const scans = last === undefined ? [] : await readLatestScans(history, last.number)
  selectProjects([...scans, ...approvals], projects)
  const ofProjects = projects.length === 0 ? '' : ` of ${projects.join(' ')}`
  const nothing =
    run === undefined
      ? `No baseline${ofProjects} is approved: drift rules compare with the last complete scan.`
      : `No baseline${ofProjects} was approved by the end of run ${run.number}.`
  const rows = listBaselines(approvals, projects).filter(({ state }) => all || state === 'active')
  return {
    answer: { form: baselineForm, run: last === undefined ? null : toAnswerRun(last), ...limited(rows, limit) },
    view: { ...baselinesView, nothing },
  }
}

/** All approvals of some projects, by project, newest first. */
function listBaselines(approvals: readonly Approval[], projects: readonly string[]): readonly BaselineRow[] {
  const active = new Set(activeApprovals(approvals))
  return approvals
    .filter(({ project }) => matchesProject(project.name, projects))
    .sort(byProjectNewestFirst)
    .map((approval) => toRow(approval, active.has(approval)))
}

function byProjectNewestFirst(a: Approval, b: Approval): number {
  return a.project.name === b.project.name ? b.id - a.id : a.project.name < b.project.name ? -1 : 1
}

function toRow(
  { project, run, at, by, osUser, note, amendments = [], confirms, revoked }: Approval,
  isActive: boolean,
): BaselineRow {
  const pastState = confirms !== undefined ? 'confirmation' : revoked === undefined ? 'superseded' : 'revoked'
  return {
    project: project.name,
    run: run ?? null,
    approved_at: at,
    approved_by: by,
    os_user: osUser ?? null,
    note,
    amendments,
    state: isActive ? 'active' : pastState,
    revoked_at: revoked?.at ?? null,
    revoked_by: revoked?.by ?? null,
  }
}

const baselinesView: Omit<AnswerView<BaselineRow>, 'nothing'> = {
  columns: [
    { name: 'project', breaks: true, link: 'project' },
    { name: 'run', show: describeState, align: 'right', link: 'run' },
    { name: 'amendments', only: 'csv' },
    { name: 'approved_at', show: (row) => showTime(row.approved_at) },
    { name: 'approved_by', breaks: true },
    { name: 'os_user', only: 'csv' },
    { name: 'state', show: describeBaselineState },
    { name: 'note', only: 'csv' },
    { name: 'revoked_at', only: 'csv' },
    { name: 'revoked_by', only: 'csv' },
  ],
  below: ({ note }) => note,
}

/** `7 + 2 resources`: those were approved by themselves. */
export function describeState({ run, amendments }: Pick<BaselineRow, 'run' | 'amendments'>): string {
  const state = run === null ? 'files' : String(run)
  return amendments.length === 0 ? state : `${state} + ${count(amendments.length, 'resource')}`
}

function describeBaselineState({ state, revoked_at, revoked_by }: BaselineRow): string {
  return revoked_at === null ? state : `revoked ${showTime(revoked_at)} by ${revoked_by}`
}
