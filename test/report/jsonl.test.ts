import { readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { jsonl } from '../../src/report/jsonl.ts'
import { tries } from '../thoroughness.ts'
import { aGap } from './a-gap.ts'
import { arbitraryReport } from './arbitrary-report.ts'
import { evaluatedSamples } from './evaluated-sample.ts'
import { aChange, aReport, aViolation, samples } from './sample-reports.ts'

const options = { colour: false, width: 80, full: false }
const read = (name: string) => JSON.parse(readFileSync(new URL(`../../config/${name}`, import.meta.url), 'utf8'))
const ajv = new Ajv2020({ strict: true, strictRequired: false, allErrors: true, allowUnionTypes: true })
const validate = ajv.addSchema(read('report.schema.json')).compile(read('report-line.schema.json'))

const linesOf = (text: string): Record<string, unknown>[] =>
  text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line))

describe('JSON lines', () => {
  it.each(Object.entries({ ...samples, evaluated: evaluatedSamples.small }))('follow their schema: %s', (_, report) => {
    for (const line of linesOf(jsonl(report, options))) {
      validate(line)
      expect(validate.errors).toBeNull()
    }
  })

  it('begin with the run, its verdict, its coverage, its projects and its gaps, and name what each line is', () => {
    const report = { ...samples.small, gaps: [aGap('endpoint/url-not-https')] }
    const lines = jsonl(report, options).split('\n').slice(0, -1)
    const { length } = report.coverage
    expect(lines.map((line) => line.slice(0, line.indexOf(',')))).toEqual([
      '{"type":"run"',
      '{"type":"verdict"',
      ...Array.from({ length }, () => '{"type":"coverage"'),
      ...report.projects.map(() => '{"type":"project"'),
      '{"type":"gap"',
      ...report.notices.map(() => '{"type":"notice"'),
      ...report.drift.map(() => '{"type":"drift"'),
      ...report.violations.map(() => '{"type":"violation"'),
      ...report.accepted.map(() => '{"type":"accepted"'),
    ])
    expect(linesOf(jsonl(report, options)).every(({ run }) => run === report.run.number)).toBe(true)
  })

  it('hold what the document holds of the run, with any content', () => {
    fc.assert(
      fc.property(arbitraryReport, (report) => {
        const rows = (wanted: string) =>
          linesOf(jsonl(report, options)).flatMap(({ type, run: _, ...row }) => (type === wanted ? [row] : []))
        const { coverage, projects, gaps, notices, drift, violations, accepted, verdict, run, schema, tool, digests } =
          report
        const { number: _, ...times } = run
        expect(rows('run')).toEqual([{ schema, tool, ...times, digests }])
        expect(rows('verdict')).toEqual([verdict])
        expect({
          coverage: rows('coverage'),
          projects: rows('project'),
          gaps: rows('gap'),
          notices: rows('notice'),
          drift: rows('drift'),
          violations: rows('violation'),
          accepted: rows('accepted'),
        }).toEqual({ coverage, projects, gaps, notices, drift, violations, accepted })
      }),
      { numRuns: tries(60, { locally: 20 }) },
    )
  })

  it('keep a text of a service in its line, and a number as its digits', () => {
    const report = aReport({
      violations: [aViolation({ name: 'two\nlines\u2028\u202e\u{e0041}' })],
      drift: [aChange({ fields: [{ path: '/v', before: 'number:1234567890123456789', after: null }] })],
    })
    const text = jsonl(report, options)
    expect(text).toContain(String.raw`"name":"two\nlines\u2028\u202e\udb40\udc41"`)
    expect(text).toContain('"before":"1234567890123456789"')
    expect(text.split(/[\n\r\u2028\u2029]/).length - 1).toBe(linesOf(text).length)
  })
})
