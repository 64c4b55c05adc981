/** The parameters of both lists, decoded as leniently as the service does. */
export interface PageQuery {
  readonly perPage: number
  readonly direction: 'next' | 'prev'
  readonly sort: 'ASC' | 'DESC'
  readonly cursor: string
}

interface ItemCut<Row> {
  readonly content: readonly Row[]
  /** Counted from 1 at the newest row, as a forward walk of this page size counts. */
  readonly number: number
  readonly pagination: {
    readonly per_page: number
    readonly has_next_page: boolean
    readonly has_prev_page: boolean
    readonly prev_page_cursor: string
    readonly next_page_cursor: string
  }
}

export function readPageQuery(parameters: URLSearchParams, maxPageSize = Number.POSITIVE_INFINITY): PageQuery {
  const direction = (parameters.get('direction') || 'next') === 'next' ? 'next' : 'prev'
  const size = parameters.get('perPage') ?? ''
  return {
    perPage: Math.min(/^[+-]?\d+$/.test(size) ? Number(size) : 20, maxPageSize),
    direction,
    sort: parameters.get('sort')?.toUpperCase() === 'ASC' ? 'ASC' : 'DESC',
    cursor: parameters.get(direction === 'next' ? 'next_page_cursor' : 'prev_page_cursor') ?? '',
  }
}

/**
 * Cuts a page as the service does: it reads one row more than requested, and the cursors are the first and the last uid
 * that it read, even if the page does not show them. Its traps follow: the cursor of a last page, the empty pages of
 * perPage=0 that always have a next one, the oldest row that a backward walk loses.
 *
 * `rows` are newest first; `perPage` is at least 0.
 */
export function cutPage<Row extends { readonly uid: string }>(rows: readonly Row[], query: PageQuery): ItemCut<Row> {
  const { perPage, direction, cursor } = query
  const start = direction === 'next' ? firstAt(rows, cursor) : backwardStart(rows, query)
  const end = direction === 'next' ? start + perPage + 1 : cursor === '' ? rows.length : endAt(rows, cursor)
  // Ascending order starts at the highest possible cursor, with no rows after it.
  return cutAt(query.sort === 'ASC' ? [] : rows.slice(start, end), start, perPage)
}

/** The same in ascending order, where the service does it; forward only. */
export function cutRising<Row extends { readonly uid: string }>(rows: readonly Row[], query: PageQuery): ItemCut<Row> {
  const end = query.cursor === '' ? rows.length : endAt(rows, query.cursor)
  const read = rows.slice(Math.max(0, end - query.perPage - 1), end).reverse()
  return cutAt(read, rows.length - end, query.perPage)
}

/** `start`: how many rows come before those that were read. */
function cutAt<Row extends { readonly uid: string }>(
  read: readonly Row[],
  start: number,
  perPage: number,
): ItemCut<Row> {
  const first = read[0]?.uid ?? ''
  return {
    content: read.slice(0, perPage),
    number: perPage === 0 ? 1 : Math.floor(start / perPage) + 1,
    pagination: {
      per_page: perPage,
      has_next_page: read.length > perPage,
      has_prev_page: read.length > 0 && start > 0,
      prev_page_cursor: first,
      next_page_cursor: read.length > 1 ? (read.at(-1)?.uid ?? '') : '',
    },
  }
}

/** The row that has a uid, of rows whose uids fall. */
export function findRow<Row extends { readonly uid: string }>(rows: readonly Row[], uid: string): Row | undefined {
  const row = rows[firstAt(rows, uid)]
  return row?.uid === uid ? row : undefined
}

/** Index of the first row whose uid is not above the cursor; an empty cursor is not a cursor. */
function firstAt(rows: readonly { readonly uid: string }[], cursor: string): number {
  return cursor === '' ? 0 : firstWhere(rows, (uid) => uid <= cursor)
}

/** Index after the last row whose uid is not below the cursor. */
function endAt(rows: readonly { readonly uid: string }[], cursor: string): number {
  return firstWhere(rows, (uid) => uid < cursor)
}

function backwardStart(rows: readonly { readonly uid: string }[], { perPage, cursor }: PageQuery): number {
  return Math.max(0, (cursor === '' ? rows.length : endAt(rows, cursor)) - perPage - 1)
}

/** Binary search: uids fall from row to row, and compare as texts. */
function firstWhere(rows: readonly { readonly uid: string }[], matches: (uid: string) => boolean): number {
  let [low, high] = [0, rows.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (matches(rows[middle]?.uid ?? '')) high = middle
    else low = middle + 1
  }
  return low
}
