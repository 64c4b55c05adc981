/** A table of columns as wide as their cells: texts to the left, figures to the right. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  const lines = rows.map((row) =>
    row.map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0))),
  )
  return `${lines.map((cells) => cells.join('  ').trimEnd()).join('\n')}\n`
}

/** Compares a ratio with its target. A missed target is not a failure: machines differ. */
export function verdict(
  name: string,
  ratio: number,
  wanted: { atLeast: number } | { atMost: number },
  also = '',
): string {
  const isMet = 'atLeast' in wanted ? ratio >= wanted.atLeast : ratio <= wanted.atMost
  const bound = 'atLeast' in wanted ? `at least ${wanted.atLeast}` : `at most ${wanted.atMost}`
  return `target ${isMet ? 'met   ' : 'missed'}  ${name}: ${ratio.toFixed(2)}, wanted ${bound}${also}\n`
}
