import type { Approval } from '../history/approvals.ts'
import type { CommittedRun } from '../history/sql/runs.ts'
import type { Backup } from '../history/upkeep.ts'
import type { Answer } from '../report/answer.ts'
import { type AnswerView, limited } from '../report/show-answer.ts'
import { neutralise } from '../text/neutralise.ts'
import { toAnswerRun } from './as-of.ts'
import type { EndedRow } from './ended-by-approval.ts'

// The answers of commands that write: what they made or changed.

interface BackupRow {
  readonly file: string
  readonly bytes: number
}

/** A copy of the history that was made and verified. */
export function answerBackup(file: string, { bytes, verification: { run } }: Backup): Answer<BackupRow> {
  return { command: 'backup', run: run === null ? null : toAnswerRun(run), rows: [{ file, bytes }], omitted: 0 }
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

interface KeysRow {
  readonly private_key: string
  readonly public_key: string
}

/** A pair of keys that was made; the file of each. */
export function answerKeys(file: string): Answer<KeysRow> {
  return { command: 'keygen', run: null, rows: [{ private_key: file, public_key: `${file}.pub` }], omitted: 0 }
}

export const keysView: AnswerView<KeysRow> = {
  columns: [
    { name: 'private_key', value: (row) => row.private_key },
    { name: 'public_key', value: (row) => row.public_key },
  ],
  lines: ({ rows }) =>
    rows.flatMap((row) => [
      neutralise(`${row.private_key} is the private key: keep it only where reports are made.`),
      neutralise(`${row.public_key} is the public key: give it to everyone who verifies reports.`),
    ]),
  nothing: '',
  isOfRun: false,
}

interface ProjectRow {
  readonly project: string
}

/** Projects whose baseline was approved, imported or revoked. `run`: whose state was approved; `ends`: what that ends. */
export function answerBaselineChange(
  command: 'baseline-approve' | 'baseline-import' | 'baseline-revoke',
  approvals: readonly Pick<Approval, 'project'>[],
  { limit, run, ends }: { readonly limit: number; readonly run?: CommittedRun; readonly ends?: readonly EndedRow[] },
): Answer<ProjectRow> {
  const rows = approvals.map(({ project }) => ({ project: project.name }))
  return {
    command,
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

interface ExportRow {
  readonly project: string
  /** Its name in the directory. */
  readonly file: string
}

/** Approved states that were written to files. `others`: further files there, which no approved project has. */
export function answerExport(
  { directory, rows, others }: { directory: string; rows: readonly ExportRow[]; others: readonly string[] },
  limit: number,
): Answer<ExportRow> {
  return {
    command: 'baseline-export',
    run: null,
    more: { directory, other_files: others },
    ...limited(rows, limit),
    ...(others.length === 0
      ? {}
      : { conclusion: [`Other files there, which no approved project has: ${others.join(', ')}.`] }),
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
