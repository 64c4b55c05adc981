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
