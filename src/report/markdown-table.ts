import { count } from '../text/count.ts'

/** Lines of a section: its heading with the table's head, and the rows, which may be cut. */
export interface MarkdownSection {
  readonly head: readonly string[]
  readonly rows: readonly string[]
  /** The noun for a row, to count omitted ones. */
  readonly noun: string
}

/** A table under a heading. Cells are Markdown; `code` and `prose` convert foreign text. */
export function table(
  heading: string,
  columns: readonly string[],
  noun: string,
  rows: readonly (readonly string[])[],
): MarkdownSection {
  return {
    head: ['', `### ${heading}`, '', row(columns), row(columns.map(() => '---'))],
    rows: rows.map(row),
    noun,
  }
}

export function row(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`
}

/**
 * As many rows of the sections, in order, as fit into so many characters; the omitted rows are counted. Sections
 * without rows are not shown.
 */
export function fill(sections: readonly MarkdownSection[], characters: number, howToSeeAll: string): string[] {
  const filled = sections.filter(({ rows }) => rows.length > 0)
  const lines: string[] = []
  let room =
    characters - filled.reduce((sum, { head }) => sum + lengthOf(head) + roomToDescribe + howToSeeAll.length, 0)
  for (const { head, rows, noun } of filled) {
    lines.push(...head)
    let taken = 0
    for (const row of rows) {
      if (row.length + 1 > room) break
      room -= row.length + 1
      taken += 1
      lines.push(row)
    }
    const cut = rows.length - taken
    if (cut > 0) lines.push('', `… and ${count(cut, `more ${noun}`)}; ${howToSeeAll}`)
  }
  return lines
}

/** Characters that a section needs to say that it was cut. */
const roomToDescribe = 120

function lengthOf(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + line.length + 1, 0)
}
