import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Report } from '../../src/model/report.ts'
import { formatNames } from '../../src/report/formats.ts'
import { tries } from '../thoroughness.ts'
import { aFailedRule } from './a-gap.ts'
import { reports } from './all-reports.ts'
import { arbitraryReport } from './arbitrary-report.ts'
import { asEvaluated } from './evaluated-sample.ts'
import { formatTests } from './format-test.ts'
import { damageIn } from './hostile-input.ts'
import { aChange, aNote, aReport, aViolation, aWalk } from './sample-reports.ts'

describe('hostile text', () => {
  it('has no effect in any format', () => {
    fc.assert(
      fc.property(arbitraryReport, (report) => {
        expect(damageIn(report)).toEqual([])
      }),
      { numRuns: tries(150, { locally: 40 }) },
    )
  })

  it.each([
    'http://evil.example',
    'see www.evil.example, or evil.example.',
    'me@evil.example',
    '[a](http://evil.example) <http://evil.example> ![](http://evil.example)',
    '`[a](http://evil.example)` ``|`` \\',
    '\\| | http://evil.example |',
    '=HYPERLINK("http://evil.example")',
    'x;=1+1',
    '</system-out><testcase name="x"/>',
    ']]>\ufffe\0\x1b[2J\u202e',
    '\n\n# Everything is fine\n\nhigh x y (opened)',
  ])('has no effect: %j', (text) => {
    expect(damageIn(everywhere(text))).toEqual([])
  })

  it('of a megabyte lengthens only the formats that contain everything', () => {
    const report = everywhere('http://evil.example/=| '.repeat(50_000), 'acme/payments')
    const cutting = formatNames.filter((format) => formatTests[format].isWhole !== true)
    expect(damageIn(report, cutting)).toEqual([])
    const options = { colour: false, width: 100, full: false }
    const long = cutting.filter((format) => reports[format](report, options).length > 1_000_000)
    expect(long).toEqual([])
  })
})

/** A report with the text in every place for texts of a service, and in those for texts of a configuration. */
function everywhere(text: string, configured = text): Report {
  const waiver = { owner: text, reason: text, expires: '2027-04-01T00:00:00.000Z', ticket: text }
  const pointer = `/${text.replaceAll('~', '~0')}`
  const report = aReport({
    coverage: [
      aWalk({ project: configured, status: 'failed', reason: text, filter: configured }),
      aWalk({ project: configured, listing: 'sources', status: 'skipped', reason: text }),
    ],
    gaps: [aFailedRule(configured, text, { id: 'a'.repeat(16), project: configured, field: text, uids: [text] })],
    notices: [{ code: 'field_malformed', project: configured, listing: 'endpoints', text }],
    drift: [
      aChange({
        project: configured,
        uid: text,
        name: text,
        fields: [{ path: pointer, before: text, after: null }],
        notes: [1, 2],
      }),
    ],
    notes: [aNote({ text, by: text, ref: text, projects: [configured] }), aNote({ id: 2, text, by: text })],
    violations: (['opened', 'continuing', 'unknown', 'waived', 'resolved'] as const).map((state) =>
      aViolation({
        state,
        rule: configured,
        project: configured,
        uid: text,
        name: text,
        message: text,
        path: pointer,
        ...(state === 'waived' ? { waiver } : {}),
      }),
    ),
  })
  const [known] = asEvaluated(report).rules
  const place = { file: configured, line: 3 }
  return {
    ...report,
    rules:
      known === undefined ? [] : [{ ...known, id: configured, title: text, remediation: text, controls: [configured] }],
    projects: [
      {
        project: configured,
        labels: { [configured]: text },
        configured_at: place,
        resources: {},
        evaluated_by_rule: {},
      },
    ],
  }
}
