/**
 * Rows a page at a time: nothing can be written while SQLite still gives rows, and not all rows fit into memory.
 * `read` gives the next ones behind a row, in the order of a key that is not written.
 */
export function* inPages<Row>(read: (after: Row | undefined) => readonly Row[]): Generator<Row> {
  for (let page = read(undefined); page.length > 0; page = read(page.at(-1))) yield* page
}
