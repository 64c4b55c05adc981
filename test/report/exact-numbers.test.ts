import { describe, expect, it } from 'vitest'
import type { Json } from '../../src/model/json.ts'
import { type DiffRow, diffForm, diffView } from '../../src/questions/diff.ts'
import { writeAnswer } from '../../src/report/show-answer.ts'
import { reports } from './all-reports.ts'
import { aChange, aReport, aViolation } from './sample-reports.ts'

const options = { colour: false, width: 200, full: true, tableWidth: 200, section: 'drift' } as const
const [one, other] = ['1234567890123456789', '-1e400']
const plain = { path: '/account', before: `number:${one}`, after: `number:${other}` }
const nested = {
  path: '/filter',
  before: { id: [`number:${one}`] },
  after: { id: [`number:${other}`, 'text:number:1e400'] },
}
const change = aChange({ fields: [plain, nested] })
const report = aReport({ drift: [change], violations: [aViolation({ message: `account ${one} is listed` })] })

describe('a number that exceeds a double', () => {
  it.each(Object.entries(reports))('is shown in %s as it was sent', (format, write) => {
    const written = write(report, options)
    // The text of a service that imitates a stored number is shown unchanged.
    expect(written.replaceAll('"number:1e400"', '').replaceAll('&quot;number:1e400&quot;', '')).not.toContain('number:')
    if (['text', 'markdown', 'html', 'csv'].includes(format)) expect(written).toContain(other)
    if (format !== 'csv') expect(written).toContain(one)
  })

  it('has no quotes for people', () => {
    expect(reports.text(report, options)).toContain(`/account ${one} → ${other}`)
    expect(reports.text(report, options)).toContain(`{"id":[${one}]} → {"id":[${other},"number:1e400"]}`)
    expect(reports.html(report, options)).toContain(`<del>${one}</del>`)
    expect(reports.html(report, options)).toContain(`<ins>${other}</ins>`)
    expect(reports.markdown(report, options)).toContain(`\`${one}\` → \`${other}\``)
    expect(reports.csv(report, options)).toContain(`,/account,${one},${other},`)
  })

  it('is a text of its digits in JSON', () => {
    const fields: readonly { readonly before: Json; readonly after: Json }[] = JSON.parse(reports.json(report, options))
      .drift[0].fields
    expect(fields.map(({ before, after }) => [before, after])).toEqual([
      [one, other],
      [{ id: [one] }, { id: [other, 'number:1e400'] }],
    ])
  })

  it('is the same text in the answers of reading commands, and in a patch', () => {
    const row: DiffRow = { ...change, patch: [{ op: 'replace', path: '/account', value: `number:${other}` }] }
    const answer = { form: diffForm, run: null, rows: [row], omitted: 0 } as const
    const json = JSON.parse(writeAnswer('json', answer, diffView, options))
    expect(json.rows[0].fields[0]).toEqual({ path: '/account', before: one, after: other })
    expect(json.rows[0].patch[0].value).toBe(other)
    expect(writeAnswer('text', answer, diffView, options)).toContain(`${one} → ${other}`)
    const csv = writeAnswer('csv', answer, diffView, options)
    expect(csv).toContain(`,/account,${one},${other}`)
    expect(csv).toContain(`"{""id"":[${one}]}"`)
  })
})
