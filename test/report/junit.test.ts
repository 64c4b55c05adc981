import { describe, expect, it } from 'vitest'
import type { EvaluatedRule } from '../../src/model/evaluation.ts'
import type { Gap } from '../../src/model/gap.ts'
import type { Report, ReportCoverage, ReportViolation } from '../../src/model/report.ts'
import { junit } from '../../src/report/junit.ts'
import { aGap } from './a-gap.ts'
import { asEvaluated, evaluatedSamples } from './evaluated-sample.ts'
import { suitesIn } from './formats/junit.ts'
import { aProject, aReport, aViolation, aWalk, options, samples } from './sample-reports.ts'

const suitesOf = (report: Report) => suitesIn(junit(report, options))
const rule = 'endpoint/url-not-https'
const since = { first_seen: '2026-11-19T22:15:00.000Z' }
const low = { severity: 'low', state: 'opened', uid: 'L1', message: 'mild' } as const
const high = { severity: 'high', state: 'continuing', uid: 'H1', message: 'bad', ...since } as const
const unknown = { ...high, state: 'unknown', uid: 'U1' } as const
const waiver = { owner: 'payments team', reason: 'ticket 4711', expires: '2027-04-01T00:00:00.000Z' }
const waived = { ...high, state: 'waived', uid: 'W1', waiver } as const
const resolved = { ...high, state: 'resolved', uid: 'R1' } as const

/** The case of one rule in one project. */
function caseOf(violations: readonly Partial<ReportViolation>[], walks: readonly Partial<ReportCoverage>[] = [{}]) {
  const report = asEvaluated(aReport({ coverage: walks.map(aWalk), violations: violations.map(aViolation) }))
  const suite = suitesOf(report).find(({ name }) => name === 'acme/payments')
  return suite?.cases.find(({ name }) => name === rule)
}

describe('the JUnit report', () => {
  it.each(['small', 'clean', 'incomplete'] as const)('matches its reviewed snapshot: %s', async (sample) => {
    await expect(junit(evaluatedSamples[sample], options)).toMatchFileSnapshot(`../golden/report-${sample}.junit.xml`)
  })

  it('has a suite for every project, and in it a case for every walk and every rule', () => {
    const suites = suitesOf(evaluatedSamples.small)
    expect(suites.map(({ name }) => name)).toEqual(['acme/invoices', 'acme/payments'])
    const rules = evaluatedSamples.small.rules.map(({ id }) => id)
    for (const { cases } of suites) {
      expect(cases.map(({ name }) => name)).toEqual(['walk endpoints', 'walk subscriptions', 'walk sources', ...rules])
    }
  })

  it('counts its cases by outcome', () => {
    for (const report of Object.values({ ...samples, ...evaluatedSamples })) {
      for (const { counts, cases } of suitesOf(report)) {
        const ofOutcome = (wanted: string) => cases.filter(({ outcome }) => outcome === wanted).length
        expect(counts).toEqual({
          tests: cases.length,
          failures: ofOutcome('failure'),
          errors: ofOutcome('error'),
          skipped: ofOutcome('skipped'),
        })
      }
    }
  })
})

describe('a case', () => {
  it('fails for open violations at or above the threshold, a line each, and lists milder ones in its output', () => {
    expect(caseOf([high, low])).toEqual({
      name: rule,
      outcome: 'failure',
      message: '1 open violation, the worst high: Deliveries are not encrypted',
      lines: [
        'high H1 bad (continuing since 2026-11-19T22:15:00.000Z)',
        'evaluated 44 endpoints',
        'low L1 mild (opened)',
      ],
    })
  })

  it('passes with milder violations, and says what was evaluated', () => {
    expect(caseOf([low])).toMatchObject({
      outcome: 'passed',
      lines: ['evaluated 44 endpoints', 'low L1 mild (opened)'],
    })
    expect(caseOf([])).toMatchObject({ outcome: 'passed', lines: ['evaluated 44 endpoints'] })
  })

  it('is skipped when all violations are waived, with owner, reason and end', () => {
    expect(caseOf([waived])).toMatchObject({
      outcome: 'skipped',
      message: 'waived by payments team until the end of 2027-03-31: ticket 4711',
    })
    expect(caseOf([waived, low])).toMatchObject({ outcome: 'passed' })
    expect(caseOf([waived, high])).toMatchObject({ outcome: 'failure' })
  })

  it('passes when its violations are resolved', () => {
    expect(caseOf([resolved])).toMatchObject({
      outcome: 'passed',
      lines: ['evaluated 44 endpoints', 'high R1 bad (ended)'],
    })
  })

  it('is an error when a violation that would fail the run is unknown, even with milder or waived ones', () => {
    for (const violations of [[unknown], [unknown, low], [unknown, waived]]) {
      const message = '1 violation that would fail the run could not be checked'
      expect(caseOf(violations)).toMatchObject({ outcome: 'error', message })
    }
  })

  it('is skipped when a milder violation is unknown', () => {
    const violations = [{ ...unknown, severity: 'low' as const }]
    expect(caseOf(violations)).toMatchObject({ outcome: 'skipped', message: 'unknown: 1 violation not checked' })
  })

  it('never passes when coverage for its rule was incomplete', () => {
    for (const status of ['failed', 'partial', 'suspect', 'skipped'] as const) {
      const walks = [{ status, reason: 'page 2 was cut' }, { listing: 'subscriptions' }] as const
      expect(caseOf([], walks)).toMatchObject({
        outcome: 'skipped',
        message: `unknown: the walk of endpoints is ${status}`,
      })
    }
    expect(caseOf([], [{}, { listing: 'subscriptions', status: 'failed', reason: 'cut' }])).toMatchObject({
      outcome: 'passed',
    })
  })

  it('is skipped for a rule that could not be evaluated', () => {
    const [, payments] = suitesOf(evaluatedSamples.small)
    expect(payments?.cases.find(({ name }) => name === 'endpoint/name-convention')).toMatchObject({
      outcome: 'skipped',
      message: 'unknown: endpoint/name-convention was not evaluated: it throws: TypeError',
    })
  })

  it('is skipped for a rule about probes when no probe ran', () => {
    const [, payments] = suitesOf(evaluatedSamples.clean)
    expect(payments?.cases.find(({ name }) => name === 'probe/failed')).toMatchObject({
      outcome: 'skipped',
      message: 'unknown: no probe ran',
    })
  })

  it('counts the resources that overrides left to a rule', () => {
    const [, payments] = suitesOf(evaluatedSamples.clean)
    expect(payments?.cases.find(({ name }) => name === 'endpoint/timeout-high')?.lines).toEqual([
      'evaluated 30 endpoints',
    ])
  })

  it('of a walk is an error when the walk was not complete', () => {
    const [suite] = suitesOf(aReport({ coverage: [aWalk({ status: 'partial', reason: 'page 2 was cut', pages: 1 })] }))
    expect(suite?.cases).toEqual([
      {
        name: 'walk endpoints',
        outcome: 'error',
        message: 'partial: page 2 was cut',
        lines: ['3 resources in 1 page'],
      },
    ])
  })

  it('of filter rows says of how many subscriptions they were read', () => {
    const [suite] = suitesOf(aReport({ coverage: [aWalk({ listing: 'filters', pages: 0, items: 5, of: 40 })] }))
    expect(suite?.cases).toMatchObject([{ outcome: 'passed', lines: ['filter rows of 5 of 40 subscriptions'] }])
  })
})

