import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decidedAt } from '../../src/model/ending.ts'
import type { Report } from '../../src/model/report.ts'
import { severities } from '../../src/model/violation.ts'
import { html } from '../../src/report/html.ts'
import { tries } from '../thoroughness.ts'
import { arbitraryReport } from './arbitrary-report.ts'
import { aChange, aReport, aViolation, samples } from './sample-reports.ts'

const options = { colour: false, width: 80, full: true }
const show = (report: Report) => html(report, options)

/** What this format may write: these elements, with quoted attributes. */
const tag =
  /<(?:!doctype html|\/?(?:html|head|meta|title|style|body|a|header|h[1-4]|p|nav|ul|ol|li|main|section|aside|svg|rect|dl|dt|dd|div|table|thead|tbody|tr|th|td|b|strong|code|span|br|del|ins|details|summary|footer)(?: [a-zA-Z-]+="[^"<>]*")*\/?)>/g
const withoutStyle = (page: string) => page.replace(/<style>[\s\S]*<\/style>/, '')

/** The elements of violations, as data-* attributes say. */
function elementsIn(page: string) {
  const element =
    /<li id="v-([^"]*)" data-rule="([^"]*)" data-severity="([^"]*)" data-project="([^"]*)" data-state="([^"]*)">/g
  return [...page.matchAll(element)].map(([, fingerprint, rule, severity, project, state]) => {
    return { fingerprint, rule, severity, project, state }
  })
}

/** The large numbers with their labels and what changed, as text. */
function numbersIn(page: string) {
  const element =
    /<li class="figure [^"]*"><b>([^<]*)<\/b> <span class="label">([^<]*)<\/span>(?:<span class="delta">([^<]*)<\/span>)?/g
  return [...page.matchAll(element)].map(([, ...texts]) => texts.filter((text) => text !== undefined).join(' '))
}

