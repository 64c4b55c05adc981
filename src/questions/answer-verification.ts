import { z } from 'zod'
import type { CheckResult, Verification } from '../history/upkeep.ts'
import { type Answer, type AnswerForm, type AnswerView, aboutHistory, limited } from '../report/answer.ts'
import { toAnswerRun } from './as-of.ts'

const verificationRow = z.object({
  id: z.string(),
  ok: z.boolean().nullable().describe('null where it could not be checked.'),
  detail: z.string(),
  means: z.string().describe('What a failed check means.').exactOptional(),
})
export type VerificationRow = z.infer<typeof verificationRow>

export const verifyForm: AnswerForm = {
  name: 'verify',
  version: 3,
  about: aboutHistory,
  row: verificationRow,
  rowsMember: 'checks',
  more: {
    ok: z.boolean(),
    anchor: z
      .string()
      .nullable()
      .describe('The last run and the digest of the chain as of it, for --anchor; null where nothing verifies.')
      .exactOptional(),
  },
}

/** The results of the checks of a history. */
export function answerVerification(
  { ok, run, checks }: Verification,
  { file, anchor, limit }: { readonly file: string; readonly anchor: string | null; readonly limit: number },
): Answer<VerificationRow> {
  const toKeep = anchor === null ? [] : [`Keep its anchor elsewhere, for \`hookdrift verify --anchor\`: ${anchor}`]
  return {
    form: verifyForm,
    more: { ok, anchor },
    ...limited(checks, limit),
    run: run === null ? null : toAnswerRun(run),
    conclusion: ok ? [`${file} is intact.`, ...toKeep] : [adviseOn(checks, file)],
  }
}

export const verificationView: AnswerView<VerificationRow> = {
  columns: [
    { name: 'result', only: 'text', show: ({ ok }) => wordFor(ok) },
    { name: 'check', only: 'text', show: ({ id }) => nameOf(id) },
    { name: 'id', only: 'csv' },
    { name: 'ok', only: 'csv' },
    'detail',
    { name: 'means', value: ({ means }) => means ?? null, only: 'csv' },
  ],
  below: ({ means }) => means && `That means: ${means}`,
  nothing: '',
  isOfRun: false,
}

/** What checks are about. */
const names: Readonly<Record<string, string>> = {
  integrity_check: 'File',
  foreign_key_check: 'References',
  schema: 'Schema',
  migration: 'Migrations',
  records: 'Records',
  I1: 'Commits',
  I2: 'Contents',
  I3: 'Versions',
  I4: 'Removals',
  I5: 'Endings',
  I6: 'Pruning',
  I7: 'Secrets',
  I8: 'Exit codes',
  I9: 'Messages',
  I10: 'Chain',
  anchor: 'Anchor',
}

function nameOf(id: string): string {
  return names[id] ?? id
}

function wordFor(ok: boolean | null): string {
  if (ok === null) return 'unknown'
  return ok ? 'ok' : 'FAILED'
}

function adviseOn(checks: readonly CheckResult[], file: string): string {
  const failed = checks.filter(({ ok }) => ok === false).map(({ id }) => id)
  if (failed.join() === 'anchor') {
    return `${file} is intact by itself, and is not the history of the anchor. Keep a copy of it, and find out who could write it: \`hookdrift docs keep-the-history#verify-it\`.`
  }
  return `${file} does not verify (${failed.map(nameOf).join(', ')}). Keep a copy of it, restore the last backup that verifies, and audit again: \`hookdrift docs keep-the-history\`.`
}
