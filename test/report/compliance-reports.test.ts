import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import MarkdownIt from 'markdown-it'
import { describe, expect, it } from 'vitest'
import type { Report } from '../../src/model/report.ts'
import { builtInFrameworkIds } from '../../src/report/compliance/built-in-frameworks.ts'
import { type Compliance, controlStates } from '../../src/report/compliance/compliance.ts'
import { type ComplianceFormat, stateNames } from '../../src/report/compliance/compliance-format.ts'
import { builtInFramework } from '../../src/report/compliance/framework.ts'
import { complianceReports } from '../../src/report/compliance-reports.ts'
import { composeCompliance } from '../compliance/checked-compliance.ts'
import { tries } from '../thoroughness.ts'
import { arbitraryReport } from './arbitrary-report.ts'
import { evaluatedSamples } from './evaluated-sample.ts'
import { anAcceptance, aProject, aReport, aViolation, aWalk, options, samples } from './sample-reports.ts'

const attack = `<img src=x onerror=alert(1)> https://evil.example/x =1+1 | ![](https://evil.example) \u202e\x1b[2J"'`
const framework = {
  id: 'ours',
  title: `Ours ${attack}`,
  controls: [
    { id: 'ALL', title: attack, evidence: [{ rules: ['*'], rationale: attack }] },
    { id: 'NONE', title: 'None', evidence: [] },
  ],
}

/** Every rule that a report names, as if it had been evaluated. */
function withRules(report: Report): Report {
  const ids = new Map(report.violations.map(({ rule, kind, severity }) => [rule, { kind, severity }]))
  const rules = [...ids].map(([id, { kind, severity }]) => {
    return { id, kind, severity, title: attack, remediation: attack, controls: [], needs: [kind] }
  })
  return { ...report, rules }
}

const complianceOf = (report: Report) => composeCompliance({ report: withRules(report), framework })
const anyCompliance = arbitraryReport.map(complianceOf)
const show = (format: ComplianceFormat, compliance: Compliance) => format(compliance, options)

const statesIn = (text: string, heading: RegExp) =>
  [...text.matchAll(heading)].map(([, id = '', state = '']): [string, string] => {
    return [id, controlStates.find((name) => stateNames[name] === state.toLowerCase()) ?? state]
  })

