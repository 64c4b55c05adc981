import { describe, expect, it } from 'vitest'
import type { Report, ReportViolation } from '../../src/model/report.ts'
import { sarif } from '../../src/report/sarif.ts'
import { asEvaluated, evaluatedSamples } from './evaluated-sample.ts'
import { sarifFaults } from './formats/sarif.ts'
import { aReport, aViolation, aWalk, options, samples } from './sample-reports.ts'

const runOf = (report: Report) => JSON.parse(sarif(report, options)).runs[0]
const resultOf = (violation: Partial<ReportViolation>) =>
  runOf(asEvaluated(aReport({ violations: [aViolation(violation)] }))).results[0]

describe('the SARIF report', () => {
  it.each(Object.entries({ ...samples, evaluated: evaluatedSamples.small }))(
    'follows the schema of SARIF 2.1.0: %s',
    (_, report) => {
      expect(sarifFaults(JSON.parse(sarif(report, options)))).toBeNull()
    },
  )

  it.each(['small', 'clean', 'incomplete'] as const)('matches its reviewed snapshot: %s', async (sample) => {
    await expect(sarif(evaluatedSamples[sample], options)).toMatchFileSnapshot(`../golden/report-${sample}.sarif`)
  })

  it.each([
    ['opened', 'new'],
    ['continuing', 'unchanged'],
    ['unknown', 'unchanged'],
    ['waived', 'unchanged'],
    ['resolved', 'absent'],
  ] as const)('marks a violation that is %s as %s', (state, baselineState) => {
    const first_seen = state === 'opened' ? samples.small.run.started_at : '2026-11-19T22:15:00.000Z'
    expect(resultOf({ state, first_seen })).toMatchObject({ baselineState, properties: { state } })
  })

  const suppressedBy = (justification: string) => ({ kind: 'external', status: 'accepted', justification })

  it('marks each result as suppressed or not, and a waived one with owner, reason and end', () => {
    const suppressed = runOf(evaluatedSamples.small).results.map(
      ({ suppressions }: { suppressions: object[] }) => suppressions,
    )
    expect(suppressed.filter((list: object[]) => list.length > 0)).toEqual([
      [
        {
          kind: 'external',
          status: 'accepted',
          justification:
            'waived by payments team until the end of 2027-03-31: the receiver moves to TLS with its next release (OPS-4711)',
          properties: {
            owner: 'payments team',
            expires: '2027-04-01T00:00:00.000Z',
            ticket: 'OPS-4711',
          },
        },
      ],
      [suppressedBy('approved with the baseline of run 5 by eve on 2026-11-20 15:13 UTC: looks fine')],
      [suppressedBy('switched off by an override (policy.yaml:12)')],
    ])
    expect(suppressed).toHaveLength(evaluatedSamples.small.violations.length)
  })

  it('names the resource, and the line that configures its project', () => {
    const { locations } = resultOf({ path: '/url' })
    expect(locations).toEqual([
      {
        physicalLocation: { artifactLocation: { uri: 'conf/hookdrift.yaml' }, region: { startLine: 13 } },
        logicalLocations: [
          {
            name: 'orders',
            fullyQualifiedName: 'acme/payments/endpoint/01M7XVZ2T417WGWM74AAK885VQ/url',
            kind: 'endpoint',
          },
        ],
      },
    ])
  })

  it('has a fingerprint that distinguishes violations of one line for code scanning', () => {
    const { fingerprint } = aViolation()
    expect(resultOf({}).partialFingerprints).toEqual({
      'hookdrift/v1': fingerprint,
      primaryLocationLineHash: `${fingerprint}:1`,
    })
  })

  it('describes its rules, with a score that grows with the severity', () => {
    const { rules } = runOf(evaluatedSamples.small).tool.driver
    const rule = rules.find(({ id }: { id: string }) => id === 'endpoint/secret-all-expired')
    expect(rule).toMatchObject({
      shortDescription: { text: 'All secrets have expired' },
      help: {
        text: 'All secrets have expired\n\nHow to fix: Create a secret (`openssl rand -base64 32`).\n\nMore: hookdrift rules endpoint/secret-all-expired',
        markdown: expect.stringContaining('`hookdrift rules endpoint/secret-all-expired`'),
      },
      helpUri: 'urn:hookdrift:rule:endpoint/secret-all-expired',
      properties: { 'security-severity': '8.0', tags: ['security', 'soc2:CC6.7', 'pci-dss:4.2.1'] },
    })
    const scores = new Map(
      rules.map(({ properties }: { properties: Record<string, string> }) => [
        properties.severity,
        Number(properties['security-severity']),
      ]),
    )
    expect([...scores].sort(([, a], [, b]) => Number(b) - Number(a)).map(([severity]) => severity)).toEqual([
      'critical',
      'high',
      'medium',
      'info',
    ])
  })

  it('names no page of hookdrift for a rule of the policy', () => {
    const report = aReport({ violations: [aViolation({ rule: 'acme/owner-known' })] })
    const [rule] = runOf(report).tool.driver.rules
    expect(rule.help).toEqual({ text: 'acme/owner-known', markdown: '**`acme/owner-known`**' })
  })

  it('says of how many subscriptions filter rows were read where not all that were due', () => {
    const reason = '1 of 5 subscriptions whose filters were due: not read'
    const walk = aWalk({ listing: 'filters', status: 'partial', reason, pages: 0, items: 4, of: 40 })
    const [invocation] = runOf(aReport({ coverage: [aWalk(), walk] })).invocations
    expect(
      invocation.toolExecutionNotifications.map(({ message }: { message: { text: string } }) => message.text),
    ).toEqual([`acme/payments filters: partial, filter rows of 4 of 40 subscriptions seen: ${reason}`])
  })

  it('lists every walk that was not complete, and marks such a run as unsuccessful', () => {
    const [invocation] = runOf(evaluatedSamples.incomplete).invocations
    expect(invocation).toMatchObject({ exitCode: 3, executionSuccessful: false })
    const expected = invocation.toolExecutionNotifications.filter(
      ({ descriptor }: { descriptor: { id: string } }) => descriptor.id === 'walk-incomplete',
    )
    expect(
      expected.map(({ level, message }: { level: string; message: { text: string } }) => [level, message.text]),
    ).toEqual([
      [
        'error',
        'acme/billing endpoints: failed, nothing seen: reading page 1: the service refused the key (401 unauthorized), request 01M7Y3; check ACME_KEY',
      ],
      ['error', 'acme/billing subscriptions: failed, nothing seen: not tried: the key was refused'],
      [
        'error',
        'acme/payments subscriptions: partial, 3000 resources in 3 pages seen: page 4 did not arrive within 30 s, 4 times in 60 s, request 01M7Y5',
      ],
      [
        'warning',
        'acme/shop endpoints: suspect, 79 resources in 1 page seen: lost 41 of 120 resources (34 %); held back until a second walk shows the same',
      ],
    ])
  })

  it('can be written for runs that stored no rules and no places', () => {
    const { results, tool } = runOf(aReport({ coverage: [aWalk()], violations: [aViolation()] }))
    const place = { artifactLocation: { uri: 'hookdrift.yaml' }, region: { startLine: 1 } }
    expect(results[0].locations[0].physicalLocation).toEqual(place)
    expect(tool.driver.rules.map(({ id }: { id: string }) => id)).toEqual(['endpoint/url-not-https'])
  })
})