const override = decidedAt('override', { reason: null, place: { file: 'policy.yaml', line: 12 } })

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

  it('names services, projects and run, and says the verdict in words with three numbers', () => {
    const page = show(samples.small)
    expect(page).toContain('<h1>acme: invoices, payments</h1>')
    expect(page).toContain(
      'Run 17 · 2026-11-21 03:04 UTC · took 12 s · 4 of 4 walks complete · fails at medium or above',
    )
    expect(page).toContain('Failed</strong> 4 open violations of medium or above.')
    expect(numbersIn(page)).toEqual([
      '1 critical +1 new',
      '2 high +1 new, −1 fixed, −1 ended otherwise, 1 unknown',
      '1 medium −1 ended otherwise',
    ])
    expect(page).toContain('<dt>Exit code</dt><dd>1</dd>')
  })

  it('shows the state before and after: texts, secrets as fingerprints, programs as the lines that differ', () => {
    const page = show(samples.small)
    expect(page).toContain('<ins>&quot;http://hooks.example.net/orders/created&quot;</ins>')
    expect(page).toContain('<del>fingerprint 3fa1c2d4…</del>')
    expect(page).toContain('<del><span class="soft">line 3</span><br>  return payload.items.map')
    expect(page).toContain(
      '<del>hmac/hash: &quot;SHA256&quot;<br>hmac/header: &quot;X-Signature&quot;<br>type: &quot;hmac&quot;</del>',
    )
  })

  it('says a replaced signing secret in a sentence', () => {
    const secret = (created_at: string, digits: string) => ({ created_at, value: `sealed:${digits.repeat(32)}` })
    const fields = [
      { path: '/secrets/A', before: secret('2026-09-22T17:43:59Z', 'a'), after: null },
      { path: '/secrets/B', before: null, after: secret('2026-11-01T00:03:00Z', 'b') },
    ]
    const sentence = 'Signing secret replaced: fingerprint aaaaaaaa → bbbbbbbb (created 2026-09-22, then 2026-11-01)'
    expect(show(aReport({ drift: [aChange({ fields })] }))).toContain(sentence)
    // A third secret: which replaced which is not known.
    const third = { path: '/secrets/C', before: null, after: secret('2026-11-02T00:03:00Z', 'c') }
    expect(show(aReport({ drift: [aChange({ fields: [...fields, third] })] }))).not.toContain('Signing secret replaced')
  })

  it('links a change to the violations that are new with it, and each violation to itself', () => {
    const [violation] = samples.small.violations
    const link = `<a class="chip critical" href="#v-${violation?.fingerprint}">critical drift/verification-weakened</a>`
    const page = show(samples.small)
    expect(page).toContain(`New with it: ${link}`)
    const ids = new Set([...page.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id))
    const targets = [...page.matchAll(/href="#([^"]*)"/g)].map(([, target]) => target)
    expect(targets.filter((target) => !ids.has(target ?? ''))).toEqual([])
    expect(targets).toContain(`v-${violation?.fingerprint}`)
  })

  it('shows new violations before changes, and these before known violations', () => {
    const page = show(samples.small)
    const places = [
      'id="new"',
      'data-state="opened"',
      'id="drift"',
      'data-change=',
      'id="violations"',
      'data-state="continuing"',
    ]
    const found = places.map((text) => page.indexOf(text))
    expect(found).toEqual(found.toSorted((a, b) => a - b))
    expect(page.lastIndexOf('data-state="opened"')).toBeLessThan(page.indexOf('id="drift"'))
  })

  it('shows how to fix the violations of a rule once, and with each waived violation who accepted it', () => {
    const waiver = { owner: 'payments', reason: 'moves <soon>', expires: '2027-04-01T00:00:00.000Z', ticket: '4711' }
    const rule = {
      id: 'endpoint/url-not-https',
      kind: 'endpoint',
      title: 'No TLS',
      remediation: '1. Use `https`. 2. Replay.',
    } as const
    const report = aReport({
      rules: [{ ...rule, severity: 'high', controls: ['soc2:CC6.7', 'ours:1'], needs: ['endpoint'] }],
      violations: [
        aViolation(),
        aViolation({ uid: 'a', state: 'continuing' }),
        aViolation({ uid: 'b', state: 'waived', waiver }),
      ],
    })
    const page = show(report)
    expect(page.split('<ol><li>Use <code>https</code>.</li><li>Replay.</li></ol>')).toHaveLength(2)
    expect(page).toContain('<div class="rule" id="rule-endpoint/url-not-https">')
    expect(page).toContain('<a href="#rule-endpoint/url-not-https">How to fix</a>')
    expect(page).toContain('Controls: SOC 2 CC6.7 +1')
    expect(page).toContain('Accepted by payments until the end of 2027-03-31: moves &lt;soon&gt; (4711)')
  })

  it('says how violations ended: what the policy switched off is not fixed', () => {
    const resolved = (['fixed', 'policy', 'policy'] as const).map((resolution, at) =>
      aViolation({
        uid: String(at),
        state: 'resolved',
        resolution,
        ended_by: resolution === 'fixed' ? null : override,
      }),
    )
    const page = show(aReport({ violations: resolved }))
    expect(page).toContain('Switched off by an override (policy.yaml:12)')
    expect(page).toContain('<details open=""><summary>Fixed: 1 violation</summary>')
    expect(page).toContain('<details open=""><summary>Switched off by the policy: 2 violations</summary>')
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

  it("links a resource to the gateway's own pages where the configuration says where they are", () => {
    const ui_url = 'https://convoy.example/projects/1/endpoints/2?a=%22&b'
    const page = show(aReport({ violations: [aViolation({ ui_url })], drift: [aChange({ ui_url })] }))
    const link = '<a class="gateway" href="https://convoy.example/projects/1/endpoints/2?a=%22&amp;b" rel="noreferrer">'
    expect(page.split(link)).toHaveLength(3)
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
