import { displayText, jsonOfNumbers } from '../exact-number.ts'
import type { Json } from '../json.ts'
import { breakWord, padColumns, partsOf, widthOf, wordsOf, wrapPieces } from './columns.ts'
import { neutralise } from './neutralise.ts'

/** What a value names, so that a page leads there. */
export type LinkKind = 'project' | 'resource' | 'violation' | 'run' | 'rule' | 'owner' | 'opened' | 'impact'

interface ColumnStyle<Row> {
  /** The text for people, where it differs from the value. The table neutralises it. */
  readonly show?: (row: Row) => string
  /** Whether it holds names that people chose: on a narrow terminal, one may go on after `/`, `-` and the like. */
  readonly breaks?: true
  readonly align?: 'right'
  /** What the value names; of a resource and a violation, the row names the rest. */
  readonly link?: LinkKind
  /** Shown in this one only. */
  readonly only?: 'csv' | 'text'
}

export interface ColumnOfTable<Row> extends ColumnStyle<Row> {
  /** Header in both. */
  readonly name: string
  readonly value?: (row: Row) => Json
}

/** One column of a table, for CSV and for people: a member of the row by its name, or what differs from one. */
export type Column<Row> =
  | MemberName<Row>
  | ({ readonly name: MemberName<Row> } & ColumnStyle<Row>)
  | ({ readonly name: string; readonly value: (row: Row) => Json } & ColumnStyle<Row>)
  | ({ readonly name: string; readonly only: 'text'; readonly show: (row: Row) => string } & ColumnStyle<Row>)

type MemberName<Row> = Extract<keyof Row, string>

/** The columns of a form, each with its name. */
export function columnsIn<Row>(columns: readonly Column<Row>[], form: 'csv' | 'text'): readonly ColumnOfTable<Row>[] {
  return columns
    .map((column): ColumnOfTable<Row> => (typeof column === 'string' ? { name: column } : column))
    .filter(({ only = form }) => only === form)
}

/** The value of a column, null where the row has none. */
export function valueIn<Row>(row: Row, { name, value }: ColumnOfTable<Row>): Json {
  if (value !== undefined) return value(row)
  // The schema of a row says that its members are JSON; interfaces do not.
  return (row as Readonly<Record<string, Json>>)[name] ?? null
}

const gap = '  '

/** Where the first cell of a row goes on, so that it is not taken for another row. */
const hanging = '  '

/** A part of a name may be broken if it is longer, so that one name does not change the table of all others. */
const longestPart = 32

const narrowestValue = 10

/**
 * The lines of the header, and those of each row. Nothing is cut: a cell that is wider than its column goes on in the
 * next line. Where not even its words fit, a row has a line for each column, and there is no header.
 */
export function layTable<Row>(columns: readonly Column<Row>[], rows: readonly Row[], width: number): string[][] {
  const textColumns = columnsIn(columns, 'text')
  const names = textColumns.map(({ name }) => neutralise(name))
  const cells = rows.map((row) =>
    textColumns.map((column) => neutralise(column.show?.(row) ?? textOf(valueIn(row, column)))),
  )
  const lines = [names, ...cells]
  const widestOf = (measure: (cell: string, at: number) => number) =>
    textColumns.map((_, at) => lines.reduce((most, line) => Math.max(most, measure(line[at] ?? '', at)), 0))
  const wholes = widestOf(widthOf)
  if (sumOf(wholes) <= width) return lines.map((line) => setLine(line, wholes, textColumns))
  const words = widestOf((cell, at) => leastWidth(wordsOf(cell), at))
  const parts = widestOf((cell, at) =>
    textColumns[at]?.breaks === true
      ? Math.min(leastWidth(wordsOf(cell).flatMap(partsOf), at), longestPart)
      : (words[at] ?? 0),
  )
  const widths = narrow(wholes, words, width) ?? narrow(words, parts, width)
  if (widths !== undefined) return lines.map((line) => setLine(line, widths, textColumns))
  return [
    [],
    ...cells.map((row, at) => [...(at === 0 ? [] : ['']), ...stackCells(row, { names, columns: textColumns, width })]),
  ]
}

export function textOf(value: Json): string {
  if (value === null) return '-'
  return typeof value === 'string' ? displayText(value) : jsonOfNumbers(JSON.stringify(value))
}

/** The columns that a cell needs at least, if it may be wrapped between these pieces. */
function leastWidth(pieces: readonly string[], column: number): number {
  const widest = pieces.reduce((most, piece) => Math.max(most, widthOf(piece)), 0)
  return column === 0 && pieces.length > 1 ? widest + hanging.length : widest
}

function sumOf(widths: readonly number[]): number {
  return widths.reduce((sum, each) => sum + each, 0) + gap.length * (widths.length - 1)
}

/** Narrows the widest column that may be narrower, one by one, until the line fits; undefined if it cannot. */
function narrow(from: readonly number[], least: readonly number[], width: number): number[] | undefined {
  if (sumOf(least) > width) return undefined
  const widths = [...from]
  for (let over = sumOf(widths) - width; over > 0; over--) {
    let widest = -1
    for (const [at, now] of widths.entries()) {
      if (now > (least[at] ?? 0) && now > (widths[widest] ?? 0)) widest = at
    }
    widths[widest] = (widths[widest] ?? 0) - 1
  }
  return widths
}

function setLine(line: readonly string[], widths: readonly number[], columns: readonly ColumnStyle<never>[]): string[] {
  const cells = line.map((cell, at) =>
    wrapCell(cell, widths[at] ?? 0, { breaks: columns[at]?.breaks, isFirst: at === 0 }),
  )
  const height = cells.reduce((most, { length }) => Math.max(most, length), 1)
  return Array.from({ length: height }, (_, number) =>
    cells
      .map((texts, at) => setText(texts[number] ?? '', widths[at] ?? 0, columns[at]?.align))
      .join(gap)
      .trimEnd(),
  )
}

function setText(text: string, width: number, align: 'right' | undefined): string {
  return align === 'right' ? `${' '.repeat(Math.max(0, width - widthOf(text)))}${text}` : padColumns(text, width)
}

function wrapCell(
  cell: string,
  width: number,
  { breaks, isFirst }: { readonly breaks: true | undefined; readonly isFirst: boolean },
): string[] {
  if (widthOf(cell) <= width) return [cell]
  const room = isFirst ? width - hanging.length : width
  const pieces = wordsOf(cell).flatMap((word) => (breaks === true ? breakWord(word, room) : [word]))
  return wrapPieces(pieces, room).map((text, number) => (isFirst && number > 0 ? `${hanging}${text}` : text))
}

/** A line for each column, as `psql` shows a row that is wider than the terminal. */
function stackCells(
  cells: readonly string[],
  {
    names,
    columns,
    width,
  }: {
    readonly names: readonly string[]
    readonly columns: readonly ColumnStyle<never>[]
    readonly width: number
  },
): string[] {
  const label = names.reduce((most, name) => Math.max(most, widthOf(name)), 0)
  const room = Math.max(narrowestValue, width - label - gap.length)
  return cells.flatMap((cell, at) =>
    wrapCell(cell, room, { breaks: columns[at]?.breaks, isFirst: false }).map((text, number) =>
      `${padColumns(number === 0 ? (names[at] ?? '') : '', label)}${gap}${text}`.trimEnd(),
    ),
  )
}
