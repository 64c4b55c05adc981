/** Lines of a section: what stands above them (with a table's head) and the rows, which may be cut. */
export interface MarkdownSection {
  readonly head: readonly string[]
  readonly rows: readonly string[]
  /** What a row is, to say how many were left out. */
  readonly noun: string
}

/** A table under a heading. Cells are Markdown; `code` and `prose` make it of others' text. */
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
