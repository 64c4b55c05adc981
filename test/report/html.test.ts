import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Report } from '../../src/model/report.ts'
import { severities, violationStates } from '../../src/model/violation.ts'
import { html } from '../../src/report/html.ts'
import { json } from '../../src/report/json.ts'
import { fileRenderOptions } from '../../src/report/report-files.ts'
import { tries } from '../thoroughness.ts'
import { aFailedRule } from './a-gap.ts'
import { arbitraryReport } from './arbitrary-report.ts'
import { asEvaluated } from './evaluated-sample.ts'
import { aChange, aReport, aTrend, aViolation, aWalk, options, samples } from './sample-reports.ts'

const show = (report: Report) => html(report, options)

/** What this format may write: these elements, with quoted attributes. */
const tag =
  /<(?:!doctype html|\/?(?:html|head|meta|title|style|body|a|header|h[1-4]|p|nav|ul|ol|li|main|section|aside|figure|figcaption|svg|rect|polygon|desc|path|dl|dt|dd|div|table|thead|tbody|tr|th|td|b|strong|code|span|br|del|ins|details|summary|footer)(?: [a-zA-Z-]+="[^"<>]*")*\/?)>/g
const withoutStyle = (page: string) => page.replace(/<style>[\s\S]*<\/style>/, '')

/** The elements of violations, as data-* attributes say. */
function elementsIn(page: string) {
  const element =
    /<li id="v-([^"]*)" data-rule="([^"]*)" data-severity="([^"]*)" data-project="([^"]*)" data-state="([^"]*)"/g
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

  it('says the verdict in words with its numbers, and on what the run fails', () => {
    const page = show(samples.small)
    expect(page).toContain('<h1>acme: invoices, payments: run 17, 2026-11-21 03:04 UTC, took 12 s</h1>')
    expect(page).toContain('4 open violations (1 critical, 2 high, 1 medium)')
    expect(numbersIn(page)).toEqual(['1 critical', '2 high', '1 medium'])
    expect(page).toContain('<dt>Exit code</dt><dd>1</dd>')
    expect(page).toContain('<dt>Fails on</dt><dd>medium</dd>')
  })

  it('counts neither a list of projects nor the policy among projects without an open violation', () => {
    const policy = { project: 'hookdrift/policy', kind: 'policy', uid: '' } as const
    const ended = aViolation({ ...policy, state: 'resolved', resolution: 'fixed' })
    const coverage = [aWalk({ project: 'acme/*', listing: 'projects', items: 1 }), aWalk({ project: 'acme/a' })]
    const page = show(aReport({ coverage, violations: [ended], drift: [] }))
    expect(page).toContain('>1 project with a complete scan and no open violation.')
  })

  it('names each rule that could not evaluate everything once, with the projects', () => {
    const evaluated = asEvaluated(samples.clean)
    const missed = 'endpoint/url-not-https was not evaluated: it threw'
    const gaps = evaluated.projects.map(({ project }) => aFailedRule('endpoint/url-not-https', 'it threw', { project }))
    const page = show({ ...evaluated, gaps })
    expect(page.split(`${missed} (acme/invoices, acme/payments).`)).toHaveLength(2)
    expect(page).toContain('<a href="#limits">1 rule not evaluated</a>')
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

  it('counts the lines of a program that it does not show', () => {
    const program = (lines: number) => Array.from({ length: lines }, (_, at) => `line_${at}()`).join('\n')
    const shown = (lines: number) => {
      const field = { path: '/function', before: 'old()\nold()', after: program(lines), note: null }
      return show(aReport({ drift: [aChange({ kind: 'subscription', fields: [field] })] }))
    }
    expect(shown(41)).toContain('<br>… and 1 more line</ins>')
    expect(shown(42)).toContain('<br>… and 2 more lines</ins>')
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

  it('has a target for every link within it: a change leads to what is new with it', () => {
    for (const report of [samples.small, samples.large]) {
      const page = show(report)
      const ids = [...page.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id)
      const targets = [...page.matchAll(/href="#([^"]*)"/g)].map(([, target]) => target ?? '')
      expect(targets.filter((target) => !ids.includes(target))).toEqual([])
      expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([])
    }
    const [violation] = samples.small.violations
    const link = `<a href="#v-${violation?.fingerprint}"><code>drift/verification-weakened</code></a>`
    expect(show(samples.small)).toContain(`New with it: <span class="chip critical">critical</span> ${link}`)
  })

  it('shows how to fix the violations of a rule once, as steps, and refers to it where it is listed again', () => {
    const rule = {
      id: 'endpoint/url-not-https',
      kind: 'endpoint',
      title: 'No TLS',
      remediation: '1. Use `https`. 2. Replay.',
    } as const
    const violations = [aViolation(), aViolation({ uid: 'a', state: 'continuing' })]
    const rules = [{ ...rule, severity: 'high', controls: ['soc2:CC6.7'], needs: ['endpoint'] }] as const
    const page = show(aReport({ rules, violations }))
    expect(page.split('<ol><li>Use <code>https</code>.</li><li>Replay.</li></ol>')).toHaveLength(2)
    expect(page).toContain('id="rule-endpoint/url-not-https"')
    expect(page).toContain('<a href="#rule-endpoint/url-not-https">How to fix</a>')
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

const shown = (trend = aTrend) => html(aReport(), { ...fileRenderOptions, trend })

describe('the trend of an HTML report', () => {
  it('is drawn by severity, with a text for those who do not see it, and its numbers', () => {
    const page = shown()
    expect(page).toMatch(/<svg [^>]*role="img" aria-labelledby="open-title open-desc"/)
    expect(page).toContain('<title id="open-title">Open violations by severity over 14 days</title>')
    expect(page).toMatch(/<desc id="open-desc">12 at first, 4 at last \(.*\), 13 at most<\/desc>/)
    expect(page.match(/<polygon class="(\w+)"/g)).toHaveLength(severities.length)
    const lines = [...page.matchAll(/<tr><th scope="row">(\d{4}-\d\d-\d\d)<\/th>(.*)<\/tr>/g)].map(
      ([, date = '', cells = '']) => [
        date,
        ...[...cells.matchAll(/>(\d+|·)</g)].map(([, cell]) => (cell === '·' ? 0 : Number(cell))),
      ],
    )
    expect(lines).toEqual(
      aTrend.days.toReversed().map(({ date, open }) => [date, ...severities.map((severity) => open[severity])]),
    )
  })

  it('is flat where hardly anything changed: a hundredth does not look like a fall', () => {
    const days = aTrend.days.map((day, at) => ({ ...day, open: { ...day.open, high: 100 - (at % 2) } }))
    const [, points = ''] = /<polygon class="info" points="([^"]*)"/.exec(shown({ ...aTrend, days })) ?? []
    const heights = [...points.matchAll(/[\d.]+,([\d.]+)/g)].map(([, y]) => Number(y))
    expect(Math.max(...heights) - Math.min(...heights)).toBeLessThan(28)
  })

  it('says what came and went, in what time, and that a run was incomplete', () => {
    const page = shown()
    for (const fact of [
      'in the last 7 days: opened 1, fixed 6, removed 1, ended otherwise 2',
      'mean time to fix: 4 d (2 h of critical, 5 d of high)',
      '1 of 7 runs incomplete',
    ]) {
      expect(page).toContain(`<li>${fact}</li>`)
    }
    const bySeverity = aTrend.bySeverity.map((one) => ({ ...one, fixed: 0, mean_time_to_fix_ms: null }))
    expect(shown({ ...aTrend, bySeverity })).toContain('<li>no fixes in 14 days</li>')
  })

  it('is not drawn of a single day, and is in no other format', () => {
    expect(shown({ ...aTrend, days: aTrend.days.slice(-1) })).not.toContain('<polygon')
    expect(html(aReport(), fileRenderOptions)).not.toContain('<polygon')
    expect(json(aReport(), { ...fileRenderOptions, trend: aTrend })).toBe(json(aReport(), fileRenderOptions))
  })
})

const down = { status: 'failed', cause: 'network', reason: 'connection refused', pages: 0, items: 0 } as const

describe('the HTML report of a run that scanned nothing', () => {
  const walks = (['endpoints', 'subscriptions'] as const).map((listing) => aWalk({ ...down, listing }))
  const lost = aViolation({ state: 'unknown', severity: 'critical' })
  const page = withoutStyle(show(aReport({ coverage: walks, violations: [lost] })))

  it('shows no zero and no comfort, and hatches what nothing is known of', () => {
    expect(numbersIn(page)).toEqual(['? critical', '? high', '? medium'])
    expect(page.split('class="n unseen"').length).toBeGreaterThan(5)
    expect(page).toContain('? 1 then')
    expect(page).toContain('<b>? not scanned (1 critical then)</b>')
    expect(page.replace(/<footer>[\s\S]*/, '').replace(/<[^>]*>/g, ' ')).not.toMatch(/passed|clean|no open violation/i)
  })
})

describe('the HTML report of an incomplete run', () => {
  it('names what was not scanned after the verdict, a line for each cause, and calls its counts a lower bound', () => {
    const page = withoutStyle(show(samples.incomplete))
    expect(page.indexOf('class="verdict')).toBeLessThan(page.indexOf('INCOMPLETE SCAN'))
    for (const { reason } of samples.incomplete.coverage) {
      if (reason !== null) expect(page).toContain(reason.replaceAll('"', '&quot;'))
    }
    expect(numbersIn(page)[1]).toMatch(/^\d+\+ high$/)
  })
})

const many = 6500
const projects = Array.from({ length: 40 }, (_, at) => `acme/project-${at}`)
const placed = (at: number) => ({
  project: projects[at % projects.length] ?? '',
  uid: `01M7Z${String(at).padStart(21, '0')}`,
  name: `tenant ${at}`,
})
const evaluated = asEvaluated(
  aReport({
    coverage: projects.map((project) => aWalk({ project })),
    drift: Array.from({ length: 200 }, (_, at) =>
      aChange({ ...placed(at), fields: [{ path: '/status', before: 'active', after: 'paused' }] }),
    ),
    violations: Array.from({ length: many }, (_, at) =>
      aViolation({
        ...placed(at),
        severity: severities[at % severities.length] ?? 'info',
        state: at % 3 === 0 ? 'opened' : (violationStates[at % violationStates.length] ?? 'opened'),
        message: `sends to http://tenant-${at}.example.com/hooks, without TLS`,
      }),
    ),
  }),
)

describe('the HTML report of 6,500 violations', () => {
  const report = { ...evaluated, projects: [], gaps: [] }
  const page = html(report, options)

  it('is at most one and a half times as large as JSON', () => {
    expect(Buffer.byteLength(page) / Buffer.byteLength(json(report, options))).toBeLessThanOrEqual(1.5)
  })

  it('has every violation, the first of a block shown and the others behind a fold that counts them', () => {
    expect(page.match(/<li id="v-/g)).toHaveLength(many)
    expect(page).toMatch(/<\/ul>\n<details class="rest"><summary>\d+ more of \d+<\/summary>/)
  })

  it('shows a dozen projects and folds the others', () => {
    expect(page).toContain('<summary>28 more of 40 projects</summary>')
  })
})
