import { z } from 'zod'
import type { SchemaUpgrade } from '../history/movable-history.ts'
import type { CommittedRun } from '../history/sql/runs.ts'
import { type Answer, type AnswerForm, type AnswerView, aboutRun } from '../report/answer.ts'
import { type Block, text } from '../report/document/blocks.ts'
import { toAnswerRun } from './as-of.ts'

const copyRow = z.object({
  from: z.string().describe('The original: an absolute path, or a URL without user and password.'),
  to: z.string().describe('The copy, in the same way.'),
  rows: z.int().min(0).describe('How many rows were copied.'),
  moved: z.boolean().describe('Whether the original refuses runs from now on; false after --snapshot.'),
  key_file: z
    .string()
    .nullable()
    .describe('The file with the installation key of the original, which is not copied; null where there is none.'),
})
export type CopyRow = z.infer<typeof copyRow>

export const historyCopyForm: AnswerForm = {
  name: 'history-copy',
  version: 2,
  command: 'history copy',
  about: aboutRun('The last run in the copy; null where the history has no committed run.'),
  row: copyRow,
}

const upgradeRow = z.object({
  history: z.string().describe('An absolute path, or a URL without user and password.'),
  from_schema: z.int().min(0).describe('The schema before; 0 where there was none.'),
  to_schema: z.int().min(1).describe('The schema now.'),
})
type UpgradeRow = z.infer<typeof upgradeRow>

export const historyUpgradeForm: AnswerForm = {
  name: 'history-upgrade',
  version: 2,
  command: 'history upgrade',
  about: aboutRun('Always null.'),
  row: upgradeRow,
}

/** A history that was copied and verified. */
export function answerCopy(row: CopyRow, run: CommittedRun | null): Answer<CopyRow> {
  return {
    form: historyCopyForm,
    run: run === null ? null : toAnswerRun(run),
    rows: [row],
    omitted: 0,
  }
}

/** `key`: what to do with its installation key. */
export function copyView(key: readonly Block[]): AnswerView<CopyRow> {
  return {
    columns: ['from', 'to', 'rows', 'moved', 'key_file'],
    blocks({ rows, run }) {
      const runs = run === null ? 'no run yet' : `runs up to ${run.number}`
      const copied = rows.flatMap(({ from, to, rows: count, moved }) => [
        `${to}: ${runs}, ${count} rows, verified.`,
        moved
          ? `${from} was moved: it refuses runs from now on. Name the new place where this one was named.`
          : `${from} stays in use.`,
      ])
      return [...copied.map((said) => text(said)), ...key]
    },
    nothing: '',
    isOfRun: false,
  }
}

export function answerUpgrade(history: string, { from, to }: SchemaUpgrade): Answer<UpgradeRow> {
  const row = { history, from_schema: from, to_schema: to }
  return { form: historyUpgradeForm, run: null, rows: [row], omitted: 0 }
}

export const upgradeView: AnswerView<UpgradeRow> = {
  columns: ['history', 'from_schema', 'to_schema'],
  blocks: ({ rows }) => rows.map((row) => text(`${row.history} ${describeUpgrade(row)}.`)),
  nothing: '',
  isOfRun: false,
}

function describeUpgrade({ from_schema: from, to_schema: to }: UpgradeRow): string {
  if (from === to) return `has the newest schema, ${to}`
  return from === 0 ? `was made, with schema ${to}` : `was upgraded from schema ${from} to ${to}`
}
