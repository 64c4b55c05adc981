import { displayText, jsonOfNumbers } from '../model/exact-number.ts'
import type { Json } from '../model/json.ts'
import { padColumns, widthOf } from './columns.ts'
import { neutralise } from './neutralise.ts'

/** One column of a table, for CSV and for people. */
export interface Column<Row> {
  /** Header in both; the member's name in JSON. */
  readonly name: string
  readonly value: (row: Row) => Json
  /** The text for people, where it differs from the value. The table neutralises it. */
  readonly show?: (row: Row) => string
  /** The least width on a narrow terminal; columns without it are never cut. */
  readonly least?: number
  readonly align?: 'right'
  /** Shown in this one only. */
  readonly only?: 'csv' | 'text'
}

const gap = '  '

/** A header and a line for each row. Columns that may be cut shrink until the lines fit into `width`. */
export function layTable<Row>(columns: readonly Column<Row>[], rows: readonly Row[], width: number): string[] {
  const textColumns = columns.filter(({ only }) => only !== 'csv')
  const cells = rows.map((row) =>
    textColumns.map((column) => neutralise(column.show?.(row) ?? textOf(column.value(row)))),
  )
  const lines = [textColumns.map(({ name }) => neutralise(name)), ...cells]
  const widths = takeAway(
    textColumns.map((_, at) => lines.reduce((widest, line) => Math.max(widest, widthOf(line[at] ?? '')), 0)),
    textColumns,
    width,
  )
  return lines.map((line) =>
    line
      .map((cell, at) => setCell(cell, widths[at] ?? 0, textColumns[at]?.align))
      .join(gap)
      .trimEnd(),
  )
}

export function textOf(value: Json): string {
  if (value === null) return '-'
  return typeof value === 'string' ? displayText(value) : jsonOfNumbers(JSON.stringify(value))
}

/** Narrows the widest column that may shrink, one by one, until the line fits or no column can shrink. */
function takeAway(
  wanted: readonly number[],
  columns: readonly Pick<Column<never>, 'least' | 'name'>[],
  width: number,
): number[] {
  const widths = [...wanted]
  let over = widths.reduce((sum, each) => sum + each, 0) + gap.length * (widths.length - 1) - width
  while (over > 0) {
    let widest = -1
    for (const [at, column] of columns.entries()) {
      const [now, most] = [widths[at] ?? 0, widths[widest] ?? 0]
      if (now > Math.max(column.least ?? Number.POSITIVE_INFINITY, column.name.length) && now > most) widest = at
    }
    if (widest < 0) break
    widths[widest] = (widths[widest] ?? 0) - 1
    over -= 1
  }
  return widths
}

function setCell(text: string, width: number, align: 'right' | undefined): string {
  const cut = cutColumns(text, width)
  return align === 'right' ? `${' '.repeat(Math.max(0, width - widthOf(cut)))}${cut}` : padColumns(cut, width)
}

/** Cuts text to a width; cut text ends in `…`. */
export function cutColumns(text: string, width: number): string {
  if (widthOf(text) <= width) return text
  let cut = ''
  let used = 1
  for (const character of text) {
    used += widthOf(character)
    if (used > width) break
    cut += character
  }
  return `${cut}…`
}
