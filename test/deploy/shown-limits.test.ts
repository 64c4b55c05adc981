import { describe, expect, it } from 'vitest'
import { csv } from '../../src/report/csv.ts'
import { junit } from '../../src/report/junit.ts'
import { markdown } from '../../src/report/markdown.ts'
import { sarif } from '../../src/report/sarif.ts'
import { aReport, aViolation, options } from '../report/sample-reports.ts'
import { textOf } from './build-image.ts'

const reportOf = (number: number, message = '') =>
  aReport({ violations: Array.from({ length: number }, (_, at) => aViolation({ uid: `${at}`, message })) })

/** Without line breaks, marks of code, and the numbers of one sample. */
const essence = (text: string) =>
  text
    .replaceAll('`', '')
    .replace(/\s+/g, ' ')
    .replace(/\d+ more/g, 'N more')

describe('what pages say of limits', () => {
  it.each([
    ['how-to/run-in-ci', 'SARIF', () => sarif(reportOf(25_003), options), /3 results of 25003 omitted[^"]*/],
    ['how-to/run-in-ci', 'Markdown', () => markdown(reportOf(3000, 'm'), options), /… and \d+ more violations; .*/],
    ['how-to/run-in-ci', 'JUnit', () => junit(reportOf(1, 'x'.repeat(9001)), options), /… \(\d+ characters\)/],
    ['reference/reports', 'CSV', () => csv(reportOf(1, 'x'.repeat(40_001)), options), /… \(\d+ characters\)/],
  ])('%s: is what %s prints', (page, _, render, printed) => {
    const [said = 'nothing'] = printed.exec(render()) ?? []
    expect(essence(textOf(`docs/${page}.md`))).toContain(essence(said))
  })
})
