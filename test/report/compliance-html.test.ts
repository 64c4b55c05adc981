import { describe, expect, it } from 'vitest'
import type { Report } from '../../src/model/report.ts'
import { complianceReports } from '../../src/report/compliance-reports.ts'
import { composeCompliance } from '../compliance/checked-compliance.ts'
import { aFailedRule } from './a-gap.ts'
import { aReport, aViolation, aWalk } from './sample-reports.ts'

const rules: Report['rules'] = (['endpoint/url-not-https', 'subscription/wildcard'] as const).map((id) => {
  const kind = id.startsWith('endpoint') ? 'endpoint' : 'subscription'
  return { id, kind, severity: 'high', title: `Title of ${id}`, remediation: '', controls: [], needs: [kind] }
})
const framework = {
  id: 'ours',
  title: 'Our framework',
  controls: [
    { id: 'NONE', title: 'Not covered', evidence: [] },
    { id: 'MET', title: 'Met', evidence: [{ rules: ['subscription/wildcard'], rationale: 'Least privilege.' }] },
    { id: 'NOT', title: 'Not met', evidence: [{ rules: ['endpoint/url-not-https'], rationale: 'Encryption.' }] },
  ],
}
const waiver = { owner: 'ops', reason: 'moves soon', expires: '2027-04-01T00:00:00.000Z' }
const walks = [aWalk(), aWalk({ listing: 'subscriptions' })]
const violations = [
  aViolation(),
  aViolation({ uid: 'low', severity: 'low' }),
  aViolation({ uid: 'waived', state: 'waived', waiver }),
  aViolation({ uid: 'gone', state: 'resolved', resolution: 'fixed' }),
]
const day = 86_400_000
const period = {
  from: '2026-10-01T00:00:00.000Z',
  to: '2026-12-01T00:00:00.000Z',
  runs: 17,
  interrupted: 1,
  pruned: 0,
  incomplete: [{ run: 9, at: '2026-11-02T00:00:00.000Z', walks: 3 }],
  longest_gap: { from: '2026-10-01T00:00:00.000Z', to: '2026-10-03T00:00:00.000Z', ms: 2 * day },
  longest_incomplete: { from: '2026-10-01T00:00:00.000Z', to: '2026-10-03T00:00:00.000Z', ms: 2 * day },
  most_gap_ms: 3 * day,
  gaps: 0,
  covered_ms: 50 * day,
  evidence: { from: '2026-10-03T00:00:00.000Z', to: '2026-11-30T00:00:00.000Z', share: 0.8196 },
}

const show = (parts: Partial<Report>, by: typeof framework = framework) =>
  complianceReports
    .html(
      composeCompliance({
        report: { ...aReport({ coverage: walks, violations }), rules, ...parts },
        framework: by,
        period,
      }),
      {
        colour: false,
        width: 80,
        full: true,
      },
    )
    .replace(/<style>[\s\S]*<\/style>/, '')
const read = (page: string) => page.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ')