const evaluatedRule = (id: string, kind: EvaluatedRule['kind']): EvaluatedRule => {
  return { id, kind, title: id, severity: 'medium', remediation: '', controls: [], needs: [kind] }
}

it('JUnit lists findings of rules about the policy under the policy, and all others under projects', () => {
  const report = aReport({
    rules: [evaluatedRule('endpoint/inactive', 'endpoint'), evaluatedRule('waiver/expired', 'policy')],
    violations: [aViolation({ rule: 'waiver/expired', kind: 'policy', project: 'hookdrift/policy' })],
  })
  const cases = junit(report, options).matchAll(/<testcase classname="([^"]+)" name="([^"]+\/[^"]+)"/g)
  expect([...cases].map(([, project, name]) => [project, name])).toEqual([
    ['acme/payments', 'endpoint/inactive'],
    ['hookdrift/policy', 'waiver/expired'],
  ])
})

it('JUnit skips a rule about a listing that the configuration does not request', () => {
  const rules = [evaluatedRule('project/x', 'project'), evaluatedRule('endpoint/x', 'endpoint')]
  const text = 'project/x missed what only the request for the project shows: the configuration does not request it'
  const gap = aGap('project/x', { cause: 'listing_off', listing: 'project', text })
  const casesOf = (gaps: Gap[], ...coverage: ReportCoverage[]) =>
    suitesOf({ ...aReport({ coverage, projects: [aProject()], gaps }), rules })[0]?.cases.slice(coverage.length)
  expect(casesOf([gap], aWalk())).toMatchObject([
    { name: 'endpoint/x', outcome: 'passed' },
    {
      name: 'project/x',
      outcome: 'skipped',
      message: `unknown: ${text}`,
    },
  ])
  expect(casesOf([], aWalk(), aWalk({ listing: 'project' }))).toMatchObject([
    { outcome: 'passed' },
    { outcome: 'passed' },
  ])
})

it('JUnit calls no rule passed in a list of projects: it has no resources', () => {
  const list = aWalk({ project: 'acme/*', listing: 'projects', status: 'failed', reason: 'the key was refused' })
  const found = aViolation({ rule: 'project/unlisted', project: 'acme/*', kind: 'project' })
  const rules = [evaluatedRule('endpoint/x', 'endpoint'), evaluatedRule('project/unlisted', 'project')]
  const [suite] = suitesOf({ ...aReport({ coverage: [list, aWalk()], violations: [found] }), rules })
  expect(suite?.cases.map(({ name, outcome }) => [name, outcome])).toEqual([
    ['walk projects', 'error'],
    ['project/unlisted', 'failure'],
  ])
})

it('JUnit calls no rule about the policy passed: it may not have been decided', () => {
  const report = aReport({
    rules: [evaluatedRule('waiver/expired', 'policy'), evaluatedRule('waiver/unused', 'policy')],
    coverage: [aWalk({ status: 'failed', cause: 'network', reason: 'reset', pages: 0, items: 0 })],
    violations: [aViolation({ rule: 'waiver/expired', kind: 'policy', project: 'hookdrift/policy' })],
  })
  const suite = suitesOf(report).find(({ name }) => name === 'hookdrift/policy')
  expect(suite?.cases.map(({ name }) => name)).toEqual(['waiver/expired'])
})
