import { z } from 'zod'
import { type ExitCode, exitCodes } from '../model/errors.ts'
import { type Answer, type AnswerForm, type AnswerView, aboutNoRun, limited } from '../report/answer.ts'
import type { TextPage } from '../report/text/page.ts'
import { wrapProse } from '../text/columns.ts'
import { count } from '../text/count.ts'
import { neutralise } from '../text/neutralise.ts'
import type { CheckRow } from './check.ts'

export const doctorForm: AnswerForm = {
  name: 'doctor',
  version: 2,
  about: aboutNoRun,
  row: z.object({
    check: z.enum([
      'node',
      'configuration',
      'policy',
      'policy-tests',
      'history',
      'seal-key',
      'dns',
      'tcp',
      'tls',
      'clock',
      'release',
      'base-path',
      'key',
      'page-size',
      'projects',
      'channel',
      'schedule',
    ]),
    service: z.string().nullable().describe('The service that the row is about; null for the installation.'),
    status: z
      .enum(['ok', 'warn', 'fail', 'skipped'])
      .describe('skipped: not checked, because of what another check found, or there is nothing to check.'),
    detail: z.string(),
    remediation: z.string().nullable().describe('What to do; null for nothing, and never for warn and fail.'),
  }),
}

/** 2: a fault of the installation; 3: a service cannot be audited. */
export function exitCodeOf(rows: readonly CheckRow[]): ExitCode {
  const failed = rows.filter(({ status }) => status === 'fail')
  if (failed.some(({ service }) => service === null)) return exitCodes.usage
  return failed.length > 0 ? exitCodes.incomplete : exitCodes.clean
}

export function answerDoctor(rows: readonly CheckRow[], limit: number): Answer<CheckRow> {
  return {
    form: doctorForm,
    run: null,
    ...limited(rows, limit),
    conclusion: [`${describeCounts(rows)} Exit code ${exitCodeOf(rows)}.`],
  }
}

function describeCounts(rows: readonly CheckRow[]): string {
  const number = (wanted: CheckRow['status']) => rows.filter(({ status }) => status === wanted).length
  const [failed, warned] = [number('fail'), number('warn')]
  const warnings = warned === 0 ? '' : `, ${count(warned, 'warning')}`
  return `${failed === 0 ? 'No problem' : count(failed, 'problem')}${warnings}.`
}

export const doctorView: AnswerView<CheckRow> = {
  columns: ['check', 'service', 'status', 'detail', 'remediation'],
  lines({ rows }, page) {
    return rows.flatMap((row, at) => {
      const isNew = at > 0 && row.service !== rows[at - 1]?.service
      const heading = row.service === null ? [] : [page.paint('heading', neutralise(row.service))]
      // Alike mistakes follow each other; the last one says what to do about them all.
      const next = rows[at + 1]
      const isSaidBelow =
        next?.check === row.check && next.service === row.service && row.remediation === next.remediation
      const shownRow = isSaidBelow ? { ...row, remediation: null } : row
      return [...(isNew ? ['', ...heading] : []), ...showRow(shownRow, page)]
    })
  },
  nothing: '',
  isOfRun: false,
}

const marks = {
  ok: ['✓', 'good'],
  warn: ['!', 'modified'],
  fail: ['✗', 'alarm'],
  skipped: ['–', 'aside'],
} as const

type CheckAnswer = Omit<CheckRow, 'remediation'> & { readonly remediation: string | null }

/** The longest name of a check. */
const nameColumns = 'configuration'.length

function showRow({ check, service, status, detail, remediation }: CheckAnswer, page: TextPage): string[] {
  const { width, paint, locate } = page
  const indent = service === null ? '' : '  '
  const [mark, style] = marks[status]
  const start = indent.length + 2 + nameColumns + 2
  const [first = '', ...rest] = wrapProse(neutralise(locate(detail)), width - start)
  const advice = remediation === null ? [] : wrapProse(neutralise(locate(remediation)), width - start - 2)
  return [
    `${indent}${paint(style, mark)} ${check.padEnd(nameColumns)}  ${first}`,
    ...rest.map((line) => ' '.repeat(start) + line),
    ...advice.map((line, at) => `${' '.repeat(start)}${at === 0 ? '→' : ' '} ${line}`),
  ]
}
