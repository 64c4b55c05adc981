import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { coverageStatuses } from '../../src/model/coverage.ts'
import { exitCodes } from '../../src/model/errors.ts'
import type { Report } from '../../src/model/report.ts'
import { failOnChoices, severities, violationStates } from '../../src/model/violation.ts'
import { formatNames } from '../../src/report/formats.ts'
import { failsRunOf } from '../../src/report/verdict.ts'
import { tries } from '../thoroughness.ts'
import { reports } from './all-reports.ts'
import { evaluatedSamples } from './evaluated-sample.ts'
import { formatTests, type Seen } from './format-test.ts'
import { suitesIn } from './formats/junit.ts'
import { aReport, aViolation, aWalk, samples } from './sample-reports.ts'

const options = { colour: false, width: 100, full: true }
const readable = formatNames.flatMap((format) => {
  const { read } = formatTests[format]
  return read === undefined ? [] : [{ format, read }]
})

/** Runs of ordinary names and any mixture of severities, states, rules and projects. */
const arbitraryRun = fc
  .record({
    violations: fc.array(
      fc.record({
        severity: fc.constantFrom(...severities),
        state: fc.constantFrom(...violationStates),
        rule: fc.constantFrom('endpoint/url-not-https', 'endpoint/inactive', 'acme/owner-known'),
        project: fc.constantFrom('acme/payments', 'acme/invoices', 'other/one'),
        uid: fc.stringMatching(/^[0-9A-Z]{4}$/),
      }),
      { maxLength: 30 },
    ),
    walks: fc.array(fc.constantFrom(...coverageStatuses), { minLength: 1, maxLength: 3 }),
    failOn: fc.constantFrom(...failOnChoices),
  })
  .map(({ violations, walks, failOn }) =>
    aReport({
      failOn,
      coverage: walks.map((status) => aWalk({ status, reason: status === 'complete' ? null : 'page 2 was cut' })),
      violations: violations.map(aViolation),
    }),
  )

function countsOf(violations: readonly Seen[]) {
  const counts: Record<string, number> = {}
  for (const { severity, rule, project, state } of violations) {
    for (const key of [severity, rule, project, state, `${severity} ${state}`]) counts[key] = (counts[key] ?? 0) + 1
  }
  return counts
}

function expectAgreement(report: Report): void {
  const wanted = { counts: countsOf(report.violations), exitCode: report.verdict.exit_code }
  for (const { format, read } of readable) {
    const { violations, exitCode = wanted.exitCode } = read(reports[format](report, options))
    expect({ format, counts: countsOf(violations), exitCode }).toEqual({ format, ...wanted })
  }
}

describe('all formats of a run', () => {
  it.each(Object.entries({ ...samples, evaluated: evaluatedSamples.small }))(
    'contain the same violations: %s',
    (_, report) => {
      expectAgreement(report)
    },
  )

  it('contain the same counts by severity, rule, project and state', () => {
    fc.assert(fc.property(arbitraryRun, expectAgreement), { numRuns: tries(60, { locally: 20 }) })
  })

  it('agree in JUnit, too: a case fails when the run fails, and is an error where coverage is incomplete', () => {
    fc.assert(
      fc.property(arbitraryRun, (report) => {
        const outcomes = suitesIn(reports.junit(report, options)).flatMap(({ cases }) =>
          cases.map(({ outcome }) => outcome),
        )
        const { exit_code } = report.verdict
        expect(outcomes.includes('failure')).toBe(report.violations.some(failsRunOf(report)))
        // A case that fails is not an error as well, where its rule has another violation that could not be checked.
        const isIncomplete = exit_code === exitCodes.incomplete
        if (!outcomes.includes('failure')) expect(outcomes.includes('error')).toBe(isIncomplete)
        else if (outcomes.includes('error')) expect(isIncomplete).toBe(true)
      }),
    )
  })

  it('give the same bytes for the same document', () => {
    for (const format of formatNames) {
      const copy: Report = structuredClone(evaluatedSamples.small)
      expect(reports[format](copy, options)).toBe(reports[format](evaluatedSamples.small, options))
    }
  })
})
