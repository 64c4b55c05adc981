import { stringify } from 'csv-stringify/sync'
import { isExactNumber, numberText, shownText } from '../../model/exact-number.ts'
import { cut } from '../../text/cut.ts'
import { neutralise } from '../../text/neutralise.ts'

export type Cell = string | number | boolean | null

/** CSV as RFC 4180 has it: a header, lines that end in CR LF, quotes where they must be. null is an empty cell. */
export function csvTable(header: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const lines = rows.map((row) => row.map((cell) => shown(cell)))
  return stringify([[...header], ...lines], { record_delimiter: '\r\n' })
}

function shown(cell: Cell): string {
  if (typeof cell !== 'string') return cell === null ? '' : String(cell)
  return isExactNumber(cell) ? numberText(cell) : harmless(shownText(cell))
}

/** A cell of a spreadsheet takes 32,767 characters. */
const longestCell = 30_000

/**
 * What a spreadsheet would take for a formula gets an apostrophe before it: at the beginning of the cell, and behind
 * a semicolon, which spreadsheets of some countries take for the end of one.
 */
function harmless(text: string): string {
  return neutralise(cut(text, longestCell)).replace(/(^|;)(["'\s]*)(?=[=+\-@＝＋－＠])/g, "$1'$2")
}
