import { z } from 'zod'
import type { ComparedApproval } from '../audit/approve-run.ts'
import { type Approval, approvedRun } from '../history/approvals.ts'
import type { CommittedRun } from '../history/sql/runs.ts'
import type { Backup } from '../history/upkeep.ts'
import { schemas } from '../model/report.ts'
import { listOf } from '../model/schema.ts'
import { type Answer, type AnswerForm, type AnswerView, aboutRun, limited } from '../report/answer.ts'
import { type Block, joined, text } from '../report/document/blocks.ts'
import { showTime } from '../report/text/show-time.ts'
import { toAnswerRun } from './as-of.ts'
import { type EndedRow, endedRow } from './ended-by-approval.ts'

const backupRow = z.object({ file: z.string().describe('The copy, as an absolute path.'), bytes: z.int().min(0) })
type BackupRow = z.infer<typeof backupRow>

export const backupForm: AnswerForm = {
  name: 'backup',
  version: 2,
  about: aboutRun('The last run in the copy; null where the history has no committed run.'),
  row: backupRow,
}

const projectRow = z.object({ project: schemas.project })
type ProjectRow = z.infer<typeof projectRow>

const formerApprovals = listOf(
  z.object({
    by: z.string(),
    at: schemas.time,
    note: z.string(),
    run: z.int().min(0).nullable().describe('null when the state came from files.'),
  }),
)
const approvedRow = projectRow.extend({
  supersedes: formerApprovals.describe('Earlier approvals of what it changes in the approved state, the oldest first.'),
  confirms: formerApprovals.describe(
    'Where it changes nothing in the approved state: the approvals that stay in force, the oldest first. Otherwise empty.',
  ),
})
type ApprovedRow = z.infer<typeof approvedRow>

const ends = listOf(endedRow).describe(
  'Violations that the approval ends with the next run, unless something changes before; the worst first.',
)

export const baselineApproveForm: AnswerForm = {
  name: 'baseline-approve',
  version: 2,
  command: 'baseline approve',
  about: aboutRun('The run whose state was approved.'),
  row: approvedRow,
  more: { ends },
}

const exportRow = z.object({ project: schemas.project, file: z.string().describe('Its name in the directory.') })
type ExportRow = z.infer<typeof exportRow>

export const baselineExportForm: AnswerForm = {
  name: 'baseline-export',
  version: 2,
  command: 'baseline export',
  about: aboutRun('Always null.'),
  row: exportRow,
  more: {
    directory: z.string().describe('An absolute path.'),
    other_files: listOf(z.string()).describe('Further YAML files there, which no approved project has.'),
  },
}

export const baselineImportForm: AnswerForm = {
  name: 'baseline-import',
  version: 2,
  command: 'baseline import',
  about: aboutRun('Always null: the states came from files.'),
  row: approvedRow,
  more: { ends },
}

export const baselineRevokeForm: AnswerForm = {
  name: 'baseline-revoke',
  version: 2,
  command: 'baseline revoke',
  about: aboutRun('Always null.'),
  row: projectRow,
}

/** A copy of the history that was made and verified. */
export function answerBackup(file: string, { bytes, verification: { run } }: Backup): Answer<BackupRow> {
  return { form: backupForm, run: run === null ? null : toAnswerRun(run), rows: [{ file, bytes }], omitted: 0 }
}

export const backupView: AnswerView<BackupRow> = {
  columns: ['file', 'bytes'],
  blocks({ rows, run }) {
    const runs = run === null ? 'no run yet' : `runs up to ${run.number}`
    return rows.map(({ file, bytes }) => text(`${file}: ${runs}, ${(bytes / 1e6).toFixed(1)} MB, verified.`))
  },
  nothing: '',
  isOfRun: false,
}

/** Projects whose baseline was approved or imported. `run`: whose state was approved; `ends`: what that ends. */
export function answerApproval(
  form: AnswerForm,
  approvals: readonly ComparedApproval[],
  { limit, run, ends }: { readonly limit: number; readonly run?: CommittedRun; readonly ends: readonly EndedRow[] },
): Answer<ApprovedRow> {
  const rows = approvals.map(({ project, former, confirms }) => {
    const approvals = former.map((one) => ({ by: one.by, at: one.at, note: one.note, run: approvedRun(one) ?? null }))
    const [superseded, confirmed] = confirms === undefined ? [approvals, []] : [[], approvals]
    return { project: project.name, supersedes: superseded, confirms: confirmed }
  })
  return {
    form,
    run: run === undefined ? null : toAnswerRun(run),
    more: { ends },
    ...limited(rows, limit),
  }
}

/** `done`: a sentence up to the projects. */
export function approvalView(done: (run: number | undefined) => string): AnswerView<ApprovedRow> {
  return {
    columns: ['project', 'supersedes', 'confirms'],
    blocks({ rows, run }) {
      const approved = rows.filter(({ confirms }) => confirms.length === 0)
      const confirmed = Map.groupBy(
        rows.filter(({ confirms }) => confirms.length > 0),
        ({ confirms }) => describeConfirmed(confirms),
      )
      return [
        ...(approved.length === 0 ? [] : [sayOf(done(run?.number), approved)]),
        ...[...confirmed].map(([as, alike]) => sayOf(`Confirmed: the state is as ${as}:`, alike)),
      ]
    },
    nothing: '',
    isOfRun: false,
  }
}

/** Approvals of one state, the oldest first. */
function describeConfirmed(approvals: ApprovedRow['confirms']): string {
  const people = [...new Set(approvals.map(({ by }) => by))].join(', ')
  return `${people} approved it${approvals.length === 1 ? '' : ', last'} on ${showTime(approvals.at(-1)?.at ?? '')}`
}

/** `said`: a sentence up to the projects. */
function sayOf(said: string, rows: readonly ProjectRow[]): Block {
  const names = rows.map(({ project }) => project)
  return text([`${said} `, ...joined(names, ', '), '.'])
}

/** Projects whose baseline was revoked. */
export function answerRevocation(approvals: readonly Pick<Approval, 'project'>[], limit: number): Answer<ProjectRow> {
  const rows = approvals.map(({ project }) => ({ project: project.name }))
  return { form: baselineRevokeForm, run: null, ...limited(rows, limit) }
}

export const revocationView: AnswerView<ProjectRow> = {
  columns: ['project'],
  blocks: ({ rows }) => [sayOf('Revoked the baseline of', rows)],
  nothing: '',
  isOfRun: false,
}

/** Approved states that were written to files. `furtherFiles`: those there that no approved project has. */
export function answerExport(
  { directory, rows, furtherFiles }: { directory: string; rows: readonly ExportRow[]; furtherFiles: readonly string[] },
  limit: number,
): Answer<ExportRow> {
  return {
    form: baselineExportForm,
    run: null,
    more: { directory, other_files: furtherFiles },
    ...limited(rows, limit),
    ...(furtherFiles.length === 0
      ? {}
      : { conclusion: [`Other files there, which no approved project has: ${furtherFiles.join(', ')}.`] }),
  }
}

export function exportView(directory: string): AnswerView<ExportRow> {
  return {
    columns: ['project', 'file'],
    blocks({ rows }) {
      const files = rows.map(({ file }) => file)
      return [text(['Wrote ', ...joined(files, ', '), ` to ${directory}.`])]
    },
    nothing: '',
    isOfRun: false,
  }
}
