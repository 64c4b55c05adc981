import { count } from '../../text/count.ts'
import type { MarkdownSection } from './table.ts'

/** Characters that a section needs to say that it was cut. */
const roomToDescribe = 120

/**
 * As many rows of the sections, in order, as fit into so many characters; the omitted rows are counted. Sections
 * without rows are not shown.
 */
export function fill(sections: readonly MarkdownSection[], characters: number, howToSeeAll: string): string[] {
  const shown = sections.filter(({ rows }) => rows.length > 0)
  const lines: string[] = []
  let left = characters - shown.reduce((sum, { head }) => sum + lengthOf(head) + roomToDescribe + howToSeeAll.length, 0)
  for (const { head, rows, noun } of shown) {
    lines.push(...head)
    let taken = 0
    for (const row of rows) {
      if (row.length + 1 > left) break
      left -= row.length + 1
      taken += 1
      lines.push(row)
    }
    const cut = rows.length - taken
    if (cut > 0) lines.push('', `… and ${count(cut, `more ${noun}`)}; ${howToSeeAll}`)
  }
  return lines
}

function lengthOf(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + line.length + 1, 0)
}
