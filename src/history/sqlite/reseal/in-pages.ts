/**
 * Reads rows a page at a time: SQLite cannot write while it iterates, and not all rows fit into memory. `read` returns
 * the rows after a given one, ordered by a key that the caller does not change.
 */
export function* inPages<Row>(read: (after: Row | undefined) => readonly Row[]): Generator<Row> {
  for (let page = read(undefined); page.length > 0; page = read(page.at(-1))) yield* page
}
