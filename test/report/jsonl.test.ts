import { readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { jsonl } from '../../src/report/jsonl.ts'
import { tries } from '../thoroughness.ts'
import { arbitraryReport } from './arbitrary-report.ts'
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
  it.each(Object.entries(samples))('follow their schema: %s', (_, report) => {
    for (const line of linesOf(jsonl(report, options))) {
      validate(line)
      expect(validate.errors).toBeNull()
    }
  })

  it('begin with the run, its verdict, its coverage and its projects, and name what each line is', () => {
    const lines = jsonl(samples.small, options).split('\n').slice(0, -1)
    const { length } = samples.small.coverage
    expect(lines.map((line) => line.slice(0, line.indexOf(',')))).toEqual([
      '{"type":"run"',
      '{"type":"verdict"',
      ...Array.from({ length }, () => '{"type":"coverage"'),
      ...samples.small.projects.map(() => '{"type":"project"'),
      ...samples.small.notices.map(() => '{"type":"notice"'),
      ...samples.small.drift.map(() => '{"type":"drift"'),
      ...samples.small.violations.map(() => '{"type":"violation"'),
      ...samples.small.accepted.map(() => '{"type":"accepted"'),
    ])
    expect(linesOf(jsonl(samples.small, options)).every(({ run }) => run === samples.small.run.number)).toBe(true)
  })

  it('hold what the document holds of the run, with any content', () => {
    fc.assert(
      fc.property(arbitraryReport, (report) => {
        const rows = (wanted: string) =>
          linesOf(jsonl(report, options)).flatMap(({ type, run: _, ...row }) => (type === wanted ? [row] : []))
        const { coverage, projects, notices, drift, violations, accepted, verdict, run, schema, tool, digests } = report
        const { number: _, ...times } = run
        expect(rows('run')).toEqual([{ schema, tool, ...times, digests }])
        expect(rows('verdict')).toEqual([verdict])
        expect({
          coverage: rows('coverage'),
          projects: rows('project'),
          notices: rows('notice'),
          drift: rows('drift'),
          violations: rows('violation'),
          accepted: rows('accepted'),
        }).toEqual({ coverage, projects, notices, drift, violations, accepted })
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
