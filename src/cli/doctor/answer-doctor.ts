import { z } from 'zod'
import { type ExitCode, exitCodes } from '../../model/errors.ts'
import { count } from '../../model/text/count.ts'
import { type Answer, type AnswerForm, type AnswerView, aboutNoRun, limited } from '../../report/answer.ts'
import { type Block, type Item, list, section } from '../../report/document/blocks.ts'
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
  blocks({ rows }) {
    return [...Map.groupBy(rows, ({ service }) => service)].flatMap(([service, ofService]): readonly Block[] => {
      const items = list('check', ofService.map(itemOf))
      return service === null ? items : section(2, service, items)
    })
  },
  nothing: '',
  isOfRun: false,
}

const marks = {
  ok: { chip: '✓', mark: 'good' },
  warn: { chip: '!', mark: 'modified' },
  fail: { chip: '✗', mark: 'alarm' },
  skipped: { chip: '–', mark: 'aside' },
} as const

/** Alike mistakes follow each other; the last one says what to do about them all. */
function itemOf({ check, status, detail, remediation }: CheckRow, at: number, rows: readonly CheckRow[]): Item {
  const next = rows[at + 1]
  const isSaidBelow = next?.check === check && next.remediation === remediation
  return {
    text: [marks[status], ` ${check}: ${detail}`],
    below: remediation === null || isSaidBelow ? [] : [`→ ${remediation}`],
  }
}
