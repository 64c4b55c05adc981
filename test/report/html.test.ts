import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Report } from '../../src/model/report.ts'
import { severities } from '../../src/model/violation.ts'
import { html } from '../../src/report/html.ts'
import { tries } from '../thoroughness.ts'
import { arbitraryReport } from './arbitrary-report.ts'
import { aReport, aViolation, samples } from './sample-reports.ts'

const options = { colour: false, width: 80, full: true }
const show = (report: Report) => html(report, options)

/** What this format may write: these elements, with quoted attributes. */
const tag =
  /<(?:!doctype html|\/?(?:html|head|meta|title|style|body|a|header|h[1-4]|p|nav|ul|li|main|section|svg|rect|dl|dt|dd|div|table|thead|tbody|tr|th|td|b|code|span|br|del|ins|footer)(?: [a-zA-Z-]+="[^"<>]*")*\/?)>/g
const withoutStyle = (page: string) => page.replace(/<style>[\s\S]*<\/style>/, '')

/** The elements of violations, as data-* attributes say. */
function elementsIn(page: string) {
  const element =
    /<li data-fingerprint="([^"]*)" data-rule="([^"]*)" data-severity="([^"]*)" data-project="([^"]*)" data-state="([^"]*)">/g
  return [...page.matchAll(element)].map(([, fingerprint, rule, severity, project, state]) => {
    return { fingerprint, rule, severity, project, state }
  })
}

describe('the HTML report', () => {
  it.each(['small', 'clean', 'incomplete'] as const)('matches its reviewed snapshot: %s', async (name) => {
    // The style is the same in all of them and says nothing of the report.
    const page = withoutStyle(show(samples[name])).replace(/sha256-[^&]*/, 'sha256-…')
    await expect(page).toMatchFileSnapshot(`../golden/report-${name}.html`)
  })

  it.each(Object.entries(samples))('has an element for every violation, and only for those: %s', (_, report) => {
    const expected = report.violations.map(({ fingerprint, rule, severity, project, state }) => {
      return { fingerprint, rule, severity, project, state }
    })
    const inOrder = (elements: typeof expected) => elements.map((element) => JSON.stringify(element)).sort()
    expect(inOrder(elementsIn(show(report)) as typeof expected)).toEqual(inOrder(expected))
  })

  it('shows verdict, counts, reasons of incomplete walks and the state before', () => {
    const page = show(samples.small)
    expect(page).toContain(`${samples.small.verdict.text} Exit code 1.`)
    for (const severity of ['critical', 'high', 'medium'] as const) {
      expect(page).toContain(
        `<span class="${severity}">${severity}</span>: ${samples.small.verdict.violations[severity]}`,
      )
    }
    expect(page).toContain('<ins>&quot;http://hooks.example.net/orders/created&quot;</ins>')
    for (const { reason } of samples.incomplete.coverage) {
      if (reason !== null) expect(show(samples.incomplete)).toContain(reason.replaceAll('"', '&quot;'))
    }
    expect(show(samples.incomplete)).toMatch(/Incomplete scan: \d+ of \d+ walks are not complete\./)
  })

  it('shows a remediation with each rule, and with each waived violation who accepted it', () => {
    const waiver = { owner: 'payments', reason: 'moves <soon>', expires: '2027-03-31T00:00:00.000Z', ticket: '4711' }
    const rule = {
      id: 'endpoint/url-not-https',
      kind: 'endpoint',
      title: 'No TLS',
      remediation: 'Use `https`.',
    } as const
    const report = aReport({
      rules: [{ ...rule, severity: 'high', controls: ['soc2:CC6.7'], needs: ['endpoint'] }],
      violations: [aViolation(), aViolation({ uid: 'b', state: 'waived', waiver })],
    })
    const page = show(report)
    expect(page).toContain('<h4>No TLS <code>endpoint/url-not-https</code></h4>')
    expect(page).toContain('How to fix: Use <code>https</code>.')
    expect(page).toContain('Controls: soc2:CC6.7')
    expect(page).toContain('Accepted by payments until 2027-03-31 00:00 UTC: moves &lt;soon&gt; (4711)')
  })

  it('contains no markup from its data', () => {
    const attacks = fc.constantFrom(
      '<script>alert(1)</script>',
      '"><img src=x onerror=alert(1)>',
      "' onmouseover='alert(1)",
      '</li></ul></style><style>*{display:none}',
      '<!--',
      ']]>',
      '&lt;script&gt;',
      'javascript:alert(1)',
      '\u202e<b>\0',
    )
    fc.assert(
      fc.property(arbitraryReport, attacks, (report, attack) => {
        const hostile: Report = {
          ...report,
          violations: report.violations.map((violation) => ({
            ...violation,
            name: attack,
            message: attack,
            path: `/${attack}`,
          })),
          notices: report.notices.map((notice) => ({ ...notice, text: attack })),
        }
        const page = withoutStyle(show(hostile))
        expect(page.replace(tag, '')).not.toMatch(/[<>]/)
        expect(page).not.toMatch(/ on[a-z]+="/)
        expect(page).not.toMatch(/[\p{Cc}\p{Cf}](?<!\n)/u)
      }),
      { numRuns: tries(200, { locally: 50 }) },
    )
  })

  it('contains no address that a browser would load', () => {
    const url = 'https://elsewhere.example/x.png'
    const page = show(aReport({ violations: [aViolation({ name: url, message: url })] }))
    expect([...page.matchAll(/(?:href|src)="([^"]*)"/g)].map(([, target]) => target?.[0])).not.toContain('h')
    expect(page).toMatch(/default-src &#39;none&#39;; style-src &#39;sha256-[A-Za-z0-9+/]{43}=&#39;/)
  })

  it('counts open violations by severity as the verdict does', () => {
    fc.assert(
      fc.property(arbitraryReport, (report) => {
        const open = elementsIn(show(report)).filter(({ state }) => state === 'opened' || state === 'continuing')
        const counts = severities.map((name) => open.filter(({ severity }) => severity === name).length)
        expect(counts).toEqual(severities.map((name) => report.verdict.violations[name]))
      }),
      { numRuns: tries(100, { locally: 25 }) },
    )
  })
})
