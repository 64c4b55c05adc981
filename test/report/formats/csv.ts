import { parse as parseCsv } from 'csv-parse/sync'
import { csvSections } from '../../../src/report/csv.ts'
import type { FormatTest } from '../format-test.ts'

export const csv: FormatTest = {
  read: (text) => ({ violations: parseCsv(text, { columns: true }), exitCode: undefined }),
  damage(text, report) {
    const all = Object.values(csvSections).flatMap((section): string[][] => parseCsv(section(report)))
    const formulas = all.flat().filter((cell) => /(?:^|;)["\s]*[=+\-@＝＋－＠]/.test(cell))
    return [...formulas, ...(text.replaceAll('\r\n', '').includes('\n') ? ['a bare line break'] : [])]
  },
}
