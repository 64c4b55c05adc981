import { parse } from 'csv-parse/sync'
import { describe, expect, it } from 'vitest'
import type { EvaluatedRule } from '../../src/model/evaluation.ts'
import { type Gap, type GapCause, gapCauses } from '../../src/model/gap.ts'
import type { Report } from '../../src/model/report.ts'
import { complianceReports } from '../../src/report/compliance-reports.ts'
import { formatNames } from '../../src/report/formats.ts'
import { composeCompliance } from '../compliance/checked-compliance.ts'
import { aGap } from './a-gap.ts'
import { reports } from './all-reports.ts'
import { aProject, aReport, aViolation, aWalk, options } from './sample-reports.ts'

const rule = 'endpoint/url-not-https'
const evaluated: EvaluatedRule = {
  id: rule,
  kind: 'endpoint',
  title: 'Deliveries are not encrypted',
  severity: 'high',
  remediation: '',
  controls: ['soc2:CC6.7'],
  needs: ['endpoint'],
}
const evidence = [{ rules: [rule], rationale: 'Deliveries are encrypted.' }]
const framework = { id: 'ours', title: 'Ours', controls: [{ id: 'TLS', title: 'Encryption', evidence }] }

/** What an output prints of a gap: its sentence; of a walk, the reason why it ended; in a table of numbers, no number. */
type Said = 'sentence' | 'walk' | 'no number'

const ofRule = {
  text: 'sentence',
  json: 'sentence',
  sarif: 'sentence',
  junit: 'sentence',
  markdown: 'sentence',
  csv: 'no number',
  html: 'sentence',
  ocsf: 'sentence',
  jsonl: 'sentence',
} as const satisfies Record<(typeof formatNames)[number], Said>

const ofWalk = {
  text: 'walk',
  json: 'sentence',
  sarif: 'walk',
  junit: 'walk',
  markdown: 'walk',
  csv: 'no number',
  html: 'walk',
  ocsf: 'walk',
  jsonl: 'sentence',
} as const satisfies Record<keyof typeof ofRule, Said>

const unsure = '1 rule could not evaluate everything'

interface Row {
  /** The exit code of a run with such a gap; and of one in which a violation is unknown by it. */
  readonly exits: readonly [alone: 0 | 3, lost: 0 | 3]
  /** What the verdict says: no run with a gap is called clean. */
  readonly verdict: string
  readonly said: Record<keyof typeof ofRule, Said>
}

const table: Record<GapCause, Row> = {
  field_unseen: { exits: [0, 3], verdict: unsure, said: ofRule },
  field_malformed: { exits: [0, 3], verdict: unsure, said: ofRule },
  seal_key_changed: { exits: [0, 0], verdict: unsure, said: ofRule },
  rows_unread: { exits: [0, 3], verdict: unsure, said: ofRule },
  probe_not_run: { exits: [0, 0], verdict: unsure, said: ofRule },
  selector_unknown: { exits: [0, 3], verdict: unsure, said: ofRule },
  nothing_to_compare: { exits: [0, 3], verdict: unsure, said: ofRule },
  walk_incomplete: { exits: [3, 3], verdict: '1 of 1 listing incomplete', said: ofWalk },
  listing_off: { exits: [0, 3], verdict: unsure, said: ofRule },
  listing_not_offered: { exits: [0, 3], verdict: unsure, said: ofRule },
  rule_failed: { exits: [0, 0], verdict: unsure, said: ofRule },
}

const reason = 'page 2 was cut'
const sentenceOf = (cause: GapCause) => `${rule} missed something: ${cause.replaceAll('_', ' ')}`

function gapOf(cause: GapCause): Gap {
  const text = sentenceOf(cause)
  if (cause === 'walk_incomplete')
    return aGap(rule, { cause, rule: null, kind: null, field: null, listing: 'endpoints', text })
  return aGap(rule, gapCauses[cause].isWhole ? { cause, field: null, resources: 0, uids: [], text } : { cause, text })
}

/** A run of one rule with one gap, and nothing else to say. */
function reportOf(cause: GapCause, parts: Partial<Report> = {}): Report {
  const coverage = [aWalk(cause === 'walk_incomplete' ? { status: 'partial', reason } : {})]
  return aReport({ rules: [evaluated], projects: [aProject()], coverage, gaps: [gapOf(cause)], ...parts })
}

/** A text, if an output has it: however it breaks its lines, and marks code. */
function findIn(shown: string, text: string): string | undefined {
  return shown.replaceAll('`', '').replaceAll(/\s+/g, ' ').includes(text) ? text : undefined
}

describe.each(Object.keys(gapCauses) as GapCause[])('a gap by %s', (cause) => {
  const { exits, verdict, said } = table[cause]

  it('decides the exit code and the verdict', () => {
    const alone = reportOf(cause).verdict
    const { verdict: lost } = reportOf(cause, { violations: [aViolation({ state: 'unknown', rule })] })
    expect([alone.exit_code, lost.exit_code]).toEqual(exits)
    expect(findIn(alone.text, verdict)).toBe(verdict)
  })

  it.each(formatNames)('is in a report as %s', (name) => {
    const shown = reports[name](reportOf(cause), { ...options, section: 'controls' })
    if (said[name] === 'no number') {
      const rows: Record<string, string>[] = parse(shown, { columns: true })
      expect(rows.map(({ rule: id, open, fixed }) => [id, open, fixed])).toEqual([[rule, '', '']])
    } else {
      const expected = said[name] === 'walk' ? reason : sentenceOf(cause)
      expect(findIn(shown, expected)).toBe(expected)
    }
  })

  it.each(Object.keys(complianceReports) as (keyof typeof complianceReports)[])('is in evidence as %s', (name) => {
    const report = reportOf(cause, { violations: [aViolation({ state: 'resolved', rule })] })
    const compliance = composeCompliance({ report, framework })
    expect(compliance.controls.map(({ state }) => state)).not.toContain('met')
    const shown = complianceReports[name](compliance, options)
    // A row for a control counts the walks.
    const ofWalk = name === 'csv' ? '1 listing of what its rules evaluate was not complete' : reason
    const expected = cause === 'walk_incomplete' ? ofWalk : sentenceOf(cause)
    expect(findIn(shown, expected)).toBe(expected)
  })
})
