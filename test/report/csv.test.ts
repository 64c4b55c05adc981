import { parse } from 'csv-parse/sync'
import { describe, expect, it } from 'vitest'
import { csv } from '../../src/report/csv.ts'
import { csvTable } from '../../src/report/csv-table.ts'
import { filesOf } from '../../src/report/report-files.ts'
import type { RenderOptions } from '../../src/report/report-format.ts'
import { aGap } from './a-gap.ts'
import { evaluatedSamples } from './evaluated-sample.ts'
import { aReport, aWalk, options } from './sample-reports.ts'

const sections = ['violations', 'drift', 'coverage', 'controls'] as const
const rowsOf = (section: NonNullable<RenderOptions['section']>): Record<string, string>[] =>
  parse(csv(evaluatedSamples.small, { ...options, section }), { columns: true })

describe('the CSV report', () => {
  it.each(sections)('matches its reviewed snapshot: %s', async (section) => {
    const shown = csv(evaluatedSamples.small, { ...options, section })
    await expect(shown).toMatchFileSnapshot(`../golden/report-small.${section}.csv`)
  })

  it('shows the violations unless another section is requested', () => {
    expect(csv(evaluatedSamples.small, options)).toBe(
      csv(evaluatedSamples.small, { ...options, section: 'violations' }),
    )
  })

  it.each(sections)('ends every line with CR LF, and has the same number of cells in each: %s', (section) => {
    const shown = csv(evaluatedSamples.incomplete, { ...options, section })
    expect(shown.endsWith('\r\n')).toBe(true)
    expect(shown.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/)
  })

  it('has the members of the JSON report as columns, and waiver and remediation after them', () => {
    const [first] = rowsOf('violations')
    const { violations } = evaluatedSamples.small
    expect(Object.keys(first ?? {})).toEqual([
      ...Object.keys(violations[0] ?? {}),
      ...['waiver_owner', 'waiver_reason', 'waiver_expires', 'waiver_ticket', 'remediation'],
    ])
    expect(rowsOf('violations').find(({ state }) => state === 'waived')).toMatchObject({
      waiver_owner: 'payments team',
      waiver_expires: '2027-04-01T00:00:00.000Z',
      remediation: 'Serve the receiver over https.',
    })
  })

  it('says of how many subscriptions filter rows were read, also where not all that were due', () => {
    const oldest_at = '2026-11-20T00:00:00.000Z'
    const filters = { listing: 'filters', pages: 0, of: 40, oldest_at } as const
    const coverage = [
      aWalk({ ...filters, items: 5 }),
      aWalk({ ...filters, items: 4, status: 'partial' }),
      aWalk({ status: 'failed', pages: 0, items: 0 }),
    ]
    const rows = parse(csv(aReport({ coverage }), { ...options, section: 'coverage' }), { columns: true })
    expect(rows).toMatchObject([
      { items: '5', of: '40', oldest_at, cause: '' },
      { items: '4', of: '40', oldest_at, cause: 'timeout' },
      { items: '', of: '', oldest_at: '', cause: 'timeout' },
    ])
  })

  it('says who accepted what, when and why', () => {
    expect(rowsOf('accepted')).toEqual([
      expect.objectContaining({ rule: 'drift/url-host-changed', by: 'lee', reason: expect.stringContaining('4711') }),
    ])
  })

  it('has a row for each changed field, and one for each addition and removal', () => {
    const changes = rowsOf('drift').map(({ change, path }) => [change, path])
    expect(changes.filter(([change]) => change !== 'modified')).toEqual([
      ['added', ''],
      ['removed', ''],
    ])
    expect(changes.filter(([change]) => change === 'modified')).toHaveLength(6)
  })

  it('counts for each control what its rules evaluated and found', () => {
    const rows = rowsOf('controls').filter(
      ({ control, rule }) => control === 'soc2:CC6.7' && rule === 'endpoint/url-not-https',
    )
    expect(rows).toEqual([
      {
        control: 'soc2:CC6.7',
        rule: 'endpoint/url-not-https',
        title: 'Deliveries are not encrypted',
        severity: 'high',
        evaluated: '88',
        not_evaluated: '0',
        open: '1',
        waived: '1',
        unknown: '0',
        fixed: '0',
        ended_otherwise: '0',
      },
    ])
  })
})

it('the CSV of controls counts no violation as none where a rule missed some resources', () => {
  const gaps = [aGap('endpoint/url-not-https')]
  const shown = csv({ ...evaluatedSamples.clean, gaps }, { ...options, section: 'controls' })
  const rows: Record<string, string>[] = parse(shown, { columns: true })
  const cells = rows.map(({ rule, open, fixed }) => [rule, open, fixed])
  expect(cells).toContainEqual(['endpoint/url-not-https', '', ''])
  expect(cells).toContainEqual(['endpoint/inactive', '0', '0'])
})

describe('a cell', () => {
  it.each([
    ['=1+1', "'=1+1"],
    ['+49', "'+49"],
    ['-1', "'-1"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['  =1', "'  =1"],
    ['＝1', "'＝1"],
    ['\t=1', '\\t=1'],
    ['a;=1', "a;'=1"],
    ['a=1, b-2', 'a=1, b-2'],
    ['"quoted"\nline', '"quoted"\\nline'],
  ])('%j is read back as %j', (text, read) => {
    expect(parse(csvTable(['cell'], [[text]]))).toEqual([['cell'], [read]])
  })

  it('is shortened to what a spreadsheet takes', () => {
    const [, [cell] = []] = parse(csvTable(['cell'], [['x'.repeat(1_000_000)]]))
    expect(cell).toMatch(/^x{30000}… \(1000000 characters\)$/)
    for (const text of ['\tx\n'.repeat(9_000), ';=1'.repeat(10_000), '\u202e'.repeat(30_000)]) {
      const [, [escaped = ''] = []] = parse(csvTable(['cell'], [[text]]))
      expect(escaped.length).toBeLessThanOrEqual(32_767)
      expect(escaped).toMatch(new RegExp(`… \\(${text.length} characters\\)$`))
    }
  })

  it('leaves numbers and empty cells unchanged', () => {
    expect(csvTable(['a', 'b', 'c'], [[-1, null, true]])).toBe('a,b,c\r\n-1,,true\r\n')
  })
})

describe('files of a CSV report', () => {
  it.each([
    [
      '/r/out.csv',
      ['/r/out.csv', '/r/out.drift.csv', '/r/out.accepted.csv', '/r/out.coverage.csv', '/r/out.controls.csv'],
    ],
    ['/r/out', ['/r/out', '/r/out.drift', '/r/out.accepted', '/r/out.coverage', '/r/out.controls']],
  ])('are written next to %s', (file, files) => {
    expect(filesOf('csv', file).map((one) => one.file)).toEqual(files)
  })
})
