import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decidedAt } from '../../src/model/ending.ts'
import type { Report, ReportCoverage } from '../../src/model/report.ts'
import { severities, violationStates } from '../../src/model/violation.ts'
import { html } from '../../src/report/html.ts'
import { json } from '../../src/report/json.ts'
import { fileRenderOptions } from '../../src/report/report-files.ts'
import { tries } from '../thoroughness.ts'
import { aFailedRule, aGap } from './a-gap.ts'
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

const override = decidedAt('override', { reason: null, configuredAt: { file: 'policy.yaml', line: 12 } })

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
      'Run 17 · 2026-11-21 03:04 UTC · took 12 s · 4 of 4 listings complete · fails at medium or above',
    )
    expect(page).toContain('Failed</strong> 4 open violations of medium or above.')
    expect(numbersIn(page)).toEqual([
      '1 critical +1 new',
      '2 high +1 new, −1 fixed, −1 ended otherwise, 1 unknown',
      '1 medium −1 ended otherwise',
    ])
    expect(page).toContain('<dt>Exit code</dt><dd>1</dd>')
  })

  it.each([
    ['never', 'violations fail no run'],
    ['new', 'fails at new violations of medium or above'],
    ['critical', 'fails at critical'],
    ['low', 'fails at low or above'],
  ] as const)('says what the run fails on: %s', (fail_on, said) => {
    const page = show({ ...samples.small, verdict: { ...samples.small.verdict, fail_on } })
    expect(page).toContain(`4 of 4 listings complete · ${said}</p>`)
  })

  it('counts a rule once that was evaluated in none of several projects', () => {
    const page = show(asEvaluated(samples.clean))
    expect(page).toContain('? 1 rule could not evaluate everything')
    const sentence = 'endpoint/name-convention was not evaluated: it throws: TypeError'
    expect(page).toContain(`<dt>acme/invoices, acme/payments</dt><dd>${sentence}</dd>`)
  })

  it('does not say of a waived violation that could not be checked that it was open', () => {
    const waiver = { owner: 'platform', reason: 'moves', expires: '2027-04-01T00:00:00.000Z' }
    const page = show(aReport({ violations: [aViolation({ state: 'unknown', waiver })] }))
    expect(page).toContain('Open or waived when last seen, and not checked by this run.')
  })

  it('counts neither a list of projects nor the policy among projects without an open violation', () => {
    const ended = aViolation({
      project: 'hookdrift/policy',
      kind: 'policy',
      uid: '',
      state: 'resolved',
      resolution: 'fixed',
    })
    const coverage = [aWalk({ project: 'acme/*', listing: 'projects', items: 1 }), aWalk({ project: 'acme/a' })]
    const page = show(aReport({ coverage, violations: [ended], drift: [] }))
    expect(page).toContain('>1 project with a complete scan and no open violation.')
  })

  describe('a list of projects', () => {
    const list = aWalk({ project: 'acme/*', listing: 'projects', items: 1 })
    const unread = { status: 'failed', cause: 'network', pages: 0, items: 0 } as const
    const shownFor = (coverage: readonly ReportCoverage[]) => show(aReport({ coverage, drift: [] }))

    it('does not count among the projects that were not scanned', () => {
      const [read, failed] = [aWalk({ project: 'acme/a' }), aWalk({ project: 'acme/b', ...unread })]
      expect(shownFor([list, failed])).toContain('? Nothing was scanned: not one page of acme/b could be read.')
      expect(shownFor([list, read, failed])).toContain('? 1 of 2 projects was not scanned to the end.')
    })

    it('is named where it alone was not read', () => {
      const failed = { ...list, ...unread }
      const unknown = '? Not all projects of acme are known: the list was not read to the end.'
      expect(shownFor([failed, aWalk({ project: 'acme/a' })])).toContain(unknown)
      expect(shownFor([failed])).toContain('? Nothing was scanned: the projects of acme could not be listed.')
    })
  })

  it('says which rules could not evaluate everything, though no violation is open', () => {
    const evaluated = asEvaluated(samples.clean)
    const [undecided, missed] = [
      'endpoint/inactive was not evaluated: what it compares with came empty',
      'endpoint/url-not-https missed 3 endpoints that show no url',
    ]
    const gaps = evaluated.projects.flatMap(({ project }) => [
      aGap('endpoint/inactive', { project, cause: 'nothing_to_compare', field: null, resources: 0, text: undecided }),
      aGap('endpoint/url-not-https', { project, resources: 3, text: missed }),
    ])
    const page = show({ ...evaluated, gaps })
    expect(page).toContain('<li>2 rules could not evaluate everything</li>')
    const text = textOf({ ...evaluated, gaps })
    expect(text).toContain('New violations ? No new violation in what could be checked; the rest is unknown.')
    expect(text).toContain('Open since earlier runs ? None in what could be checked; the rest is unknown.')
    expect(page).toContain('? 2 rules could not evaluate everything</summary>')
    expect(page).toContain(`<dt>acme/invoices, acme/payments</dt><dd>${missed}</dd>`)
    expect(page).toContain(`<dt>acme/invoices, acme/payments</dt><dd>${undecided}</dd>`)
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
    expect(page).toContain('Waived by payments until the end of 2027-03-31: moves &lt;soon&gt; (4711)')
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

/** What a person reads on the page, without the footer, whose digests are no counts. */
const textOf = (report: Report) =>
  withoutStyle(show(report))
    .replace(/^[\s\S]*?<body>/, '')
    .replace(/<footer>[\s\S]*$/, '')
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')

const failed = { status: 'failed', cause: 'network', reason: 'connection refused', pages: 0, items: 0 } as const
const down = (number: number, violations: Report['violations'] = []) => {
  const run = { ...aReport().run, number }
  const walks = (['endpoints', 'subscriptions'] as const).map((listing) => aWalk({ ...failed, listing }))
  return aReport({ run, coverage: walks, violations })
}

describe('the HTML report of a run that scanned nothing', () => {
  it.each([1, 17])('says unknown, and shows no zero, no "none" and no comfort: run %i', (number) => {
    const text = textOf(down(number))
    expect(text).toContain(
      '? Nothing was scanned: not one page of acme/payments could be read. Not reached: acme/payments',
    )
    expect(text).toContain('Unknown Nothing was scanned. ? critical ? high ? medium')
    expect(text).toContain('acme/payments ? ? ? ? ? ? not scanned')
    expect(text.split('Coverage Incomplete scan')[0]).not.toMatch(
      /(?<![\w.])(0|none|no|passed|clean|complete scan)(?![\w.]| (of 2 listings|violation was))/i,
    )
  })

  it('counts what was open when it was last seen', () => {
    const text = textOf(down(17, [aViolation({ state: 'unknown', severity: 'critical' })]))
    expect(text).toContain('? critical 1 unknown')
    expect(text).toContain('acme/payments ? 1 then ? ? ? ? ? not scanned (1 critical then)')
  })

  it('hatches the cells that nothing is known of', () => {
    expect(withoutStyle(show(down(17))).split('class="n unseen"')).toHaveLength(5 + 2 + 1)
  })
})

describe('the HTML report of an incomplete run', () => {
  it('names what was not scanned before the verdict, a line for each cause', () => {
    const page = withoutStyle(show(samples.incomplete))
    expect(page.indexOf('class="unscanned')).toBeLessThan(page.indexOf('class="verdict'))
    const text = textOf(samples.incomplete)
    expect(text).toContain('? 3 of 4 projects were not scanned to the end.')
    expect(text).toContain('Key refused: acme/billing')
    expect(text).toContain('No answer in time: acme/payments (subscriptions)')
    expect(text).toContain('Large loss, waiting for the next scan to confirm it: acme/shop (endpoints)')
    for (const { reason } of samples.incomplete.coverage) {
      if (reason !== null) expect(page).toContain(reason.replaceAll('"', '&quot;'))
    }
  })

  it('calls its counts a lower bound', () => {
    const text = textOf(samples.incomplete)
    expect(text).toContain(
      'Failed At least 1 open violation of medium or above: the scan is incomplete. ? critical 1+ high',
    )
    expect(text).toContain('acme/payments ? 1+ ? ? ? ? incomplete: subscriptions')
    expect(text).not.toContain('No new violation. ')
  })

  it('names rules that could not be evaluated', () => {
    const gaps = [aFailedRule('ours/rule', 'it failed')]
    const text = textOf(aReport({ projects: [projectOf('acme/payments')], gaps }))
    expect(text).toContain(
      '? 1 rule could not evaluate everything acme/payments ours/rule was not evaluated: it failed',
    )
    expect(text).toContain('complete 1 rule not evaluated')
  })
})

describe('the HTML report of a first scan', () => {
  it('says that it is the first, and calls nothing new or unchanged', () => {
    const run = { ...aReport().run, number: 1 }
    const projects = [{ ...projectOf('acme/payments'), resources: { endpoint: 3, subscription: 4 } }]
    const text = textOf(aReport({ run, projects, violations: [aViolation()] }))
    expect(text).toContain('This is the first scan. It remembers 7 resources. The next run reports what changed since.')
    expect(text).toContain('first scan: nothing to compare with')
    expect(text).not.toMatch(/nothing changed|no change|\+1 new|new violation/i)
  })

  it('of a project among known ones counts what it found, and does not say that it was open before', () => {
    const shop = { ...projectOf('acme/shop'), not_compared: ['endpoints'] } as const
    const coverage = [aWalk(), aWalk({ project: 'acme/shop' })]
    const violations = [aViolation({ project: 'acme/shop' })]
    const page = show(aReport({ coverage, projects: [projectOf('acme/payments'), shop], violations }))
    expect(numbersIn(page)).toEqual(['0 critical no change', '1 high +1 new', '0 medium no change'])
    expect(page).toContain('Also open')
    expect(page).not.toContain('Open since earlier runs')
  })
})

function projectOf(project: string): Report['projects'][number] {
  return { project, labels: {}, configured_at: null, resources: {}, evaluated_by_rule: {} }
}

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

  it('has every violation, the first 5 of a block shown and the others behind a fold that counts them', () => {
    expect(page.match(/<li id="v-/g)).toHaveLength(many)
    const [, shown = ''] = /<h3><span class="chip critical">[\s\S]*?<ul class="rows">([\s\S]*?)<\/ul>/.exec(page) ?? []
    expect(shown.match(/<li id="v-/g)).toHaveLength(5)
    expect(page).toMatch(/<\/ul>\n<details class="rest"><summary>\d+ more of \d+<\/summary>/)
  })

  it('shows a dozen projects and folds the others', () => {
    expect(page).toContain('<summary>28 more of 40 projects</summary>')
  })
})
