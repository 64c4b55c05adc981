import { describe, expect, it } from 'vitest'
import { markdown } from '../../src/report/markdown.ts'
import { code, prose } from '../../src/report/markdown-prose.ts'
import { evaluatedSamples } from './evaluated-sample.ts'
import { partsOf, tablesIn } from './formats/markdown.ts'
import { aReport, aViolation, aWalk, options } from './sample-reports.ts'

describe('the Markdown report', () => {
  it.each(['small', 'clean', 'incomplete'] as const)('matches its reviewed snapshot: %s', async (sample) => {
    await expect(markdown(evaluatedSamples[sample], options)).toMatchFileSnapshot(`../golden/report-${sample}.md`)
  })

  it('begins with a table of counts', () => {
    const [summary] = tablesIn(markdown(evaluatedSamples.small, options))
    expect(summary).toEqual({
      header: ['severity', 'opened', 'continuing', 'fixed', 'ended otherwise', 'unknown', 'waived'],
      rows: [
        ['critical', '1', '0', '0', '0', '0', '0'],
        ['high', '1', '1', '1', '1', '1', '1'],
        ['medium', '0', '1', '0', '1', '0', '0'],
        ['low', '0', '0', '0', '0', '0', '0'],
        ['info', '0', '0', '0', '0', '0', '0'],
      ],
    })
  })

  it('names incomplete walks before anything else, and what a complete scan left out', () => {
    const incomplete = markdown(evaluatedSamples.incomplete, options)
    expect(incomplete.indexOf('INCOMPLETE SCAN: 4 of 7 listings')).toBeLessThan(incomplete.indexOf('###'))
    const coverage = [
      aWalk({ filter: 'owner=tenant-03' }),
      aWalk({ listing: 'sources', status: 'skipped', reason: 'not offered', pages: 0, items: 0 }),
      aWalk({ listing: 'filters', pages: 0, items: 5, of: 40, oldest_at: '2026-11-20T00:00:00.000Z' }),
    ]
    const shown = markdown(aReport({ coverage }), options)
    expect(shown).toContain(`
- Skipped sources of \`acme/payments\`: not offered.
- \`acme/payments\`: filter rows of 5 of 40 subscriptions, the oldest known ones at 2026-11-20 00:00 UTC.
- Only endpoints with \`owner=tenant-03\` in \`acme/payments\`.
`)
  })

  it('stays below 65,000 characters, keeps the worst violations and counts those it omits', () => {
    const violations = Array.from({ length: 3000 }, (_, at) =>
      aViolation({ uid: `V${at}`, message: 'm'.repeat(at % 500) }),
    )
    const gaps = Array.from({ length: 400 }, (_, at) =>
      aWalk({ project: `acme/p${at}`, status: 'failed', reason: 'r'.repeat(300) }),
    )
    for (const coverage of [[aWalk()], gaps]) {
      const shown = markdown(aReport({ coverage, violations }), options)
      expect(shown.length).toBeLessThan(65_000)
      const listed = partsOf(shown).flatMap(({ section, items }) => (section.startsWith('New') ? items : []))
      const [, left] =
        /^… and (\d+) more violations; `hookdrift report --run 17 --format json` shows all$/m.exec(shown) ?? []
      expect(listed.length + Number(left)).toBe(3000)
      expect(listed[0]?.said[0]?.codes ?? ['V0']).toContain('V0')
    }
  })
})

describe('text of a service in Markdown', () => {
  it.each([
    ['sends to http://a.example, without TLS', 'sends to `http://a.example`, without TLS'],
    ['times out after 90 s: too long.', 'times out after 90 s: too long.'],
    ['ask me@evil.example or @team #4711', 'ask `me@evil.example` or `@team #4711`'],
    ['a `quoted` | bar', 'a `quoted` `\\x7c` bar'],
    ['a `quoted`| bar, `not closed', 'a `quoted` `\\x7c` bar, `not closed`'],
    ['Run `openssl rand` first.', 'Run `openssl rand` first.'],
    ['ends after 16.7 min (policy: at least 60 min)', 'ends after 16.7 min (policy: at least 60 min)'],
    ['was (`X-Key`), is (http://a.example)', 'was (`X-Key`), is (`http://a.example`)'],
    ['since 2026-11-20 (deadbeef)', 'since 2026-11-20 (`deadbeef`)'],
    ['deadbeef decade', '`deadbeef` decade'],
    ['', ''],
  ])('%j is %j', (text, shown) => {
    expect(prose(text)).toBe(shown)
  })

  it('is code for a name, and empty without one', () => {
    expect([code('a`b|c\u202e'), code('')]).toEqual(['`a\\x60b\\x7cc\\u202e`', ''])
  })
})