describe('the HTML compliance report', () => {
  it('has framework and period at the head, and a number for each state', () => {
    const text = read(show({}))
    expect(text).toContain(
      'Our framework Evidence begins 2026-10-03 00:00 UTC and ends 2026-11-30 00:00 UTC: 50 d of 61 d are covered (81.9 %). ' +
        'Period 2026-10-01 00:00 UTC to 2026-12-01 00:00 UTC, as of run 17',
    )
    expect(text).toContain(
      'Not met 1 of 2 controls with evidence is met. 1 not met 0 partially assessed 0 not assessed 0 met with exceptions 1 met',
    )
    expect(text).toContain('Runs with incomplete listings 1 Run 9, 2026-11-02 00:00 UTC: 3 listings not complete')
  })

  it('goes from summary to evidence, what is missing first, and ends with appendices and a line to sign', () => {
    const page = show({})
    const ids = [...page.matchAll(/<h2 id="([^"]*)"/g)].map(([, id]) => id)
    expect(page.indexOf('id="control-NOT"')).toBeLessThan(page.indexOf('id="control-MET"'))
    expect(ids).toEqual([
      ...['scope', 'controls', 'period', 'exemptions', 'evidence', 'rules', 'not_covered', 'origin'],
    ])
    const [, end = ''] = page.split('<h2 id="origin">')
    expect(read(end)).toMatch(
      /Policy b{64} .* hookdrift verify Company Prepared by, signature Reviewed by, signature Date/,
    )
  })

  it('counts open violations, those below the threshold, exempted and fixed ones by themselves', () => {
    const text = read(show({}))
    expect(text).toContain('NOT Not met not met 1 1 1 1')
    expect(text).toContain('1 open violation (1 high), with 1 exemption and 1 observation.')
    expect(text).toContain('Open 1')
    expect(text).toContain('Observations, below medium 1')
    expect(text).toContain(
      'Exemptions 1 high endpoint/url-not-https sends to http://hooks.example.com, without TLS ' +
        'acme/payments · endpoint orders waived waived by ops until the end of 2027-03-31: moves soon',
    )
    expect(text).toContain('1 ended: 1 fixed')
    expect(text).not.toContain('resolved')
  })

  it('does not count none open where a rule missed something, or a violation is unknown', () => {
    const openOf = (parts: Partial<Report>) => {
      const row = /<tr data-control="NOT"[\s\S]*?<\/tr>/.exec(show(parts))?.[0] ?? ''
      return /data-label="Open"[^>]*>([^<]*)</.exec(row)?.[1]
    }
    const gaps = [aFailedRule('endpoint/url-not-https', 'it failed on 1 endpoint')]
    const unknown = aViolation({ uid: 'unseen', state: 'unknown' })
    expect(openOf({ violations: [] })).toBe('·')
    expect([openOf({ violations: [], gaps }), openOf({ violations: [unknown] })]).toEqual(['?', '?'])
    expect(openOf({ violations: [aViolation(), unknown] })).toBe('at least 1')
  })

  it('shows the findings of a rule once, by rule, and refers to them under every other control', () => {
    const again = { id: 'AGAIN', title: 'Again', evidence: [{ rules: ['endpoint/*'], rationale: 'Again.' }] }
    const both = { ...framework, controls: [...framework.controls, again] }
    const page = show({}, both)
    for (const uid of ['low', 'waived', 'gone']) expect(page.split(`<code>${uid}</code>`)).toHaveLength(2)
    const [, after = ''] = page.split('<h3 id="control-AGAIN">')
    const text = read(after)
    expect(text).toMatch(
      /Open 1 high Title of endpoint\/url-not-https endpoint\/url-not-https , 1: see NOT Observations, below medium 1 low/,
    )
    expect(text).toContain('Exemptions 1 1 of these: see NOT')
    expect(text).toMatch(/AGAIN Again: 1 rule Again\. endpoint\/url-not-https : see NOT/)
    expect(after).toContain('see <a href="#control-NOT">NOT</a>')
  })

  it('says the gap of a walk once, and refers to it', () => {
    const again = { id: 'AGAIN', title: 'Again', evidence: [{ rules: ['endpoint/*'], rationale: 'Again.' }] }
    const failed = walks.map((walk) => ({ ...walk, status: 'failed', reason: 'refused', pages: 0, items: 0 }) as const)
    const text = read(show({ coverage: failed }, { ...framework, controls: [...framework.controls, again] }))
    expect(text.split('endpoints failed : refused')).toHaveLength(2)
    expect(text).toContain('Gaps 1 acme/payments endpoints: see NOT')
  })

  it('says which walks are complete: those that the rules of the control need', () => {
    expect(read(show({}))).toContain('The listing that its rules need is complete: 3 resources in 1 page.')
  })

  it('shows no number of open violations where nothing was scanned', () => {
    const failed = walks.map((walk) => ({ ...walk, status: 'failed', reason: 'refused', pages: 0, items: 0 }) as const)
    const page = show({ coverage: failed, violations: [] })
    expect(read(page)).toContain('None of 2 controls with evidence could be assessed.')
    expect(page.match(/<td data-label="Open" class="n unseen">\?<\/td>/g)).toHaveLength(2)
    expect(read(page)).toContain('The listing that its rules need is not complete: nothing was read.')
  })
})