/** States by control, as a foreign reader gets them from each format. */
const readers: Record<keyof typeof complianceReports, (text: string) => [id: string, state: string][]> = {
  json: (text) => JSON.parse(text).controls.map(({ id, state }: { id: string; state: string }) => [id, state]),
  text: (text) => [
    ...statesIn(text, /^(ALL) (?! )([A-Z ]+?)(?:, WITH [0-9A-Z ]+)? (?=<)/gm),
    ...[...text.matchAll(/^ {2}(NONE)/gm)].map(([, id = '']): [string, string] => [id, 'not_covered']),
  ],
  html: (text) =>
    [...text.matchAll(/data-control="([^"]*)" data-state="([^"]*)"/g)].map(([, id = '', state = '']) => [id, state]),
  csv: (text) => {
    const rows: { control: string; state: string }[] = parse(text, { columns: true })
    return [...new Map(rows.map(({ control, state }) => [control, state]))]
  },
  markdown: (text) => [
    ...statesIn(text, /^#### (ALL) \*\*([a-z ]+)(?:, with [0-9a-z ]+)?\*\*/gm),
    ...(/^- \*\*NONE\*\*/m.test(text) ? [['NONE', 'not_covered'] as [string, string]] : []),
  ],
  oscal: (text) => {
    const [result] = JSON.parse(text)['assessment-results'].results
    type Finding = { target: { 'target-id': string }; props: { name: string; value: string }[] }
    const found = (result.findings ?? []).map(({ target, props }: Finding): [string, string] => [
      target['target-id'].replace('ours_', ''),
      props.find(({ name }) => name === 'state')?.value ?? '',
    ])
    // What is not covered has no finding.
    return [...found, ['NONE', 'not_covered']]
  },
}

describe('a compliance report', () => {
  it.each(Object.keys(readers) as (keyof typeof readers)[])('contains the same states as %s', (name) => {
    for (const sample of [samples.small, samples.incomplete]) {
      const compliance = complianceOf(sample)
      const expected = compliance.controls.map(({ id, state }) => [id, state])
      expect(readers[name](show(complianceReports[name], compliance))).toEqual(expected)
    }
  })

  it.each(Object.keys(readers) as (keyof typeof readers)[])('names the ticket of a waiver as %s', (name) => {
    const waiver = { owner: 'payments', reason: 'soon', expires: '2027-03-31T00:00:00.000Z', ticket: 'PAY-1234' }
    const report = aReport({ violations: [aViolation({ state: 'waived', waiver })] })
    expect(show(complianceReports[name], complianceOf(report))).toContain('PAY-1234')
  })

  it.each(Object.keys(readers) as (keyof typeof readers)[])(
    'names who waived in the period what someone accepted then, and what of it, as %s',
    (name) => {
      const waiver = { owner: 'team nine', reason: 'soon', expires: '2026-10-31T00:00:00.000Z' }
      const { fingerprint, rule } = aViolation()
      const compliance = composeCompliance({
        report: withRules(aReport({ violations: [aViolation()], accepted: [anAcceptance({ fingerprint, rule })] })),
        framework,
        waivedMeanwhile: [{ fingerprint, rule, waiver }],
      })
      const text = show(complianceReports[name], compliance)
      expect(text).toContain('team nine')
      expect(text).toContain('lee')
      expect(text).not.toContain('every resource')
    },
  )

  it('counts in text the gaps that it does not name', () => {
    const coverage = Array.from({ length: 7 }, (_, at) => aWalk({ status: 'failed', reason: `reason ${at}` }))
    const compliance = complianceOf(aReport({ coverage, violations: [aViolation()] }))
    const textOf = (full: boolean) => complianceReports.text(compliance, { colour: false, width: 80, full })
    expect(textOf(false).match(/ failed: reason/g)).toHaveLength(5)
    expect(textOf(false)).toContain('… and 2 more gaps; --format json shows all')
    expect(textOf(true).match(/ failed: reason/g)).toHaveLength(7)
    expect(textOf(true)).not.toContain('more gap')
  })

  it('names in CSV next to a violation what exempts it now, and what did before in rows of their own', () => {
    const { fingerprint, rule } = aViolation()
    const waiver = { owner: 'ops', reason: 'soon', expires: '2027-03-31T00:00:00.000Z' }
    const fixed = aViolation({ state: 'resolved', resolution: 'fixed' })
    const ended = { ...fixed, resolved_at: '2026-11-01T00:00:00.000Z', open_ms: 5 }
    const exemptionsOf = (now: ReturnType<typeof aViolation>) => {
      const compliance = composeCompliance({
        report: withRules(aReport({ violations: [now] })),
        framework: { ...framework, controls: framework.controls.slice(0, 1) },
        resolvedBefore: [ended],
        formerAcceptances: [{ ...anAcceptance({ fingerprint, rule }), until: '2026-11-02T00:00:00.000Z' }],
      })
      const rows: Record<string, string>[] = parse(show(complianceReports.csv, compliance), { columns: true })
      return rows.map(({ violation_state, exemption_by }) => [violation_state, exemption_by])
    }
    const former = ['exempted', 'lee']
    expect(exemptionsOf(aViolation())).toEqual([['opened', ''], ['resolved', ''], former])
    const nowWaived = aViolation({ state: 'waived', waiver })
    expect(exemptionsOf(nowWaived)).toEqual([['waived', 'ops'], ['resolved', ''], former])
  })

  it('does not say of what was fixed within the period, and is open again, that it is fixed', () => {
    const ended = aViolation({ state: 'resolved', resolution: 'fixed' })
    const resolvedBefore = [1, 2].map((day) => ({ ...ended, resolved_at: `2026-11-0${day}T00:00:00.000Z`, open_ms: 5 }))
    const report = withRules(aReport({ violations: [aViolation()] }))
    const compliance = composeCompliance({ report, framework, resolvedBefore })
    const [result] = JSON.parse(show(complianceReports.oscal, compliance))['assessment-results'].results
    expect(result.observations).toHaveLength(1)
    expect(result.observations[0].props).toContainEqual(expect.objectContaining({ name: 'state', value: 'opened' }))
    expect(show(complianceReports.markdown, compliance)).toMatch(/^\| ALL \|.*\| 1 \| 0 \| 0 \| 0 \|$/m)
    const html = show(complianceReports.html, compliance)
    expect(html).toContain('2 ended: 2 fixed')
    const anchors = [...html.matchAll(/ id="(v-[^"]*)"/g)].map(([, id]) => id)
    expect(anchors).toHaveLength(3)
    expect(new Set(anchors).size).toBe(3)
  })

  it.each(Object.keys(readers) as (keyof typeof readers)[])('says why a control is not met plainly as %s', (name) => {
    const narrowed = aReport({ coverage: [aWalk({ filter: 'owner tenant-01' })], projects: [aProject()] })
    const compliance = complianceOf({ ...narrowed, violations: [aViolation({ state: 'resolved' })] })
    expect(compliance.controls.map(({ state }) => state)).toContain('partially_assessed')
    const text = show(complianceReports[name], compliance).replaceAll(/\s+/g, ' ')
    expect(text).toContain('A filter of the configuration narrowed 1 listing')
  })

  it.each(builtInFrameworkIds)('names every control of %s in every format', (id) => {
    const compliance = composeCompliance({ report: evaluatedSamples.small, framework: builtInFramework(id) })
    const expected = compliance.controls.map((control) => [control.id, control.state])
    expect(readers.json(show(complianceReports.json, compliance))).toEqual(expected)
    // What is missing comes first.
    const shown = readers.html(show(complianceReports.html, compliance))
    expect(shown).toHaveLength(expected.length)
    expect(Object.fromEntries(shown)).toEqual(Object.fromEntries(expected))
    expect(readers.csv(show(complianceReports.csv, compliance))).toEqual(expected)
    for (const format of ['text', 'markdown'] as const) {
      const text = show(complianceReports[format], compliance)
      expect(compliance.controls.filter((control) => !text.includes(control.id))).toEqual([])
    }
  })

  it('is harmless in every format with any names and messages', () => {
    const renderer = new MarkdownIt({ html: true, linkify: true })
    fc.assert(
      fc.property(anyCompliance, (compliance) => {
        const html = show(complianceReports.html, compliance).replace(/<style>[\s\S]*<\/style>/, '')
        expect(html).not.toMatch(/<(img|script|iframe|object)/i)
        const markdown = show(complianceReports.markdown, compliance)
        expect(markdown.length).toBeLessThan(65_000)
        expect(renderer.render(markdown)).not.toMatch(/<(a|img|script) /i)
        const text = show(complianceReports.text, compliance)
        for (const written of [html, markdown, text]) expect(written).not.toMatch(/[^\P{Cc}\n]|\p{Cf}/u)
        const rows: string[][] = parse(show(complianceReports.csv, compliance))
        expect(rows.flat().filter((cell) => /^[=+\-@]/.test(cell) && !/^-?\d+$/.test(cell))).toEqual([])
        const oscal = show(complianceReports.oscal, compliance)
        expect(oscal).not.toMatch(/[^\P{Cc}\n]|\p{Cf}/u)
        const values = [...JSON.stringify(JSON.parse(oscal)).matchAll(/"value":"((?:[^"\\]|\\.)*)"/g)]
        expect(values.filter(([, value = '']) => !/^\S(.*\S)?$/u.test(value))).toEqual([])
        expect(JSON.parse(show(complianceReports.json, compliance))).toEqual(compliance)
      }),
      { numRuns: tries(60, { locally: 20 }) },
    )
  })
})
