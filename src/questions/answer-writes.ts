import { z } from 'zod'
import type { Approval } from '../history/approvals.ts'
import type { CommittedRun } from '../history/sql/runs.ts'
import type { Backup } from '../history/upkeep.ts'
import type { Answer } from '../report/answer.ts'
import { type AnswerForm, aboutRun } from '../report/answer-form.ts'
import { listOf, schemas } from '../report/report-schema.ts'
import { type AnswerView, limited } from '../report/show-answer.ts'
import { neutralise } from '../text/neutralise.ts'
import { toAnswerRun } from './as-of.ts'
import type { EndedRow } from './ended-by-approval.ts'

const backupRow = z.object({ file: z.string().describe('The copy, as an absolute path.'), bytes: z.int().min(0) })
type BackupRow = z.infer<typeof backupRow>

export const backupForm: AnswerForm = {
  name: 'backup',
  version: 1,
  about: aboutRun('The last run in the copy; null where the history has no committed run.'),
  row: backupRow,
}

const projectRow = z.object({ project: schemas.project })
type ProjectRow = z.infer<typeof projectRow>

const ends = listOf(
  z.object({
    fingerprint: z.string().regex(/^[0-9a-f]{32}$/),
    rule: z.string(),
    severity: schemas.severity,
    state: z.enum(['opened', 'continuing', 'unknown', 'waived']),
    project: schemas.project,
    kind: schemas.kind,
    uid: z.string(),
    name: z.string(),
    path: z.string().describe('JSON Pointer into the attributes.'),
    message: z.string(),
  }),
).describe('Violations that the approval ends with the next run, unless something changes before; the worst first.')

export const baselineApproveForm: AnswerForm = {
  name: 'baseline-approve',
  version: 1,
  command: 'baseline approve',
  about: aboutRun('The run whose state was approved.'),
  row: projectRow,
  more: { ends },
}

const exportRow = z.object({ project: schemas.project, file: z.string().describe('Its name in the directory.') })
type ExportRow = z.infer<typeof exportRow>

export const baselineExportForm: AnswerForm = {
  name: 'baseline-export',
  version: 1,
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
  version: 1,
  command: 'baseline import',
  about: aboutRun('Always null: the states came from files.'),
  row: projectRow,
  more: { ends },
}

export const baselineRevokeForm: AnswerForm = {
  name: 'baseline-revoke',
  version: 1,
  command: 'baseline revoke',
  about: aboutRun('Always null.'),
  row: projectRow,
}

/** A copy of the history that was made and verified. */
export function answerBackup(file: string, { bytes, verification: { run } }: Backup): Answer<BackupRow> {
  return { form: backupForm, run: run === null ? null : toAnswerRun(run), rows: [{ file, bytes }], omitted: 0 }
}

export const backupView: AnswerView<BackupRow> = {
  columns: [
    { name: 'file', value: ({ file }) => file },
    { name: 'bytes', value: ({ bytes }) => bytes },
  ],
  lines({ rows, run }) {
    const runs = run === null ? 'no run yet' : `runs up to ${run.number}`
    return rows.map(({ file, bytes }) => neutralise(`${file}: ${runs}, ${(bytes / 1e6).toFixed(1)} MB, verified.`))
  },
  nothing: '',
  isOfRun: false,
}

/** Projects whose baseline was approved, imported or revoked. `run`: whose state was approved; `ends`: what that ends. */
export function answerBaselineChange(
  form: AnswerForm,
  approvals: readonly Pick<Approval, 'project'>[],
  { limit, run, ends }: { readonly limit: number; readonly run?: CommittedRun; readonly ends?: readonly EndedRow[] },
): Answer<ProjectRow> {
  const rows = approvals.map(({ project }) => ({ project: project.name }))
  return {
    form,
    run: run === undefined ? null : toAnswerRun(run),
    ...(ends && { more: { ends: ends.map((row) => ({ ...row })) } }),
    ...limited(rows, limit),
  }
}

/** `done`: a sentence up to the projects. */
export function baselineChangeView(done: (run: number | undefined) => string): AnswerView<ProjectRow> {
  return {
    columns: [{ name: 'project', value: ({ project }) => project }],
    lines: ({ rows, run }) => [neutralise(`${done(run?.number)} ${rows.map(({ project }) => project).join(', ')}.`)],
    nothing: '',
    isOfRun: false,
  }
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
    columns: [
      { name: 'project', value: ({ project }) => project },
      { name: 'file', value: ({ file }) => file },
    ],
    lines: ({ rows }) => [neutralise(`Wrote ${rows.map(({ file }) => file).join(', ')} to ${directory}.`)],
    nothing: '',
    isOfRun: false,
  }
}
