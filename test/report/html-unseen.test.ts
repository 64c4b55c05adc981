import { describe, expect, it } from 'vitest'
import type { Report } from '../../src/model/report.ts'
import { html } from '../../src/report/html.ts'
import { aReport, aViolation, aWalk, samples } from './sample-reports.ts'

const options = { colour: false, width: 80, full: true }
const show = (report: Report) => html(report, options).replace(/<style>[\s\S]*<\/style>/, '')

/** What a person reads on the page, without the footer, whose digests are no counts. */
const textOf = (report: Report) =>
  show(report)
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
      /(?<![\w.])(0|none|no|passed|clean|complete scan)(?![\w.]| (of 2 walks|violation was))/i,
    )
  })

  it('counts what was open when it was last seen', () => {
    const text = textOf(down(17, [aViolation({ state: 'unknown', severity: 'critical' })]))
    expect(text).toContain('? critical 1 unknown')
    expect(text).toContain('acme/payments ? 1 then ? ? ? ? ? not scanned (1 critical then)')
  })

  it('hatches the cells that nothing is known of', () => {
    expect(show(down(17)).split('class="n unseen"')).toHaveLength(5 + 2 + 1)
  })
})

describe('the HTML report of an incomplete run', () => {
  it('names what was not scanned before the verdict, a line for each cause', () => {
    const page = show(samples.incomplete)
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
    const [project] = down(17).coverage
    const silent = { ...projectOf(project?.project ?? ''), not_evaluated: { 'ours/rule': 'it failed' } }
    const text = textOf(aReport({ projects: [silent] }))
    expect(text).toContain('? 1 rule not evaluated ours/rule acme/payments: it failed')
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
})

function projectOf(project: string): Report['projects'][number] {
  return { project, labels: {}, configured_at: null, resources: {}, evaluated_by_rule: {}, not_evaluated: {} }
}
