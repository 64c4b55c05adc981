import { describe, expect, it } from 'vitest'
import { complianceOscal } from '../../src/report/compliance/compliance-oscal.ts'
import { builtInFramework } from '../../src/report/compliance/framework.ts'
import { csv } from '../../src/report/csv.ts'
import { html } from '../../src/report/html.ts'
import { json } from '../../src/report/json.ts'
import { jsonl } from '../../src/report/jsonl.ts'
import { junit } from '../../src/report/junit.ts'
import { markdown } from '../../src/report/markdown.ts'
import { ocsf } from '../../src/report/ocsf.ts'
import { fileRenderOptions } from '../../src/report/report-files.ts'
import type { ReportFormat } from '../../src/report/report-format.ts'
import { sarif } from '../../src/report/sarif.ts'
import { text } from '../../src/report/text.ts'
import { composeCompliance } from '../compliance/checked-compliance.ts'
import { asEvaluated } from './evaluated-sample.ts'
import { aReport, aViolation } from './sample-reports.ts'

/** The run began on 2026-11-21 at 03:04. */
const first_seen = '2026-11-01T03:04:00.120Z'
const late = aViolation({ uid: 'late', state: 'continuing', first_seen, due_at: '2026-11-12T03:04:00.120Z' })
const soon = aViolation({ uid: 'soon', state: 'continuing', first_seen, due_at: '2026-11-24T03:04:00.120Z' })
const never = aViolation({ uid: 'never', state: 'continuing', first_seen })
const report = aReport({ violations: [late, soon, never] })

describe('a due date', () => {
  it.each([
    ['text', text],
    ['markdown', markdown],
    ['html', html],
    ['junit', junit],
  ] as const)('is in the %s report: how much is left, or how much too late', (_, format) => {
    const shown = format(report, fileRenderOptions).replaceAll(/\s+/g, ' ')
    expect(shown.split('OVERDUE by 9 d')).toHaveLength(2)
    expect(shown.split('due in 3 d')).toHaveLength(2)
    expect(format(aReport({ violations: [never] }), fileRenderOptions)).not.toMatch(/overdue|due in/i)
  })

  it('is counted at the head of people’s reports, and leads to the list', () => {
    expect(text(report, fileRenderOptions)).toContain('Open: 3 (3 high), 1 overdue')
    expect(text(report, fileRenderOptions)).toContain('hookdrift violations --overdue --sort due')
    expect(html(report, fileRenderOptions)).toContain('1 overdue')
  })

  it('is an instant or null in JSON and JSON lines, and a column in CSV', () => {
    const dues = [late.due_at, soon.due_at, null]
    expect(
      JSON.parse(json(report, fileRenderOptions)).violations.map(({ due_at }: { due_at: string | null }) => due_at),
    ).toEqual(dues)
    const lines = jsonl(report, fileRenderOptions).trim().split('\n')
    const parsed = lines.map((line) => JSON.parse(line)).filter(({ type }) => type === 'violation')
    expect(parsed.map(({ due_at }) => due_at)).toEqual(dues)
    const [header = '', ...rows] = csv(report, fileRenderOptions).trim().split('\r\n')
    const column = header.split(',').indexOf('due_at')
    // Their messages have a comma, so columns are counted from the end.
    const fromEnd = header.split(',').length - column
    expect(rows.map((row) => row.split(',').at(-fromEnd))).toEqual([late.due_at, soon.due_at, ''])
  })

  it('is a property in SARIF, OCSF and, by control, OSCAL', () => {
    const oscal: ReportFormat = (given, render) => {
      const evaluated = asEvaluated(given)
      return complianceOscal(composeCompliance({ report: evaluated, framework: builtInFramework('soc2') }), render)
    }
    for (const format of [sarif, ocsf, oscal]) {
      const shown = format(report, fileRenderOptions)
      expect(shown).toContain(late.due_at)
      expect(shown).toContain(soon.due_at)
      expect(format(aReport({ violations: [never] }), fileRenderOptions)).not.toMatch(/"due"/)
    }
  })
})
