import { z } from 'zod'
import type { AttestationCheck } from '../attestation/verify-attestation.ts'
import type { CheckResult, Verification } from '../history/upkeep.ts'
import type { Answer } from '../report/answer.ts'
import { type AnswerForm, aboutHistory } from '../report/answer-form.ts'
import { type AnswerView, limited } from '../report/show-answer.ts'
import { neutralise } from '../text/neutralise.ts'
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
  version: 2,
  about: aboutHistory,
  row: verificationRow,
  rowsMember: 'checks',
  more: { ok: z.boolean() },
}

/** The results of the checks of a history. */
export function answerVerification(
  { ok, run, checks }: Verification,
  file: string,
  limit: number,
): Answer<VerificationRow> {
  return {
    ...answerChecks(ok, checks, limit),
    run: run === null ? null : toAnswerRun(run),
    conclusion: [ok ? `${file} verifies.` : adviseOn(checks, file)],
  }
}

/** The results of the checks of an attestation. */
export function answerAttestation(
  ok: boolean,
  checks: readonly AttestationCheck[],
  limit: number,
): Answer<VerificationRow> {
  return { ...answerChecks(ok, checks, limit), run: null }
}

function answerChecks(ok: boolean, checks: readonly VerificationRow[], limit: number) {
  return { form: verifyForm, more: { ok }, rowsMember: 'checks', ...limited(checks, limit) } as const
}

export const verificationView: AnswerView<VerificationRow> = {
  columns: [
    { name: 'id', value: ({ id }) => id },
    { name: 'ok', value: ({ ok }) => ok },
    { name: 'detail', value: ({ detail }) => detail },
    { name: 'means', value: ({ means }) => means ?? null },
  ],
  lines({ rows }) {
    const wide = Math.max(...rows.map(({ id }) => id.length))
    return rows.map(({ id, ok, detail, means }) => {
      const line = `${wordFor(ok)}  ${id.padEnd(wide)}  ${detail}`
      return neutralise(means === undefined ? line : `${line}. That means: ${means}`)
    })
  },
  nothing: '',
  isOfRun: false,
}

function wordFor(ok: boolean | null): string {
  if (ok === null) return 'unknown'
  return ok ? 'ok     ' : 'FAILED '
}

function adviseOn(checks: readonly CheckResult[], file: string): string {
  const failed = checks.filter(({ ok }) => ok === false).map(({ id }) => id)
  return `${file} does not verify (${failed.join(', ')}). Keep a copy of it, restore the last backup that verifies, and audit again: \`hookdrift docs keep-the-history\`.`
}
